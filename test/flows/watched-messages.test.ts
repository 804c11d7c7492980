/** The sweep looks at each message once, and watches those that have no final receipt by then: none of them waits for ever. */

import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Carrier, Submission } from "../../src/platform/carriers/carrier.ts";
import { sandbox } from "../../src/platform/carriers/sandbox.ts";
import { countingDatabase } from "../counting-database.ts";
import { strictCarrier } from "../strict/bindings.ts";
import { type TestClient, World } from "../world.ts";

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

async function receive(messageId: string, status: string): Promise<void> {
  const receipt = { messageId, status, reason: null, carrierMessageId: null, optedOut: false };
  await world.deliver("textgate-receipts", [{ kind: "receipts", carrier: "sandbox", receipts: [receipt] }]);
}

async function sweepAfter(seconds: number): Promise<void> {
  world.advance(seconds);
  await world.runQueues();
  await world.sweep();
}

/** An older version has swept. */
async function olderSweep(): Promise<void> {
  world.advance(1);
  await world.rows("UPDATE last_sweep SET ended_at = ?1", world.now);
}

const isWatched = async (messageId: string) =>
  (await world.rows("SELECT watched FROM messages WHERE message_id = ?1", messageId))[0]?.watched === 1;
const withoutReceipt = async () =>
  ((await (await world.operator("GET", "/health")).json()) as { messages: { withoutReceipt: { count: number } } })
    .messages.withoutReceipt.count;

describe("a message", () => {
  it("with a receipt within three minutes is never watched", async () => {
    const messageId = await submitted();
    await sweepAfter(2 * MINUTE);
    await receive(messageId, "DELIVERED");
    await sweepAfter(5 * MINUTE);
    expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["DELIVERED", false]);
  });

  it("without one is watched then, and ended at its deadline", async () => {
    const messageId = await submitted();
    await sweepAfter(2 * MINUTE);
    expect(await isWatched(messageId)).toBe(false);
    await sweepAfter(2 * MINUTE);
    expect(await isWatched(messageId)).toBe(true);
    await sweepAfter(DAY - 5 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    await sweepAfter(MINUTE);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });

  it("costs the sweep two rows written more when it is watched", async () => {
    await submitted();
    await sweepAfter(2 * MINUTE);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const written = async () => {
      await sweepAfter(MINUTE);
      return take().rowsWritten;
    };
    // The others are that of the sweep itself, and how far it has looked.
    expect([await written(), await written(), await written()]).toEqual([4, 2, 1]);
  });

  it.each([
    ["submitted", ACCEPTED],
    ["of an unknown outcome", { kind: "unknown", reason: "no answer" }],
  ] as const)("that is %s after that look is watched, too", async (_, then) => {
    submission = LATER;
    const messageId = await submitted();
    await sweepAfter(5 * MINUTE);
    submission = then;
    await sweepAfter(6 * MINUTE);
    expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["SENDING", true]);
    await sweepAfter(DAY);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });

  it.each([
    ["a receipt says that it was sent", (messageId: string) => receive(messageId, "SENDING")],
    ["its run was cut off", () => sweepAfter(40 * MINUTE)],
  ])("that was claimed when the sweep looked is watched once %s", async (_, become) => {
    const messageId = await world.send(client, { phone: PEOPLE[0] });
    const claim = "UPDATE messages SET claimed_at = ?1, claim = 'a run', carrier = 'sandbox', attempts = 1";
    await world.rows(claim, world.now);
    await sweepAfter(5 * MINUTE);
    expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["PENDING_TO_SEND", false]);
    await become(messageId);
    await sweepAfter(40 * MINUTE);
    expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["SENDING", true]);
  });
});

it("costs no row when messages of before are gone, and their rowids are given again", async () => {
  const gone = [await submitted(PEOPLE[0]), await submitted(PEOPLE[1])];
  for (const messageId of gone) await receive(messageId, "DELIVERED");
  await sweepAfter(5 * MINUTE);
  await world.rows("DELETE FROM messages");
  await sweepAfter(MINUTE);
  const messageId = await submitted();
  expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["SENDING", false]);
  await sweepAfter(5 * MINUTE);
  expect(await isWatched(messageId)).toBe(true);
});

