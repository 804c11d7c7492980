/** The sweep finds each message that is not final: none is lost, or waits for ever. */

import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Carrier, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { cancellationWait, waitForCancellation } from "../../../src/domain/messages/retry-policy.ts";
import { takeOverdue } from "../../../src/store/messages/overdue.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

const PEOPLE = Array.from({ length: 8 }, (_, index) => `+1212555010${index}`);
const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;
const ACCEPTED: Submission = { kind: "accepted", carrierMessageId: "c" };
const LATER: Submission = { kind: "later", reason: "busy", retryAfterSeconds: 10 * MINUTE };

let world: World;
let client: TestClient;
let submission: Submission;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PEOPLE);
  submission = ACCEPTED;
  const submit: Carrier["submit"] = async () => submission;
  world.deps = { ...world.deps, carriers: { ready: { sandbox: strictCarrier({ ...sandbox, submit }) }, missing: {} } };
});

async function submitted(phone = PEOPLE[0]): Promise<string> {
  const messageId = await world.send(client, { phone });
  await world.runQueues();
  return messageId;
}

/** @returns a message whose job is lost */
async function lost(phone = PEOPLE[0]): Promise<string> {
  const messageId = await world.send(client, { phone });
  world.jobs.length = 0;
  return messageId;
}

async function receive(messageId: string, status: string): Promise<void> {
  const receipt = { messageId, status, reason: null, carrierMessageId: null, optedOut: false };
  await world.deliver("textgate-receipts", [{ kind: "receipts", carrier: "sandbox", receipts: [receipt] }]);
}

async function sweepAfter(seconds: number): Promise<void> {
  world.advance(seconds);
  await world.runQueues();
  await world.sweep();
}

const withoutReceipt = async () =>
  ((await (await world.operator("GET", "/health")).json()) as { messages: { withoutReceipt: { count: number } } })
    .messages.withoutReceipt.count;

describe("a message", () => {
  it("without a receipt is ended at its deadline", async () => {
    const messageId = await submitted();
    await sweepAfter(DAY - MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    await sweepAfter(2 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });

  it("whose job is lost gets another a minute later", async () => {
    const messageId = await lost();
    await sweepAfter(MINUTE - 1);
    expect(world.jobs.length).toBe(0);
    await sweepAfter(2);
    await sweepAfter(10 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
  });

  it.each([
    ["submitted", ACCEPTED],
    ["of an unknown outcome", { kind: "unknown", reason: "no answer" }],
  ] as const)("that is %s after a retry is ended at its deadline, too", async (_, then) => {
    submission = LATER;
    const messageId = await submitted();
    await sweepAfter(5 * MINUTE);
    submission = then;
    await sweepAfter(6 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    await sweepAfter(DAY);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });

  it.each([
    ["a receipt says that it was sent", (messageId: string) => receive(messageId, "SENDING")],
    ["its run was cut off", () => sweepAfter(40 * MINUTE)],
  ])("that a run has claimed and not ended is ended once %s", async (_, become) => {
    const messageId = await world.send(client, { phone: PEOPLE[0] });
    const claim = "UPDATE messages SET claimed_at = ?1, claim = 'a run', carrier = 'sandbox', attempts = 1";
    await world.rows(claim, world.now);
    await sweepAfter(5 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    await become(messageId);
    await sweepAfter(40 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    await sweepAfter(DAY);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });
});

it("an unclaimed message waits as long in the sweep as anywhere else for the job that may cancel it", async () => {
  const wait = cancellationWait(60_000);
  const ages = [0, 1, 61, 100, 101, 200, 400, 599, 600, 601, 7200].map((seconds) => seconds * 1000 + 1);
  for (const [index, age] of ages.entries()) {
    const at = world.now - age;
    const fields = `'m${index}', 'w', '', 12125550100, '', '', 'sale', 'PENDING_TO_SEND', ${at}, ${at}, ${at}`;
    await world.rows(`INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status,
      accepted_at, updated_at, due_at) VALUES (${fields})`);
  }
  const found = await takeOverdue(world.deps.db, { dueBefore: world.now, wait, longestWait: DAY * 1000 }, world.now);
  const waits = new Map(found.map(({ messageId, at }) => [messageId, Number(at) - world.now]));
  for (const [index, age] of ages.entries())
    expect(waits.get(`m${index}`)).toBe(Math.floor(waitForCancellation(age, wait)));
});

it("a claim that was cut off is found behind a hundred thousand messages whose jobs are overdue", async () => {
  const messageId = await world.send(client, { phone: PEOPLE[0] });
  await world.rows(
    "UPDATE messages SET claimed_at = ?1, claim = 'a run', carrier = 'sandbox', attempts = 1",
    world.now,
  );
  await world.rows(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status, accepted_at,
       updated_at, due_at) SELECT 'm' || i, 'other', '', 12125550999, '', '', 'sale', 'PENDING_TO_SEND', ?1, ?1, ?1 - 1 FROM n`,
    world.now,
  );
  for (let times = 0; times < 2; times++) {
    world.advance(20 * MINUTE);
    await world.sweep();
    world.jobs.length = 0;
  }
  expect(await world.statusOf(messageId)).toBe("SENDING");
});

describe("the state of the service", () => {
  it("counts a message without a receipt once", async () => {
    const [first] = [await submitted(PEOPLE[0]), await submitted(PEOPLE[1])];
    expect(await withoutReceipt()).toBe(2);
    await sweepAfter(5 * MINUTE);
    await submitted(PEOPLE[2]);
    expect(await withoutReceipt()).toBe(3);
    await receive(first, "DELIVERED");
    expect(await withoutReceipt()).toBe(2);
  });
});

describe("in any order of sends, submissions, receipts and sweeps", () => {
  const steps = fc.array(
    fc.record({
      action: fc.constantFrom("send", "send", "lost", "later", "receipt", "sweep", "sweep", "cancel"),
      seconds: fc.constantFrom(0, 1, 30, 61, 200, 601),
      pick: fc.nat({ max: 7 }),
    }),
    { minLength: 4, maxLength: 16 },
  );

  const remove = (which: string) => world.rows(`DELETE FROM messages WHERE ${which}`);

  it("each message without a final receipt is ended within a day of its submission, and an hour", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        await remove("true");
        const ids: string[] = [];
        for (const { action, seconds, pick } of given) {
          world.advance(seconds);
          submission = action === "later" ? LATER : ACCEPTED;
          const id = ids[pick % Math.max(1, ids.length)];
          if (action === "lost") ids.push(await lost(PEOPLE[pick]));
          if (action === "send" || action === "later") ids.push(await submitted(PEOPLE[pick]));
          if (action === "receipt" && id) await receive(id, pick % 2 === 0 ? "DELIVERED" : "SENDING");
          if (action === "sweep") await world.sweep();
          if (action === "cancel") await remove("rowid = (SELECT rowid FROM messages ORDER BY rowid DESC LIMIT 1)");
        }
        submission = ACCEPTED;
        for (const seconds of [0, 601, HOUR, DAY]) await sweepAfter(seconds);
        expect(await world.rows("SELECT * FROM messages WHERE status IN ('SENDING', 'PENDING_TO_SEND')")).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});
