import { beforeEach } from "vitest";
import { type TestClient, World } from "../world.ts";

export const ADA = "+12125550100";

export let world: World;
export let client: TestClient;

export const call = async (path: string, body: object, by = client) => {
  const answer = await world.post(path, by, body);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
export const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
    client = await world.brand([`${ADA},ada@example.com`]);
  });
}
