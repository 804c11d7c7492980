/** The events of a message: each change of its status once, wherever a client, an operator or a person reads it. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Carrier } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;
let answer: Awaited<ReturnType<Carrier["submit"]>>;

beforeEach(async () => {
  world = await World.create();
  answer = { kind: "accepted", carrierMessageId: "c" };
  const submit: Carrier["submit"] = async () => answer;
  world.deps = { ...world.deps, carriers: { ready: { sandbox: { ...sandbox, submit } }, missing: {} } };
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
  await world.website("brand", { carrier: "sandbox" });
  await world.subscribers("brand", [ADA]);
  client = await world.client("brand");
});

afterEach(() => {
  vi.restoreAllMocks();
});

const deliver = (messageId: string) =>
  world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);

const receive = (messageId: string, status: string, reason: string | null = null) =>
  world.deliver("textgate-receipts", [
    {
      kind: "receipts",
      carrier: "sandbox",
      receipts: [{ messageId, status, reason, carrierMessageId: null, optedOut: false }],
    },
  ]);

/** Accepted, submitted a second later, and delivered two seconds later. @returns its id */
async function story(status = "DELIVERED", of = client): Promise<string> {
  const messageId = await world.send(of, { phone: ADA });
  world.advance(1);
  await deliver(messageId);
  world.advance(2);
  await receive(messageId, status);
  return messageId;
}

async function feed(of = client): Promise<Record<string, unknown>[]> {
  const headers = { "x-client-id": of.clientId, "x-client-secret": of.clientSecret };
  const { events } = await (await world.fetch("/text/events", { headers })).json<{ events: [] }>();
  return events;
}

const page = async (messageId: string) =>
  (await world.operator("GET", `/messages/${messageId}`)).json<Record<string, unknown>>();

const SENT_AT = "2026-11-21T12:00:01.000Z";
const ENDED_AT = "2026-11-21T12:00:03.000Z";

it("is in the feed, on the operator's page and in the export of a person, once, whatever comes twice", async () => {
  const messageId = await story("FAILED_TO_DELIVERY");
  await deliver(messageId);
  world.advance(1);
  await receive(messageId, "SENDING");
  await receive(messageId, "FAILED_TO_DELIVERY");
  await world.sweep();
  const told = [
    { eventId: `${messageId}_SENDING`, status: "SENDING", reason: null, occurredAt: SENT_AT },
    {
      eventId: `${messageId}_FAILED_TO_DELIVERY`,
      status: "FAILED_TO_DELIVERY",
      reason: "UNDELIVERED",
      occurredAt: ENDED_AT,
    },
  ];
  expect(await feed()).toMatchObject(told.map((event) => ({ ...event, eventType: "message.status", callback: null })));
  expect(await feed()).toHaveLength(2);
  const { events, callbacks } = await page(messageId);
  expect(events).toEqual(told.map((event) => ({ ...event, eventType: "message.status" })));
  expect(callbacks).toEqual([]);
  const exported = await world.operator("GET", `/websites/brand/people/${encodeURIComponent(ADA)}/export`);
  expect(await exported.json()).toMatchObject({ websites: [{ messages: [{ messageId, events: told }] }] });
});

it("is gone with its message", async () => {
  await story();
  await world.operator("DELETE", `/websites/brand/people/${encodeURIComponent(ADA)}`);
  expect(await feed()).toEqual([]);
});

it("has no SENDING where a receipt came before the answer of the carrier", async () => {
  const messageId = await world.send(client, { phone: ADA });
  const submit: Carrier["submit"] = async () => {
    await receive(messageId, "DELIVERED");
    return answer;
  };
  world.deps = { ...world.deps, carriers: { ready: { sandbox: { ...sandbox, submit } }, missing: {} } };
  await deliver(messageId);
  expect(await feed()).toMatchObject([{ eventId: `${messageId}_DELIVERED` }]);
  expect((await page(messageId)).events).toMatchObject([{ status: "DELIVERED" }]);
});

it("has a reason of its own: that of an unknown outcome, and of a refusal", async () => {
  answer = { kind: "unknown", reason: "the connection broke" };
  const messageId = await story();
  const told = [
    { status: "SENDING", reason: "OUTCOME_UNKNOWN" },
    { status: "DELIVERED", reason: null },
  ];
  expect(await feed()).toMatchObject(told);
  expect((await page(messageId)).events).toMatchObject(told);
  answer = { kind: "refused", reason: "no such number", optedOut: false };
  const refused = await world.send(client, { phone: ADA });
  await deliver(refused);
  await deliver(refused);
  expect((await feed()).slice(2)).toMatchObject([{ status: "FAILED_TO_SEND", reason: "CARRIER_REFUSED" }]);
  expect((await page(refused)).events).toMatchObject([{ status: "FAILED_TO_SEND", reason: "CARRIER_REFUSED" }]);
});

it("is called back once the client wants callbacks, and an event of before is not", async () => {
  const messageId = await world.send(client, { phone: ADA });
  await deliver(messageId);
  await world.operator("PATCH", `/clients/${client.clientId}`, { callbackUrl: "https://brand.example.com/" });
  world.advance(5);
  await receive(messageId, "DELIVERED");
  await world.runQueues();
  expect(await feed()).toMatchObject([
    { status: "SENDING", callback: null },
    { status: "DELIVERED", callback: { outcome: "answered" } },
  ]);
  expect((await page(messageId)).events).toMatchObject([{ status: "SENDING" }, { status: "DELIVERED" }]);
});
