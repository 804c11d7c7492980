/** The sweep looks at each message once, and watches those that are not final by then: none of them is lost, or waits for ever. */

import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Carrier, Submission } from "../../src/platform/carriers/carrier.ts";
import { sandbox } from "../../src/platform/carriers/sandbox.ts";
import { cancelUnconfirmed } from "../../src/platform/store/cancelled-messages.ts";
import { erasePerson } from "../../src/platform/store/erasure.ts";
import { deleteRows } from "../../src/platform/store/move-rows.ts";
import { removeMessages } from "../../src/platform/store/retention.ts";
import { lowerSeen } from "../../src/platform/store/watched.ts";
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

const isWatched = async (messageId: string) =>
  (await world.rows("SELECT watched FROM messages WHERE message_id = ?1", messageId))[0]?.watched === 1;
const withoutReceipt = async () =>
  ((await (await world.operator("GET", "/health")).json()) as { messages: { withoutReceipt: { count: number } } })
    .messages.withoutReceipt.count;

describe("a message", () => {
  it("with a receipt within a minute is never watched", async () => {
    const messageId = await submitted();
    await sweepAfter(MINUTE - 1);
    await receive(messageId, "DELIVERED");
    await sweepAfter(5 * MINUTE);
    expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["DELIVERED", false]);
  });

  it("without one is watched then, and ended at its deadline", async () => {
    const messageId = await submitted();
    await sweepAfter(MINUTE - 1);
    expect(await isWatched(messageId)).toBe(false);
    await sweepAfter(MINUTE);
    expect(await isWatched(messageId)).toBe(true);
    await sweepAfter(DAY - 3 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    await sweepAfter(2 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });

  it("costs the sweep two rows written more when it is watched", async () => {
    // Of a new client, another job writes something down.
    for (let sweeps = 0; sweeps < 3; sweeps++) await sweepAfter(MINUTE);
    await submitted();
    await sweepAfter(MINUTE - 1);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const written = async () => {
      await sweepAfter(MINUTE);
      return take().rowsWritten;
    };
    // The others are that of the sweep itself, and how far it has looked: at its events, too, in the first.
    expect([await written(), await written(), await written()]).toEqual([5, 2, 1]);
  });

  it("whose job is lost is watched then, and gets another", async () => {
    const messageId = await lost();
    await sweepAfter(MINUTE - 1);
    expect([world.jobs.length, await isWatched(messageId)]).toEqual([0, false]);
    await sweepAfter(2);
    await sweepAfter(10 * MINUTE);
    expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["SENDING", true]);
  });

  it("that waits for a retry is watched at once", async () => {
    submission = LATER;
    expect(await isWatched(await submitted())).toBe(true);
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
  ])("that was claimed when the sweep looked stays watched once %s", async (_, become) => {
    const messageId = await world.send(client, { phone: PEOPLE[0] });
    const claim = "UPDATE messages SET claimed_at = ?1, claim = 'a run', carrier = 'sandbox', attempts = 1";
    await world.rows(claim, world.now);
    await sweepAfter(5 * MINUTE);
    expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["PENDING_TO_SEND", true]);
    await become(messageId);
    await sweepAfter(40 * MINUTE);
    expect([await world.statusOf(messageId), await isWatched(messageId)]).toEqual(["SENDING", true]);
  });
});

/** A website on the move. @param ?1 see STATE */
const MOVING =
  "INSERT INTO moving (home, website_id, id_part, state, run, turn) VALUES (900, 'brand', '7000900', ?1, 1, 0)";

describe("a message that has the rowid of one that is gone", () => {
  const brand = "brand";
  it.each<[string, (messageId: string) => Promise<unknown>]>([
    ["cancelled", (messageId) => cancelUnconfirmed(world.deps.db, [messageId], world.now)],
    ["purged", (messageId) => removeMessages(world.deps.db, [{ messageId, websiteId: brand }])],
    ["erased", () => erasePerson(world.deps.db, brand, Number(PEOPLE[1]), "a mark")],
    [
      "cleared after a move",
      async (messageId) => {
        await world.rows(MOVING, 3);
        const turn = { home: 900, startedAt: 1, state: 3, turn: 0 } as const;
        await deleteRows(world.deps.db, { messages: [{ message_id: messageId }] }, turn);
      },
    ],
  ])("is looked at, too: the other was %s", async (_, remove) => {
    await submitted();
    const gone = await lost(PEOPLE[1]);
    const rowidOf = async (messageId: string) =>
      (await world.rows("SELECT rowid FROM messages WHERE message_id = ?1", messageId))[0]?.rowid;
    const rowid = await rowidOf(gone);
    expect(rowid).toBeDefined();
    await sweepAfter(5 * MINUTE);
    await remove(gone);
    expect(await rowidOf(gone)).toBeUndefined();
    world.jobs.length = 0;
    const messageId = await lost();
    expect([await rowidOf(messageId), await isWatched(messageId)]).toEqual([rowid, false]);
    await sweepAfter(2 * MINUTE);
    expect(await isWatched(messageId)).toBe(true);
  });
});

describe("beside a website on the move", () => {
  const OTHER = "+12125550190";
  let ids: [ofBrand: string, ofOther: string];
  const areWatched = () => Promise.all(ids.map(isWatched));

  beforeEach(async () => {
    await world.operator("PUT", "/websites/other", { name: "Other", carrier: "sandbox" });
    await world.subscribers("other", [OTHER]);
    const other = await world.client("other");
    const ofBrand = await submitted();
    ids = [ofBrand, await world.send(other, { phone: OTHER })];
    await world.runQueues();
  });

  it.each([1, 2, 3])("all are watched, whatever it is there: %i", async (state) => {
    await world.rows(MOVING, state);
    await sweepAfter(5 * MINUTE);
    expect(await areWatched()).toEqual([true, true]);
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

describe("in any order of sends, submissions, receipts and sweeps", () => {
  const steps = fc.array(
    fc.record({
      action: fc.constantFrom("send", "send", "lost", "later", "receipt", "sweep", "sweep", "cancel"),
      seconds: fc.constantFrom(0, 1, 30, 61, 200, 601),
      pick: fc.nat({ max: 7 }),
    }),
    { minLength: 4, maxLength: 16 },
  );

  const remove = async (which: string) => {
    await world.rows(`DELETE FROM messages WHERE ${which}`);
    await lowerSeen(world.deps.db).run();
  };

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
          // The rowid of the last may be given again.
          if (action === "cancel") await remove("rowid = (SELECT rowid FROM messages ORDER BY rowid DESC LIMIT 1)");
        }
        submission = ACCEPTED;
        for (const seconds of [0, 601, HOUR, DAY]) await sweepAfter(seconds);
        expect(await world.rows("SELECT * FROM messages WHERE status IN ('SENDING', 'PENDING_TO_SEND')")).toEqual([]);
      }),
      { numRuns: 25 },
    );
  }, 30_000);
});
