/** How days are closed, and what that costs. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../../src/domain/operations/report.ts";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { closeDays } from "../../../src/flows/operations/close-days.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { countingDatabase } from "../../counting-database.ts";
import { seed } from "../../seed.ts";
import { World } from "../../world.ts";

const OURS = "+12125550000";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

async function report({ from, to } = { from: "2026-11-01", to: "2027-03-01" }) {
  const answer = await world.operator("GET", `/websites/brand/report?from=${from}&to=${to}`);
  return (await answer.json()) as Report;
}

const countedUntil = async () =>
  Number((await world.rows("SELECT counted_until FROM websites WHERE website_id = 'brand'"))[0]?.counted_until);

/** Delivered messages of one day, and people with a few of them each. */
async function seedDay(count: number, { day = 19, bulk = 1 } = {}): Promise<void> {
  await seed(world, "messages", count, {
    message_id: "'m' || i",
    website_id: "'brand'",
    client_id: "''",
    phone: "12125550000 + i % 500",
    text: "'Hello'",
    callback_data: "''",
    send_purpose: "'purpose ' || (i % 3)",
    status: "iif(i % 10 = 0, 'FAILED_TO_DELIVERY', 'DELIVERED')",
    accepted_at: `${Date.UTC(2026, 10, day, 1)} + i / ${bulk} * ${bulk}`,
    updated_at: `${Date.UTC(2026, 10, day, 1)}`,
    due_at: "0",
    carrier: "'sandbox'",
    claimed_at: "1",
    segments: "2",
  });
}

/** @param count of messages that seedDay has stored, erased ones included */
async function expectExact(count: number): Promise<void> {
  const { total } = await report();
  expect({ messages: total.accepted, segments: total.segments }).toEqual({ messages: count, segments: 2 * count });
}

describe("closed days", () => {
  beforeEach(async () => {
    await world.website("brand", { carrier: "sandbox" });
    await world.subscribers("brand", ["+12125550007"]);
  });

  it.each([1, 9000])("are counted in slices, between which people are erased (%i accepted at once)", async (bulk) => {
    await seedDay(20_000, { bulk });
    const untils: number[] = [];
    for (let step = 0; step < 5; step++) {
      await closeDays(world.deps, world.now, 1);
      untils.push(await countedUntil());
      await expectExact(20_000);
      if (step % 2 === 0) {
        await world.operator("DELETE", `/websites/brand/people/+1212555000${step}`);
        await expectExact(20_000);
      }
    }
    await closeDays(world.deps, world.now, 20);
    expect(await countedUntil()).toBe(Date.UTC(2026, 10, 20));
    expect(untils[0]).toBeLessThan(Date.UTC(2026, 10, 20));
    expect(untils[0]).toBeGreaterThan(Date.UTC(2026, 10, 19));
    await expectExact(20_000);
    expect(await world.rows("SELECT sum(messages) AS n FROM report_counts")).toEqual([{ n: 20_000 }]);
  });

  it("write a row for each purpose and status, and none for a message", async () => {
    await seedDay(5000);
    const { db, take } = countingDatabase(world.deps.db);
    await closeDays({ ...world.deps, db }, world.now, 20);
    expect(await world.rows("SELECT count(*) AS n FROM report_counts")).toEqual([{ n: 6 }]);
    expect(await countedUntil()).toBe(Date.UTC(2026, 10, 20));
    // Three purposes, two statuses; and the website's row with its index.
    expect(take().rowsWritten).toBe(6 + 2);
  });

  it("are read from their counters alone, however many messages they had", async () => {
    await seedDay(20_000);
    await world.sweep();
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const { total } = await report({ from: "2026-11-10", to: "2026-11-19" });
    expect(total.accepted).toBe(20_000);
    // Each day is looked up on its own.
    expect(take().rowsRead).toBe(72);
  });

  it("have no message that is not final: such a day stays open, and is closed when it has ended", async () => {
    await seedDay(100);
    await world.rows(
      "UPDATE messages SET status = 'SENDING', due_at = NULL, updated_at = ?1 WHERE message_id = 'm7'",
      world.now,
    );
    await world.sweep();
    expect([await countedUntil(), await world.rows("SELECT * FROM report_counts")]).toEqual([0, []]);
    await expectExact(100);
    await applyReceipts(world.deps, [
      { messageId: "m7", status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: false },
    ]);
    await world.sweep();
    expect(await countedUntil()).toBe(Date.UTC(2026, 10, 20));
    await expectExact(100);
  });

  it("end before a message that waits for a time far ahead, and cost a sweep nothing until then", async () => {
    await seedDay(3000, { day: 18 });
    const accepted = { accepted_at: Date.UTC(2026, 10, 18), updated_at: 0, send_at: world.now + 86_400_000 };
    const text = "'later', 'brand', '', 12125550007, 'Hello', '', 'sale', 'PENDING_TO_SEND'";
    await world.rows(
      `INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status, ${Object.keys(accepted)})
        VALUES (${text}, ${Object.values(accepted)})`,
    );
    await closeDays(world.deps, world.now, 20);
    expect(await countedUntil()).toBe(accepted.accepted_at);
    const { db, take } = countingDatabase(world.deps.db);
    await closeDays({ ...world.deps, db }, world.now, 20);
    expect(take().rowsRead).toBeLessThan(10);
    expect((await report()).total).toMatchObject({ accepted: 3001, scheduled: 1 });
  });

  it("are not closed twice by a transaction that takes effect twice, nor by two sweeps at a time", async () => {
    await seedDay(20_000);
    await Promise.all([1, 2, 3].map(() => closeDays(world.deps, world.now, 20)));
    expect(await world.rows("SELECT sum(messages) AS n FROM report_counts")).toEqual([{ n: 20_000 }]);
    await expectExact(20_000);
  });
});

describe("an opt-out on a day that is counted in part, of a message that is not counted yet", () => {
  it("is in the report once, and still once when the day is closed", async () => {
    await world.website("brand", { carrier: "sandbox", sender: OURS });
    await world.subscribers("brand", ["+12125559999"]);
    await seedDay(9000);
    await world.rows("UPDATE messages SET phone = 12125559999 WHERE message_id = 'm8997'");
    await world.rows(
      "UPDATE messages SET status = 'SENDING', due_at = NULL, updated_at = ?1 WHERE message_id = 'm8998'",
      world.now,
    );
    await world.sweep();
    expect(await countedUntil()).toBeGreaterThan(Date.UTC(2026, 10, 19));
    expect(await countedUntil()).toBeLessThan(Date.UTC(2026, 10, 20));
    const stop = { from: "+12125559999", to: [OURS], text: "STOP", keyword: null, answeredByCarrier: false };
    await receiveInbound(world.deps, "sandbox", { ...stop, carrierMessageId: "in-1" });
    expect((await report()).total.optedOut).toBe(1);
    const receipt = { status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: false } as const;
    await applyReceipts(world.deps, [{ ...receipt, messageId: "m8998" }]);
    await world.sweep();
    expect(await countedUntil()).toBe(Date.UTC(2026, 10, 20));
    expect((await report()).total.optedOut).toBe(1);
  });
});
