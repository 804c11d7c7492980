// Each code of `reason`, made to happen, as its client, the callback, the operator and the report tell it.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import type { Reason } from "../../../src/domain/messages/reason.ts";
import type { Report } from "../../../src/domain/operations/report.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

const PHONES = ["0001", "0002", "0003", "0005", "0006", "0007", "0008", "0009", "0010", "0100"].map(toPhone);
const MEDIA = "https://example.com/a.jpg";
const DAY = 24 * 3600;

let world: World;
let client: TestClient;
/** What each callback said of its message's reason. */
let posted: Record<string, Reason | null>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PHONES);
  posted = {};
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    const { status, reason } = JSON.parse(String(init?.body));
    posted[status] = reason;
    return new Response("thanks");
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

function toPhone(lastFour: string): string {
  return `+1212555${lastFour}`;
}

async function statusOf(messageId: string) {
  const { clientId, clientSecret } = client;
  const headers = { "x-client-id": clientId, "x-client-secret": clientSecret };
  return (await world.fetch(`/text/message/status?messageId=${messageId}`, { headers })).json();
}

async function readReasons(): Promise<Partial<Report["total"]["reasons"]>> {
  const answer = await world.operator("GET", "/websites/brand/report?from=2026-11-01&to=2026-11-30");
  const { total } = (await answer.json()) as Report;
  return Object.fromEntries(Object.entries(total.reasons).filter(([, count]) => count > 0));
}

async function expectReason(messageId: string, status: string, reason: Reason | null, detail: unknown): Promise<void> {
  await world.runQueues();
  expect(await statusOf(messageId)).toMatchObject({ messageId, status, reason });
  const seen = await world.operator("GET", `/messages/${messageId}`);
  expect(await seen.json()).toMatchObject({ status, reason, reasonDetail: detail });
  expect(posted[status]).toBe(reason);
  expect(await readReasons()).toEqual(reason === null ? {} : { [reason]: 1 });
}

async function send(lastFour: string, fields: object = {}): Promise<string> {
  const messageId = await world.send(client, { phone: toPhone(lastFour), ...fields });
  await world.runQueues();
  return messageId;
}

function answerWith(submission: Submission): void {
  const carrier = strictCarrier({ ...sandbox, submit: async () => submission });
  world.deps = { ...world.deps, carriers: { ready: { sandbox: carrier }, missing: {} } };
}

describe("a number of the sandbox", () => {
  it.each([
    ["0001", {}, "FAILED_TO_SEND", "CARRIER_REFUSED", "sandbox: refused"],
    ["0002", {}, "FAILED_TO_DELIVERY", "UNDELIVERED", "sandbox: undelivered"],
    ["0005", {}, "SENDING", "OUTCOME_UNKNOWN", "outcome unknown, not sent again: sandbox: unknown outcome"],
    ["0007", { mediaUrl: MEDIA }, "FAILED_TO_SEND", "MEDIA_NOT_SUPPORTED", "sandbox: no media"],
    ["0007", {}, "DELIVERED", null, null],
    ["0008", {}, "FAILED_TO_SEND", "OPTED_OUT", "sandbox: opted out at the carrier"],
    ["0009", {}, "FAILED_TO_SEND", "CARRIER_NOT_SET_UP", "sandbox: as if its carrier were not set up"],
    ["0010", {}, "FAILED_TO_DELIVERY", "NO_RECEIPT", "sandbox: as if no receipt had come"],
    ["0100", {}, "DELIVERED", null, null],
  ] as const)("that ends in %s, with %j, makes %s with %s", async (lastFour, fields, status, reason, detail) => {
    await expectReason(await send(lastFour, fields), status, reason, detail);
  });

  it("that ends in 0006 is never taken: CARRIER_UNAVAILABLE within a minute", async () => {
    const messageId = await send("0006");
    expect(await statusOf(messageId)).toMatchObject({ status: "PENDING_TO_SEND", reason: null });
    for (let second = 0; second < 45; second++) {
      world.advance(1);
      await world.runQueues();
    }
    const detail = "not taken in 40 attempts: sandbox: unavailable";
    await expectReason(messageId, "FAILED_TO_SEND", "CARRIER_UNAVAILABLE", detail);
  });

  it("that ends in 0008 is opted out afterwards", async () => {
    await send("0008");
    const next = await send("0008");
    expect(await statusOf(next)).toMatchObject({ status: "NOT_SUBSCRIBED", reason: null });
  });
});

