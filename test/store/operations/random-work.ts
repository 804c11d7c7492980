import type { SubmissionRecord } from "../../../src/domain/messages/job.ts";
import type { Reason } from "../../../src/domain/messages/reason.ts";
import type { Send } from "../../../src/domain/messages/send.ts";
import { purgeMessages } from "../../../src/flows/messages/purge-messages.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { storeMessages } from "../../../src/store/messages/bulk-messages.ts";
import { cancelUnconfirmed } from "../../../src/store/messages/cancelled-messages.ts";
import { type Outcomes, recordAndClaim } from "../../../src/store/messages/claims.ts";
import { recordClick } from "../../../src/store/messages/links.ts";
import { changeStatus } from "../../../src/store/messages/messages.ts";
import { recordReceipts } from "../../../src/store/messages/receipts.ts";
import { storeSends } from "../../../src/store/messages/sends.ts";
import { countStep } from "../../../src/store/operations/count-ledgers.ts";
import { Random } from "../../random.ts";
import { runningTwice } from "../../running-twice.ts";
import { SEND, type World } from "../../world.ts";

export const WEBSITES = ["brand", "other"];
const OURS = "+12125550000";
const PEOPLE = Array.from({ length: 6 }, (_, index) => 12125550100 + index);

export type Row = Record<string, unknown>;

/** What an erasure has deleted, as it was then. */
export interface Erased {
  messages: Row[];
  changes: Row[];
  clicked: Row[];
  gone: Row[];
}

/** The texts that a carrier has taken, with the time at which it first said so. @param condition on a message `m` */
export function readGone(world: World, condition = "true"): Promise<Row[]> {
  return world.rows(`SELECT m.message_id, m.website_id, m.send_purpose, min(e.occurred_at) AS at FROM messages m JOIN events e USING (message_id)
    WHERE NOT m.is_reply AND e.event IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') AND ${condition} GROUP BY 1`);
}

/** Random work on two websites: everything comes twice, late and out of order, and is counted in steps of some rows in between. */
export class RandomWork {
  readonly erased: Erased = { messages: [], changes: [], clicked: [], gone: [] };
  readonly #world: World;
  readonly #random: Random;
  readonly #ids: string[] = [];
  readonly #claims: { claim: string; ids: string[] }[] = [];
  #made = 0;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#random = new Random(seed);
    world.deps = { ...world.deps, db: runningTwice(world.deps.db, () => this.#random.chance(0.4)) };
  }

  get #db(): D1Database {
    return this.#world.deps.db;
  }