describe("what an older version has made SENDING", () => {
  /** It does not know the column. */
  const olderVersion = async (messageId: string) => {
    await world.rows("UPDATE messages SET watched = NULL WHERE message_id = ?1", messageId);
    expect(await isWatched(messageId)).toBe(false);
  };

  it("is found by the next sweep, once the older one has swept", async () => {
    const messageId = await submitted();
    await sweepAfter(5 * MINUTE);
    await olderVersion(messageId);
    await sweepAfter(MINUTE);
    expect(await isWatched(messageId)).toBe(false);
    await olderSweep();
    await sweepAfter(MINUTE);
    expect(await isWatched(messageId)).toBe(true);
  });

  it("is found an hour later, when a job of it ended after this version had swept", async () => {
    const messageId = await submitted();
    await sweepAfter(5 * MINUTE);
    await olderSweep();
    await sweepAfter(MINUTE);
    await olderVersion(messageId);
    await sweepAfter(58 * MINUTE);
    expect(await isWatched(messageId)).toBe(false);
    await sweepAfter(2 * MINUTE);
    expect(await isWatched(messageId)).toBe(true);
    await olderVersion(messageId);
    await sweepAfter(2 * HOUR);
    expect(await isWatched(messageId)).toBe(false);
  });
});

describe("a website on the move", () => {
  it.each([1, 3])("holds up the look, and nothing is missed afterwards: state %d", async (state) => {
    const messageId = await submitted();
    const move =
      "INSERT INTO moving (home, website_id, id_part, state, turn, progress) VALUES (900, 'other', '7000900', ?1, 0, 'null')";
    await world.rows(move, state);
    await sweepAfter(5 * MINUTE);
    expect(await isWatched(messageId)).toBe(false);
    await world.rows("DELETE FROM moving");
    await sweepAfter(MINUTE);
    expect(await isWatched(messageId)).toBe(true);
  });
});

describe("the state of the service", () => {
  it("counts a message without a receipt once, watched or not", async () => {
    const [first] = [await submitted(PEOPLE[0]), await submitted(PEOPLE[1])];
    expect(await withoutReceipt()).toBe(2);
    await sweepAfter(5 * MINUTE);
    await submitted(PEOPLE[2]);
    expect(await withoutReceipt()).toBe(3);
    await receive(first, "DELIVERED");
    expect(await withoutReceipt()).toBe(2);
  });
});

describe("in any order of sends, submissions, receipts and sweeps, of this version and an older one", () => {
  const steps = fc.array(
    fc.record({
      action: fc.constantFrom("send", "send", "later", "receipt", "sweep", "sweep", "older", "cancel"),
      seconds: fc.constantFrom(0, 1, 30, 61, 200, 601),
      pick: fc.nat({ max: 7 }),
    }),
    { minLength: 4, maxLength: 16 },
  );

  it("each message without a final receipt is ended within a day of its submission, and an hour", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        await world.rows("DELETE FROM messages");
        const ids: string[] = [];
        for (const { action, seconds, pick } of given) {
          world.advance(seconds);
          submission = action === "later" ? LATER : ACCEPTED;
          const id = ids[pick % Math.max(1, ids.length)];
          if (action === "send" || action === "later") ids.push(await submitted(PEOPLE[pick]));
          if (action === "receipt" && id) await receive(id, pick % 2 === 0 ? "DELIVERED" : "SENDING");
          if (action === "sweep") await world.sweep();
          if (action === "older") {
            await world.rows("UPDATE messages SET watched = NULL WHERE watched = 1");
            await olderSweep();
          }
          // The rowid of the last may be given again.
          if (action === "cancel")
            await world.rows("DELETE FROM messages WHERE rowid = (SELECT max(rowid) FROM messages)");
        }
        submission = ACCEPTED;
        for (const seconds of [0, 601, HOUR, DAY]) await sweepAfter(seconds);
        expect(await world.rows("SELECT * FROM messages WHERE status IN ('SENDING', 'PENDING_TO_SEND')")).toEqual([]);
      }),
      { numRuns: 25 },
    );
  }, 30_000);
});
