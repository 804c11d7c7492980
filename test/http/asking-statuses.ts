import { beforeEach } from "vitest";
import { type TestClient, World } from "../world.ts";

export const PATH = "/text/subscription/status";

interface Statuses {
  phoneNumberStatuses: { phoneNumber: string; subscriptionStatus: boolean }[];
  invalidPhoneNumbers: string[];
}

export let world: World;
export let client: TestClient;

export const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

export async function ask(body: unknown): Promise<Statuses> {
  const answer = await world.post(PATH, client, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
    client = await world.brand(["+12125550100", "+12125550101", "+12125550102,,false"]);
  });
}
