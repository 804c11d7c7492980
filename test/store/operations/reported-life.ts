import { beforeEach, expect } from "vitest";
import { type ReportRow, spanOf, splitByDay } from "../../../src/domain/operations/report.ts";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { purgeMessages } from "../../../src/flows/messages/purge-messages.ts";
import { closeDays } from "../../../src/flows/operations/close-days.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { cancelUnconfirmed } from "../../../src/store/messages/cancelled-messages.ts";
import { recordClick } from "../../../src/store/messages/links.ts";
import { countSlices } from "../../../src/store/operations/report-counts.ts";
import { countMessages } from "../../../src/store/operations/reports.ts";
import { failingDatabase } from "../../failing-database.ts";
import { Random } from "../../random.ts";
import { type TestClient, World } from "../../world.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const OURS = "+12125550000";
const EVER = { timeZone: "America/St_Johns", from: "2026-10-01", to: "2027-06-01" };

export let world: World;

const WEBSITES = ["brand", "shop"] as const;
const PARTS = WEBSITES.map((websiteId) => ({ ...spanOf(EVER), websiteId, name: websiteId }));
const DAYS = WEBSITES.flatMap((websiteId) => splitByDay(websiteId, EVER));
const dayOf = new Intl.DateTimeFormat("en-CA", { timeZone: EVER.timeZone });

const countedUntil = async (websiteId: string) =>
  Number((await world.rows("SELECT counted_until FROM websites WHERE website_id = ?1", websiteId))[0]?.counted_until);

type Seen = Omit<ReportRow, "name"> & { websiteId: string; day: string; sendPurpose: string; country: string };

/** What is counted of each message that is stored, as it stands in the tables. */
async function readMessages(): Promise<(Seen & { messageId: string })[]> {
  const rows = await world.rows(
    `SELECT m.*, (SELECT sum(count) FROM clicks c WHERE c.message_id = m.message_id AND is_person = 1) AS clicks,
       (SELECT sum(count) FROM clicks c WHERE c.message_id = m.message_id AND is_person = 0) AS robot_clicks
     FROM messages m WHERE is_reply = 0`,
  );
  return rows.map((row) => ({
    messageId: String(row.message_id),
    websiteId: String(row.website_id),
    day: dayOf.format(Number(row.accepted_at)),
    sendPurpose: String(row.send_purpose),
    country: COUNTRIES[PHONES.indexOf(`+${row.phone}`)] ?? "",
    status: row.status as ReportRow["status"],
    isAhead: row.status === "PENDING_TO_SEND" && Number(row.send_at ?? 0) > world.now,
    isHeld: false,
    messages: 1,
    segments: ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"].includes(String(row.status)) ? Number(row.segments) : 0,
    clicked: row.clicks === null ? 0 : 1,
    clicks: Number(row.clicks ?? 0),
    robotClicks: Number(row.robot_clicks ?? 0),
    optedOut: [1, 3].includes(Number(row.opted_out)) ? 1 : 0,
    reason: row.reason_code as ReportRow["reason"],
  }));
}

const FIGURES = ["messages", "segments", "clicked", "clicks", "robotClicks", "optedOut"] as const;
const PURPOSES = ["spring", "summer"];
const GROUPS = ["day", "purpose", "website", "country", "reason"] as const;

const nameOf = (row: Seen, by: (typeof GROUPS)[number]) =>
  ({ day: row.day, purpose: row.sendPurpose, country: row.country, website: row.websiteId, reason: row.websiteId })[by];

/** By name, status and reason. */
const inOrder = (rows: ReportRow[]) =>
  rows.map((row) => [row.name, row.status, row.reason, ...FIGURES.map((figure) => row[figure])].join(" ")).sort();

/** Every message that was ever accepted and not cancelled, as it was last seen: the report must be its count. */
class Model {
  readonly #seen = new Map<string, Seen>();

  async see(): Promise<void> {
    for (const { messageId, ...row } of await readMessages()) this.#seen.set(messageId, row);
  }

  /** What was pending when its person was erased: who is erased is opted out, and what a run has claimed may go out. */
  end(messageId: string, isClaimed: boolean, segments: number): void {
    const row = this.#seen.get(messageId);
    // No report counts a reply to a keyword.
    if (!row) return;
    const sent = { ...row, status: "SENDING", reason: "OUTCOME_UNKNOWN", segments } as const;
    this.#seen.set(messageId, isClaimed ? sent : { ...row, status: "NOT_SUBSCRIBED", reason: "OPTED_OUT" });
  }

  forget(messageId: string): void {
    this.#seen.delete(messageId);
  }

  /** @param sendPurpose null: any */
  count(by: (typeof GROUPS)[number], sendPurpose: string | null): ReportRow[] {
    const counts = new Map<string, ReportRow>();
    for (const row of this.#seen.values()) {
      if (sendPurpose !== null && row.sendPurpose !== sendPurpose) continue;
      const name = nameOf(row, by);
      const key = [name, row.status, row.reason].join(" ");
      const before = counts.get(key);
      const sums = FIGURES.map((figure) => [figure, (before?.[figure] ?? 0) + row[figure]]);
      counts.set(key, { ...row, name, ...Object.fromEntries(sums) });
    }
    return [...counts.values()];
  }

  get size(): number {
    return this.#seen.size;
  }
}

/** The sandbox delivers most; it refuses, fails, or never reports on numbers with these endings. */
const ENDINGS = ["0100", "0101", "0102", "0103", "0001", "0002", "0003", "0003", "0005", "0199", "0177"];
const BEGINNINGS =
  "+1212555 +1416555 +44770090 +1787555 +1212556 +44770091 +1416556 +1212557 +88161234 +44770092 +1416557";
