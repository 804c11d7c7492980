// A bulk request that is sent again under its key.
import { expect } from "vitest";
import { SEND, type TestClient, World } from "../world.ts";

export const ADA = "+12125550100";
export const BRITON = "+447400123456";

const KEY = { "idempotency-key": "campaign-1" };

export let world: World;
let client: TestClient;

export async function begin(): Promise<void> {
  world = await World.create();
  client = await world.brand([ADA, `${BRITON},ada@example.com`]);
}

interface Answer {
  successSent: { index: number; messageId: string }[];
  failedSent: { index: number; errorMessage: string }[];
}

export const bulk = (messages: object[]) =>
  world.post("/text/bulk/message/send", client, { messages: messages.map((some) => ({ ...SEND, ...some })) }, KEY);

export const accept = async (messages: object[]): Promise<Answer> => {
  const answer = await bulk(messages);
  expect(answer.status).toBe(200);
  return answer.json();
};