  async begin(): Promise<void> {
    for (const websiteId of WEBSITES) {
      await this.#world.website(websiteId, { carrier: "sandbox", ...(websiteId === "brand" ? { sender: OURS } : {}) });
      await this.#world.subscribers(
        websiteId,
        PEOPLE.slice(0, 4).map((phone) => `+${phone}`),
      );
    }
  }

  async step(): Promise<void> {
    const some: [number, () => Promise<unknown>][] = [
      ...([
        [6, this.send],
        [4, this.claim],
        [4, this.outcomes],
        [4, this.receipts],
        [2, this.end],
      ] as const),
      ...([
        [1, this.cancel],
        [1, this.text],
        [2, this.click],
        [1, this.erase],
        [1, this.purge],
        [3, this.count],
      ] as const),
    ].map(([weight, work]) => [weight, work.bind(this)]);
    await this.#random.pick(some.flatMap(([weight, work]) => Array.from({ length: weight }, () => work)))();
    this.#world.advance(this.#random.chance(0.05) ? this.#random.between(1, 40_000) : this.#random.between(0, 30));
  }

  #some(most = 8): string[] {
    if (this.#ids.length === 0) return [];
    return [...new Set(Array.from({ length: this.#random.between(1, most) }, () => this.#random.pick(this.#ids)))];
  }

  #message(websiteId: string) {
    const messageId = `00000000-0000-4000-8000-${String(this.#made++).padStart(12, "0")}`;
    this.#ids.push(messageId);
    const byAddress = this.#random.chance(0.1);
    const absent = { mediaUrl: null, clickUrl: null, linkCode: null, dedupeHash: null };
    const to = byAddress
      ? { phone: null, email: "nobody@example.com" }
      : { phone: this.#random.pick(PEOPLE), email: null };
    const sendPurpose = this.#random.pick(["spring", "winter sale"]);
    const content = { ...SEND, ...absent, sendPurpose, encoding: "GSM-7" as const, segments: 1 };
    return { ...content, ...to, messageId, websiteId, clientId: "c", acceptedAt: this.#world.now };
  }

  async send(): Promise<void> {
    const websiteId = this.#random.pick(WEBSITES);
    const messages = Array.from({ length: this.#random.between(1, 6) }, () => this.#message(websiteId));
    if (this.#random.chance(0.5)) {
      const acceptedAt = this.#world.now;
      const none = { part: null, duplicatesUntil: null, isLimited: false };
      await storeMessages(this.#db, { websiteId, clientId: "c", acceptedAt, ...none }, messages);
    } else {
      const sends = messages.map((message): Send => ({ message, key: null, duplicatesUntil: null, database: "DB" }));
      await storeSends(this.#db, this.#world.now, sends);
      // A late repetition of the whole request.
      if (this.#random.chance(0.3)) await storeSends(this.#db, this.#world.now, sends);
    }
  }

  async claim(): Promise<void> {
    const next = { ids: this.#some(12), claim: `claim-${this.#made++}`, acceptedAfter: 0 };
    await recordAndClaim(this.#db, null, next, this.#world.now);
    this.#claims.push(next);
  }

  async outcomes(): Promise<void> {
    if (this.#claims.length === 0) return;
    const { claim, ids } = this.#random.pick(this.#claims);
    const outcomes: Outcomes = {
      ...{ claim, records: ids.map((messageId) => this.#record(messageId)), longestWait: 14_400_000 },
      ...{ counts: [], breakers: [] },
    };
    const next = { ids: this.#some(), claim: `claim-${this.#made++}`, acceptedAfter: 0 };
    const goesOn = this.#random.chance(0.5);
    await recordAndClaim(this.#db, outcomes, goesOn ? next : null, this.#world.now);
    if (goesOn) this.#claims.push(next);
  }

  #record(messageId: string): SubmissionRecord {
    const status = this.#random.pick(["SENDING", "SENDING", "FAILED_TO_SEND", null] as const);
    const refusals = ["CARRIER_REFUSED", "OPTED_OUT", "EXPIRED", null] as const;
    const code: Reason | null =
      status === "FAILED_TO_SEND"
        ? this.#random.pick(refusals)
        : status === "SENDING" && this.#random.chance(0.2)
          ? "OUTCOME_UNKNOWN"
          : null;
    const receipt = { messageId, status: "DELIVERED" as const, reason: null, carrierMessageId: null, optedOut: false };
    return {
      ...{ messageId, status, reason: status === null ? "busy" : null, code, carrierMessageId: null },
      ...{ retryAt: status === null ? this.#world.now : null, optedOut: false, attempted: true, entry: null },
      receipt: status === "SENDING" && this.#random.chance(0.3) ? receipt : null,
    };
  }

  async receipts(): Promise<void> {
    const receipts = this.#some(10).map((messageId) => ({
      ...{ messageId, reason: null, carrierMessageId: null, optedOut: false },
      status: this.#random.pick(["SENDING", "DELIVERED", "DELIVERED", "FAILED_TO_DELIVERY"] as const),
    }));
    if (receipts.length > 0) await recordReceipts(this.#db, receipts, this.#world.now);
  }

  async end(): Promise<void> {
    const status = this.#random.pick(["FAILED_TO_SEND", "FAILED_TO_DELIVERY", "SENDING"] as const);
    const onlyUnclaimed = status === "FAILED_TO_SEND";
    const code = onlyUnclaimed ? "CANCELLED" : status === "SENDING" ? "OUTCOME_UNKNOWN" : "NO_RECEIPT";
    const [ids, now] = [this.#some(), this.#world.now];
    await changeStatus(this.#db, { ids, status, code, reason: "ended", now, onlyUnclaimed });
  }

  async cancel(): Promise<void> {
    // The latest messages, whose rowids the next messages get again.
    const ids = this.#random.chance(0.5) ? this.#ids.slice(-2) : this.#some(2);
    await cancelUnconfirmed(this.#db, ids, this.#world.now);
  }

  /** A keyword, and its reply. */
  async text(): Promise<void> {
    const text = this.#random.pick(["STOP", "START", "HELP"]);
    const about = { from: `+${this.#random.pick(PEOPLE)}`, to: [OURS], keyword: null, answeredByCarrier: false };
    const inbound = { ...about, text, carrierMessageId: `in-${this.#made++}` };
    await this.#world.invoke("fetch", () => receiveInbound(this.#world.deps, "sandbox", inbound));
    await this.#world.afterAnswer();
  }

  async click(): Promise<void> {
    const click = { messageId: this.#some()[0] ?? "", clickId: `k${this.#made++}`, clickedAt: this.#world.now };
    await recordClick(this.#db, { ...click, isPerson: this.#random.chance(0.7) });
  }

  /** What is left of the person's messages, and then nothing. */
  async erase(): Promise<void> {
    const phone = this.#random.pick(PEOPLE);
    const of = "WHERE website_id = 'brand' AND phone = ?1";
    const messages = await this.#world.rows(`SELECT * FROM messages ${of}`, phone);
    const clicked = await this.#world.rows(
      `SELECT DISTINCT m.website_id, m.accepted_at, m.send_purpose FROM clicks c JOIN messages m USING (message_id) ${of} AND c.is_person = 1`,
      phone,
    );
    this.erased.messages.push(...messages.map(asErased));
    const ends = messages.filter((row) => row.status === "PENDING_TO_SEND" && asErased(row).status === "SENDING");
    this.erased.gone.push(...(await readGone(this.#world, `m.website_id = 'brand' AND m.phone = ${phone}`)));
    this.erased.gone.push(...ends.filter((row) => !row.is_reply).map((row) => ({ ...row, at: this.#world.now })));
    this.erased.clicked.push(...clicked);
    this.erased.changes.push(...(await this.#world.rows(`SELECT * FROM subscription_changes ${of}`, phone)));
    const subscribed = await this.#world.rows(`SELECT * FROM subscriptions ${of} AND subscribed = 1`, phone);
    const parted = { website_id: "brand", was_subscribed: 1, subscribed: 0, changed_at: this.#world.now };
    if (subscribed.length > 0) this.erased.changes.push(parted);
    await this.#world.operator("DELETE", `/websites/brand/people/+${phone}`);
  }

  /** All that are final: none is too young. */
  async purge(): Promise<void> {
    if (!this.#random.chance(0.3)) return;
    const before = await this.#world.rows("SELECT * FROM messages");
    const clicked = await this.#world.rows(
      "SELECT DISTINCT message_id, m.website_id, m.accepted_at, m.send_purpose FROM clicks c JOIN messages m USING (message_id) WHERE c.is_person = 1",
    );
    const gone = await readGone(this.#world);
    await purgeMessages(this.#world.deps, this.#world.now, 5);
    const left = new Set((await this.#world.rows("SELECT message_id FROM messages")).map((row) => row.message_id));
    const isGone = (row: Row) => !left.has(String(row.message_id));
    this.erased.messages.push(...before.filter(isGone));
    this.erased.clicked.push(...clicked.filter(isGone));
    this.erased.gone.push(...gone.filter(isGone));
  }

  /** One sweep counts some rows, or two at a time. */
  async count(): Promise<void> {
    const step = () => countStep(this.#db, this.#world.now, this.#random.between(1, 20));
    await Promise.all(this.#random.chance(0.3) ? [step(), step()] : [step()]);
  }
}

/** A pending message ends with its person: it goes no more, unless a run has it. */
function asErased(row: Row): Row {
  if (row.status !== "PENDING_TO_SEND") return row;
  return { ...row, status: row.claimed_at === null ? "NOT_SUBSCRIBED" : "SENDING", reason_code: null };
}
