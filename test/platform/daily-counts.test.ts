/** Reports from counters: exact at every moment, whatever happens to the messages of open and of closed days. */
import { beforeEach, describe, expect, inject, it } from "vitest";
import { makeReport, type Report, type ReportRow } from "../../src/domain/report.ts";
import { applyReceipts } from "../../src/flows/apply-receipts.ts";
import { closeDays } from "../../src/flows/close-days.ts";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { cancelUnconfirmed } from "../../src/platform/store/cancelled-messages.ts";
import { recordClick } from "../../src/platform/store/links.ts";
import { countMessages } from "../../src/platform/store/reports.ts";
import { countingDatabase } from "../counting-database.ts";
import { Random } from "../random.ts";
import { seed } from "../seed.ts";
import { type TestClient, World } from "../world.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const OURS = "+12125550000";
const EVER = { websiteId: "brand", from: "2026-11-01", to: "2027-03-01" } as const;

let world: World;

beforeEach(async () => {
  world = await World.create();
});

async function report({ from, to } = EVER as { from: string; to: string }) {
  const answer = await world.operator("GET", `/websites/brand/report?from=${from}&to=${to}`);
  return (await answer.json()) as Report;
}

type Seen = Omit<ReportRow, "name"> & { day: string; sendPurpose: string };

/** What is counted of each message that is stored, as it stands in the tables. */
async function readMessages(): Promise<(Seen & { messageId: string })[]> {
  const rows = await world.rows(
    `SELECT m.*, (SELECT sum(count) FROM clicks c WHERE c.message_id = m.message_id AND is_person = 1) AS clicks,
       (SELECT sum(count) FROM clicks c WHERE c.message_id = m.message_id AND is_person = 0) AS robot_clicks
     FROM messages m WHERE website_id = 'brand'`,
  );
  return rows.map((row) => ({
    messageId: String(row.message_id),
    day: new Date(Number(row.accepted_at)).toISOString().slice(0, 10),
    sendPurpose: String(row.send_purpose),
    status: row.status as ReportRow["status"],
    messages: 1,
    segments: ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"].includes(String(row.status)) ? Number(row.segments) : 0,
    clicked: row.clicks === null ? 0 : 1,
    clicks: Number(row.clicks ?? 0),
    robotClicks: Number(row.robot_clicks ?? 0),
    optedOut: Number(row.opted_out),
    reason: row.reason_code as ReportRow["reason"],
  }));
}

/** Every message that was ever accepted and not cancelled, as it was last seen: the report must be its count. */
class Model {
  readonly #seen = new Map<string, Seen>();

  async see(): Promise<void> {
    for (const { messageId, ...row } of await readMessages()) this.#seen.set(messageId, row);
  }

  forget(messageId: string): void {
    this.#seen.delete(messageId);
  }

  report(by: "day" | "purpose" | "reason"): Report {
    const name = (row: Seen) => (by === "day" ? row.day : by === "purpose" ? row.sendPurpose : "");
    return makeReport(
      { ...EVER, by },
      [...this.#seen.values()].map((row) => ({ ...row, name: name(row) })),
    );
  }

  get size(): number {
    return this.#seen.size;
  }
}

/** The sandbox delivers most; it refuses, fails, or never reports on numbers with these endings. */
const ENDINGS = ["0100", "0101", "0102", "0103", "0001", "0002", "0003", "0003", "0005", "0199", "0177"];
const PHONES = ENDINGS.map((ending, index) => `+1${212 + index}555${ending}`);

class Life {
  readonly #random: Random;
  readonly #client: TestClient;
  readonly model = new Model();
  #texts = 0;

  constructor(seed: number, client: TestClient) {
    this.#random = new Random(seed);
    this.#client = client;
  }

