/** What one look at a message tells: each submission with its outcome and cause, its segments, names, and callbacks. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import type { MessageAnswers } from "../../../src/operator/answers/messages.ts";
import { KEPT_SUBMISSIONS } from "../../../src/store/messages/submissions.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BEA = "+12125550101";
const MINUTE = 60;

let world: World;
let client: TestClient;
let submit: () => Submission;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BEA]);
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  const carrier = strictCarrier({ ...sandbox, submit: async () => submit() });
  world.deps = { ...world.deps, carriers: { ready: { sandbox: carrier }, missing: {} } };
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("broken", { status: 500 }));
});

afterEach(() => {
  vi.restoreAllMocks();
});

const look = async (messageId: string) =>
  (await world.operator("GET", `/messages/${messageId}`)).json() as Promise<MessageAnswers["OperatorMessage"]>;

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 12) + seconds * 1000).toISOString();

/** Delivers what is due now, in a run of its own. */
async function runAt(seconds: number, answer: Submission): Promise<void> {
  world.now = Date.parse(at(seconds));
  submit = () => answer;
  await world.runQueues();
}

describe("the submissions of a message", () => {
  it("that was accepted at once are one, which no row was written for", async () => {
    const messageId = await world.send(client, { phone: ADA });
    await runAt(2, { kind: "accepted", carrierMessageId: "c" });
    expect((await look(messageId)).submissions).toEqual([{ at: at(2), attempt: 1, outcome: "accepted", reason: null }]);
    expect(await world.rows("SELECT submissions FROM messages")).toEqual([{ submissions: null }]);
  });

  it("have their outcomes and causes, in order", async () => {
    const messageId = await world.send(client, { phone: ADA });
    await runAt(0, { kind: "later", reason: "HTTP 429: slow down", retryAfterSeconds: 60 });
    await runAt(MINUTE, { kind: "later", reason: "HTTP 401: who are you", unauthorized: true, retryAfterSeconds: 60 });
    await runAt(2 * MINUTE, { kind: "accepted", carrierMessageId: "c" });
    const { submissions, events } = await look(messageId);
    expect(submissions).toEqual([
      { at: at(0), attempt: 1, outcome: "later", reason: "HTTP 429: slow down" },
      { at: at(MINUTE), attempt: 2, outcome: "unauthorized", reason: "HTTP 401: who are you" },
      { at: at(2 * MINUTE), attempt: 3, outcome: "accepted", reason: null },
    ]);
    expect(events).toMatchObject([{ status: "SENDING", reason: null }]);
  });

  it.each<[Submission, string, string]>([
    [{ kind: "refused", reason: "no such number" }, "CARRIER_REFUSED", "no such number"],
    [{ kind: "unknown", reason: "connection lost" }, "OUTCOME_UNKNOWN", "connection lost"],
  ])("end with %o, whose event has the reason %s", async (answer, code, reason) => {
    const messageId = await world.send(client, { phone: ADA });
    await runAt(0, answer);
    const { submissions, events } = await look(messageId);
    expect(submissions).toEqual([{ at: at(0), attempt: 1, outcome: answer.kind, reason }]);
    expect(events).toMatchObject([{ reason: code }]);
  });

  it("keep the first cause beside an open circuit breaker, each pause once", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const away: Submission = { kind: "later", reason: "connection refused", failing: "carrier", retryAfterSeconds: 60 };
    await runAt(0, away);
    for (const phone of [BEA, BEA]) await world.send(client, { phone });
    await runAt(1, away);
    const lateId = await world.send(client, { phone: BEA });
    await runAt(2, away);
    await runAt(20, { ...away, reason: "no connection within 5 s" });
    const late = await look(lateId);
    const words = "sandbox keeps failing: its circuit breaker is open (connection refused)";
    expect(late).toMatchObject({ attempts: 0, reasonDetail: words, waits: { because: words } });
    expect(late.submissions).toEqual([{ at: at(2), attempt: null, outcome: "skipped", reason: words }]);
    await runAt(61, { ...away, reason: "no connection within 5 s" });
    await runAt(5 * MINUTE, { kind: "accepted", carrierMessageId: "c" });
    const first = (await look(messageId)).submissions;
    expect(first[0]).toEqual({ at: at(0), attempt: 1, outcome: "later", reason: "connection refused" });
    expect(first.at(-1)).toMatchObject({ outcome: "accepted", at: at(5 * MINUTE) });
  });

  it("are the first and the latest of very many", async () => {
    const messageId = await world.send(client, { phone: ADA });
    for (let attempt = 0; attempt < KEPT_SUBMISSIONS + 5; attempt++)
      await runAt(attempt * MINUTE, { kind: "later", reason: `busy ${attempt}`, retryAfterSeconds: MINUTE });
    const { submissions, attempts } = await look(messageId);
    expect(attempts).toBe(KEPT_SUBMISSIONS + 5);
    expect(submissions.map(({ attempt }) => attempt)).toEqual([
      1,
      ...Array.from({ length: KEPT_SUBMISSIONS - 1 }, (_, index) => index + 7),
    ]);
  });

  it("are in the log with their cause, and without the number or the text", async () => {
    await world.send(client, { phone: ADA, text: "Your code is 4711" });
    await runAt(0, { kind: "refused", reason: `bad body "Your code is 4711" to ${ADA}` });
    const line = world.logs.map((it) => JSON.parse(it)).find(({ event }) => event === "message.submitted");
    expect(line).toMatchObject({ outcome: "refused", error: 'bad body "…" to +…00' });
  });
});

describe("a message", () => {
  it("names its website and its client, and has its segments", async () => {
    await world.operator("PUT", "/websites/brand", { name: "The Brand" });
    world.advance(2);
    await world.operator("PATCH", `/clients/${client.clientId}`, { name: "The platform" });
    const messageId = await world.send(client, { phone: ADA });
    const seen = await look(messageId);
    expect(seen).toMatchObject({ websiteName: "The Brand", clientName: "The platform", segments: 1 });
    await world.rows("UPDATE messages SET client_id = ''");
    expect(await look(messageId)).toMatchObject({ websiteName: "The Brand", clientName: null });
  });
});