/** A message may wait for four hours. */
async function passDeadline(): Promise<void> {
  for (let hour = 0; hour < 5; hour++) {
    world.advance(3600);
    await world.runQueues();
    await world.sweep();
  }
}

describe("a message", () => {
  it("that its carrier does not take before the deadline: CARRIER_UNAVAILABLE", async () => {
    answerWith({ kind: "later", reason: "busy", retryAfterSeconds: 3600 });
    const messageId = await send("0100");
    await passDeadline();
    const detail = "the carrier could not take it in time (before: busy)";
    await expectReason(messageId, "FAILED_TO_SEND", "CARRIER_UNAVAILABLE", detail);
  });

  it("whose carrier is not set up until its deadline: CARRIER_NOT_SET_UP", async () => {
    world.deps = { ...world.deps, carriers: { ready: {}, missing: {} } };
    const messageId = await send("0100");
    await passDeadline();
    const detail = "the carrier could not take it in time (before: carrier sandbox is not set up)";
    await expectReason(messageId, "FAILED_TO_SEND", "CARRIER_NOT_SET_UP", detail);
  });

  it("whose number opts out before it is submitted: OPTED_OUT", async () => {
    const messageId = await world.send(client, { phone: toPhone("0100") });
    await world.subscribers("brand", [`${toPhone("0100")},,false`]);
    await expectReason(messageId, "NOT_SUBSCRIBED", "OPTED_OUT", "opted out before it was submitted");
  });

  it("whose receipt says that the person has opted out at the carrier: OPTED_OUT", async () => {
    const messageId = await send("0003");
    const receipt = { messageId, status: "FAILED_TO_DELIVERY", reason: "blocked", carrierMessageId: null };
    await world.deliver("textgate-receipts", [
      { kind: "receipts", carrier: "sandbox", receipts: [{ ...receipt, optedOut: true }] },
    ]);
    await expectReason(messageId, "FAILED_TO_DELIVERY", "OPTED_OUT", "blocked");
  });

  it("without a receipt: NO_RECEIPT; the callback before it has the reason of its own status", async () => {
    const messageId = await world.send(client, { phone: toPhone("0005") });
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    const jobs = world.callbacks.splice(0);
    world.advance(DAY);
    await world.sweep();
    world.callbacks.push(...jobs);
    const before = "outcome unknown, not sent again: sandbox: unknown outcome";
    const detail = `no final receipt came in time (before: ${before})`;
    await expectReason(messageId, "FAILED_TO_DELIVERY", "NO_RECEIPT", detail);
    expect(posted).toEqual({ SENDING: "OUTCOME_UNKNOWN", FAILED_TO_DELIVERY: "NO_RECEIPT" });
  });

  it("whose run was cut off: OUTCOME_UNKNOWN, and none any more once a receipt has come", async () => {
    answerWith({ kind: "accepted", carrierMessageId: "c" });
    const messageId = await world.send(client, { phone: toPhone("0100") });
    const cutOff = "UPDATE messages SET claimed_at = ?1, claim = 'cut off', carrier = 'sandbox' WHERE message_id = ?2";
    await world.rows(cutOff, world.now, messageId);
    await world.pass(40);
    const detail = "outcome unknown, not sent again: the run that submitted it was cut off";
    await expectReason(messageId, "SENDING", "OUTCOME_UNKNOWN", detail);
    const receipt = { messageId, status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: false };
    await world.deliver("textgate-receipts", [{ kind: "receipts", carrier: "sandbox", receipts: [receipt] }]);
    await expectReason(messageId, "DELIVERED", null, null);
  });
});