const COUNTRIES = "US CA GB PR US GB CA US  GB CA".split(" ");
const PHONES = BEGINNINGS.split(" ").map((beginning, index) => `${beginning}${ENDINGS[index]}`);

const ADDRESSES = ["nobody@example.com", ...PHONES.map((phone) => `${phone}@example.com`)];

/** What may befall D1 in the course of a step. */
const BEFALLS = {
  nothing: (db: D1Database) => db,
  /** It takes effect, and says that it has not: so it is run again. */
  "a repetition": (db: D1Database) => failingDatabase(db, 1, "after"),
  /** The run ends before its nth transaction. */
  "a cut": (db: D1Database, calls: number) => {
    let left = calls;
    const batch = (statements: D1PreparedStatement[]) => {
      if (left-- <= 0) throw new Error("D1_ERROR: constraint failed: the run is cut off");
      return db.batch(statements);
    };
    return { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database;
  },
};

class Life {
  readonly #random: Random;
  readonly #clients: TestClient[];
  readonly model = new Model();
  #texts = 0;

  constructor(seed: number, clients: TestClient[]) {
    this.#random = new Random(seed);
    this.#clients = clients;
  }

  async step(): Promise<string> {
    const happens = this.#random.weighted({
      send: 12,
      deliver: 4,
      pass: 3,
      twoSweeps: 1,
      closePart: 5,
      receipt: 4,
      click: 10,
      optOut: 1,
      erase: 1.5,
      cancel: 1,
    });
    const isSwept = happens === "pass" || happens === "twoSweeps";
    const befalls = this.#random.weighted({ nothing: 6, "a repetition": 1, "a cut": isSwept ? 2 : 0 });
    const { deps } = world;
    world.deps = { ...deps, db: BEFALLS[befalls](deps.db, this.#random.between(0, 20)) };
    await this[happens]();
    world.deps = deps;
    return `${happens}, ${befalls}`;
  }

  async send(): Promise<void> {
    await world.send(this.#random.pick(this.#clients), {
      ...(this.#random.chance(0.2) ? { email: this.#random.pick(ADDRESSES) } : { phone: this.#random.pick(PHONES) }),
      sendPurpose: this.#random.pick(PURPOSES),
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

  /** What two sweeps do at the same time. */
  async twoSweeps(): Promise<void> {
    world.advance(this.#random.between(1, 8) * HOUR);
    const { deps, now } = world;
    const count = async () => {
      await closeDays(deps, now, 20);
      await purgeMessages(deps, now - deps.config.retentionMilliseconds, 20);
    };
    await Promise.allSettled([count(), count()]);
  }

  /** A step of the count that ends anywhere in a day, as it does in a day of very many messages. */
  async closePart(): Promise<void> {
    const websiteId = this.#random.pick(WEBSITES);
    const start = await countedUntil(websiteId);
    const uncounted = await world.rows(
      `SELECT accepted_at, status IN ('PENDING_TO_SEND', 'SENDING') AS is_open FROM messages
       WHERE website_id = ?1 AND accepted_at >= ?2 AND accepted_at < ?3 ORDER BY accepted_at`,
      websiteId,
      start,
      world.now,
    );
    const firstOpen = uncounted.find(({ is_open }) => is_open === 1)?.accepted_at ?? world.now;
    const untils = uncounted
      .map(({ accepted_at }) => Number(accepted_at) + 1)
      .filter((until) => until <= Number(firstOpen));
    if (untils.length === 0) return;
    const until = this.#random.pick(untils);
    await countSlices(world.deps.db, [{ websiteId, start, until, isOpen: false }]);
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
    const websiteId = this.#random.pick(WEBSITES);
    const pending = await world.rows(
      "SELECT * FROM messages WHERE website_id = ?1 AND phone = ?2 AND status = 'PENDING_TO_SEND'",
      ...[websiteId, Number(phone.slice(1))],
    );
    await world.operator("DELETE", `/websites/${websiteId}/people/${phone}`);
    for (const { message_id: id, claimed_at: claimedAt, segments } of pending)
      this.model.end(String(id), claimedAt !== null, Number(segments));
    await world.subscribers(websiteId, [this.#random.pick(PHONES)]);
  }

  /** Also of a message that is counted, as a job does that died and was put back. */
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

/** @returns what has happened to how many messages */
export async function expectExact(number: number, steps: number): Promise<Life> {
  const { deps } = world;
  // Two days before the clock of Newfoundland is changed.
  world.now = Date.UTC(2026, 9, 30);
  world.deps = { ...deps, config: { ...deps.config, retentionMilliseconds: 7 * DAY * 1000 } };
  for (const websiteId of WEBSITES) {
    await world.website(websiteId, { carrier: "sandbox", sender: OURS });
    await world.subscribers(
      websiteId,
      PHONES.slice(0, -1).map((phone) => `${phone},${phone}@example.com,true`),
    );
  }
  const life = new Life(number, await Promise.all(WEBSITES.map((websiteId) => world.client(websiteId))));
  const happened: string[] = [];
  for (let step = 0; step < steps; step++) {
    happened.push(await life.step());
    await life.model.see();
    // In turn: what is counted wrong stays so, in all five.
    const by = GROUPS[step % GROUPS.length] as (typeof GROUPS)[number];
    const of = { by, sendPurpose: [null, ...PURPOSES][step % (PURPOSES.length + 1)] ?? null };
    const found = inOrder(await countMessages(world.deps.db, by === "day" ? DAYS : PARTS, of, world.now));
    const [last, counted] = [happened.slice(-3), inOrder(life.model.count(by, of.sendPurpose))];
    expect([step, of, last, found]).toEqual([step, of, last, counted]);
  }
  return life;
}

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
  });
}
