// A website that remembers what it has accepted.
import { type TestClient, World } from "../world.ts";

export const ADA = "+12125550100";

export let world: World;

export let client: TestClient;

export async function begin(): Promise<void> {
  world = await World.create();
  await world.website("brand", { duplicateWindowHours: 24 });
  await world.subscribers("brand", [`${ADA},ada@example.com`]);
  client = await world.client("brand", { callbackUrl: "https://brand.example.com/callbacks" });
}

export const bulk = async (messages: unknown[], headers: Record<string, string> = {}) => {
  const answer = await world.post("/text/bulk/message/send", client, { messages }, headers);
  return (await answer.json()) as { successSent: { index: number; messageId: string }[] };
};