  async step(): Promise<string> {
    const happens = this.#random.weighted({
      send: 8,
      deliver: 4,
      pass: 4,
      receipt: 4,
      click: 5,
      optOut: 1,
      erase: 0.5,
      cancel: 1,
    });
    await this[happens]();
    return happens;
  }

  async send(): Promise<void> {
    await world.send(this.#client, {
      ...(this.#random.chance(0.1) ? { email: "nobody@example.com" } : { phone: this.#random.pick(PHONES) }),
      sendPurpose: this.#random.pick(["spring", "summer"]),
      text: "x".repeat(this.#random.between(1, 400)),
      ...(this.#random.chance(0.7) ? { clickUrl: "https://example.com/" } : {}),
    });
    if (this.#random.chance(0.3)) world.jobs.length = 0;
  }

  async deliver(): Promise<void> {
    await world.runQueues();
  }

  /** Time passes, and sweeps come. */
  async pass(): Promise<void> {
    const hours = this.#random.between(4, 24);
    for (let hour = 0; hour < hours; hour++) {
      world.advance(HOUR);
      if (hour % 4 === 0) await world.sweep();
    }
    await world.sweep();
  }

  async receipt(): Promise<void> {
    const messageId = await this.#pick("carrier IS NOT NULL");
    if (!messageId) return;
    const optedOut = this.#random.chance(0.2);
    const status = this.#random.pick(["DELIVERED", "FAILED_TO_DELIVERY", "SENDING"] as const);
    await applyReceipts(world.deps, [{ messageId, status, reason: null, carrierMessageId: null, optedOut }]);
  }

  async click(): Promise<void> {
    const messageId = await this.#pick("click_url IS NOT NULL");
    if (!messageId) return;
    const click = { messageId, clickedAt: world.now, isPerson: this.#random.chance(0.6), clickId: crypto.randomUUID() };
    const times = this.#random.pick([1, 1, 2]);
    for (let time = 0; time < times; time++) await recordClick(world.deps.db, click);
  }

  async optOut(): Promise<void> {
    const from = this.#random.pick(PHONES);
    const about = { from, to: [OURS], keyword: null, answeredByCarrier: false };
    const texts = this.#random.pick([["STOP"], ["STOP", "STOP"], ["STOP", "START"], ["STOP", "START"]]);
    for (const text of texts) {
      await receiveInbound(world.deps, "sandbox", { ...about, text, carrierMessageId: `in-${++this.#texts}` });
    }
  }

  async erase(): Promise<void> {
    const phone = this.#random.pick(PHONES);
    await world.operator("DELETE", `/websites/brand/people/${phone}`);
    await world.subscribers("brand", [this.#random.pick(PHONES)]);
  }

  /** Also of a message of a closed day, as a job does that died and was put back. */
  async cancel(): Promise<void> {
    const messageId = await this.#pick("claimed_at IS NULL AND carrier IS NULL");
    if (!messageId) return;
    await cancelUnconfirmed(world.deps.db, [messageId], world.now);
    this.model.forget(messageId);
  }

  async #pick(condition: string): Promise<string | undefined> {
    const rows = await world.rows(`SELECT message_id FROM messages WHERE ${condition} ORDER BY rowid`);
    return rows.length === 0 ? undefined : String(this.#random.pick(rows).message_id);
  }
}

/** FAULT_SEEDS=3 for the long form. */
const SEEDS = Array.from({ length: inject("faultSeeds") }, (_, index) => inject("faultFromSeed") + index);

describe("a report", () => {
  it.each(SEEDS)("counts every message at every moment (seed %i)", async (number) => {
    const { deps } = world;
    world.deps = { ...deps, config: { ...deps.config, retentionMilliseconds: 7 * DAY * 1000 } };
    await world.website("brand", { carrier: "sandbox", sender: OURS });
    await world.subscribers("brand", PHONES.slice(0, -1));
    const life = new Life(number, await world.client("brand"));
    const happened: string[] = [];
    for (let step = 0; step < 200; step++) {
      happened.push(await life.step());
      await life.model.see();
      for (const by of ["day", step % 2 === 0 ? "purpose" : "reason"] as const) {
        const found = makeReport({ ...EVER, by }, await countMessages(world.deps.db, [{ ...EVER, name: "" }], by));
        expect([step, happened.slice(-3), found]).toEqual([step, happened.slice(-3), life.model.report(by)]);
      }
    }
    // Nothing was left out: days were closed, messages were purged, and closed days were changed.
    const [counts] = await world.rows(
      "SELECT sum(messages) AS messages, sum(clicks) AS clicks, sum(opted_out) AS opted_out FROM daily_counts",
    );
    const [stored] = await world.rows("SELECT count(*) AS messages FROM messages");
    expect(Number(counts?.messages)).toBeGreaterThan(20);
    expect(Number(counts?.clicks)).toBeGreaterThan(3);
    expect(Number(counts?.opted_out)).toBeGreaterThan(0);
    expect(Number(stored?.messages)).toBeLessThan(life.model.size - 5);
  });
});

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
    queued_at: "0",
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

const countedUntil = async () =>
  Number((await world.rows("SELECT counted_until FROM websites WHERE website_id = 'brand'"))[0]?.counted_until);

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
    expect(await world.rows("SELECT sum(messages) AS n FROM daily_counts")).toEqual([{ n: 20_000 }]);
  });

  it("write a row for each purpose and status, and none for a message", async () => {
    await seedDay(5000);
    const { db, take } = countingDatabase(world.deps.db);
    await closeDays({ ...world.deps, db }, world.now, 20);
    expect(await world.rows("SELECT count(*) AS n FROM daily_counts")).toEqual([{ n: 6 }]);
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
    expect(take().rowsRead).toBeLessThan(50);
  });

  it("have no message that is not final: such a day stays open, and is closed when it has ended", async () => {
    await seedDay(100);
    await world.rows("UPDATE messages SET status = 'SENDING', updated_at = ?1 WHERE message_id = 'm7'", world.now);
    await world.sweep();
    expect([await countedUntil(), await world.rows("SELECT * FROM daily_counts")]).toEqual([0, []]);
    await expectExact(100);
    await applyReceipts(world.deps, [
      { messageId: "m7", status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: false },
    ]);
    await world.sweep();
    expect(await countedUntil()).toBe(Date.UTC(2026, 10, 20));
    await expectExact(100);
  });

  it("are not closed twice by a transaction that takes effect twice, nor by two sweeps at a time", async () => {
    await seedDay(20_000);
    await Promise.all([1, 2, 3].map(() => closeDays(world.deps, world.now, 20)));
    expect(await world.rows("SELECT sum(messages) AS n FROM daily_counts")).toEqual([{ n: 20_000 }]);
    await expectExact(20_000);
  });
});

describe("an opt-out on a day that is counted in part, of a message that is not counted yet", () => {
  it("is in the report once, and still once when the day is closed", async () => {
    await world.website("brand", { carrier: "sandbox", sender: OURS });
    await world.subscribers("brand", ["+12125559999"]);
    await seedDay(9000);
    await world.rows("UPDATE messages SET phone = 12125559999 WHERE message_id = 'm8997'");
    await world.rows("UPDATE messages SET status = 'SENDING', updated_at = ?1 WHERE message_id = 'm8998'", world.now);
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
