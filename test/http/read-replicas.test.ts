import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;
let messageId: string;
/** The constraint of each session with the database. */
let sessions: string[];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  messageId = await world.send(client, { phone: ADA });
  sessions = [];
  const withSession = (constraint: string) => {
    sessions.push(constraint);
    return env.DB.withSession(constraint);
  };
  const { config, db } = world.deps;
  world.deps = { ...world.deps, config: { ...config, readsReplicas: true }, db: { ...db, withSession } as D1Database };
});

const lookUp = async () => {
  const answer = await world.post("/text/subscription/status", client, { phone_numbers: [ADA] });
  return (await answer.json<{ phoneNumberStatuses: object[] }>()).phoneNumberStatuses;
};

it("answer look-ups and statuses", async () => {
  expect(await lookUp()).toEqual([{ phoneNumber: ADA, subscriptionStatus: true }]);
  const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
  const one = await world.fetch(`/text/message/status?messageId=${messageId}`, { headers });
  expect(await one.json()).toMatchObject({ messageId, status: "PENDING_TO_SEND" });
  const many = await world.post("/text/message/statuses", client, { messageIds: [messageId] });
  expect(await many.json()).toMatchObject({ messages: [{ messageId, status: "PENDING_TO_SEND" }] });
  expect(sessions).toEqual(Array(3).fill("first-unconstrained"));
});

it("have no part in anything else", async () => {
  await world.send(client, { phone: ADA });
  expect((await world.post("/text/bulk/message/send", client, { messages: [SEND] })).status).toBe(200);
  expect((await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] })).status).toBe(200);
  await world.runQueues();
  await world.sweep();
  expect(sessions).toEqual([]);
});

it("answer nothing unless the setting says so", async () => {
  world.deps = { ...world.deps, config: { ...world.deps.config, readsReplicas: false } };
  expect(await lookUp()).toHaveLength(1);
  expect(sessions).toEqual([]);
});
