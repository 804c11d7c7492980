/** traffic_counts beside what the messages themselves say, after random work that runs twice, late and out of order. */
import { beforeEach, expect, it } from "vitest";
import type { SubmissionRecord } from "../../../src/domain/messages/job.ts";
import type { Send } from "../../../src/domain/messages/send.ts";
import { storeParts } from "../../../src/flows/people/import-subscribers.ts";
import { cancelUnconfirmed } from "../../../src/store/messages/cancelled-messages.ts";
import { type Outcomes, recordAndClaim } from "../../../src/store/messages/claims.ts";
import { recordClick } from "../../../src/store/messages/links.ts";
import { changeStatus } from "../../../src/store/messages/messages.ts";
import { storeMessages } from "../../../src/store/messages/new-messages.ts";
import { recordReceipts } from "../../../src/store/messages/receipts.ts";
import { storeSends } from "../../../src/store/messages/sends.ts";
import { Random } from "../../random.ts";
import { runningTwice } from "../../running-twice.ts";
import { SEND, World } from "../../world.ts";

const WEBSITES = ["brand", "other"];

let world: World;

beforeEach(async () => {
  world = await World.create();
});

class Chaos {
  readonly #db: D1Database;
  readonly #random: () => number;
  readonly #ids: string[] = [];
  readonly #claims: { claim: string; ids: string[] }[] = [];
  #made = 0;

  constructor(seed: number) {
    const random = new Random(seed);
    this.#random = () => random.next();
    this.#db = runningTwice(world.deps.db, () => this.#random() < 0.4);
  }

  #pick<T>(some: readonly T[]): T {
    return some[Math.floor(this.#random() * some.length)] as T;
  }

  #some(most = 8): string[] {
    const ids = Array.from({ length: 1 + Math.floor(this.#random() * most) }, () => this.#pick(this.#ids));
    return [...new Set(ids.filter(Boolean))];
  }

  #message(websiteId: string, acceptedAt: number) {
    const messageId = `00000000-0000-4000-8000-${String(this.#made++).padStart(12, "0")}`;
    this.#ids.push(messageId);
    const byAddress = this.#random() < 0.1;
    const absent = { mediaUrl: null, clickUrl: null, linkCode: null, dedupeHash: null };
    const to = { phone: byAddress ? null : 12125550100 + Math.floor(this.#random() * 6) };
    const content = { ...SEND, ...absent, encoding: "GSM-7" as const, segments: 1 };
    const email = byAddress ? "nobody@example.com" : null;
    return { ...content, ...to, email, messageId, websiteId, clientId: "c", acceptedAt };
  }

  async send(): Promise<void> {
    const websiteId = this.#pick(WEBSITES);
    const messages = Array.from({ length: 1 + Math.floor(this.#random() * 6) }, () =>
      this.#message(websiteId, world.now),
    );
    if (this.#random() < 0.5) {
      const options = {
        websiteId,
        clientId: "c",
        acceptedAt: world.now,
        part: null,
        duplicatesUntil: null,
        isLimited: false,
      };
      await storeMessages(this.#db, options, messages);
    } else {
      const sends = messages.map((message): Send => ({ message, key: null, duplicatesUntil: null, database: "DB" }));
      await storeSends(this.#db, world.now, sends);
      // A late repetition of the whole request.
      if (this.#random() < 0.3) await storeSends(this.#db, world.now, sends);
    }
  }

  async claim(): Promise<void> {
    const ids = this.#some(12);
    const claim = `claim-${this.#made++}`;
    const next = { ids, claim, acceptedAfter: 0 };
    await recordAndClaim(this.#db, null, next, world.now);
    this.#claims.push({ claim, ids });
  }

  async outcomes(): Promise<void> {
    const { claim, ids } = this.#claims.length > 0 ? this.#pick(this.#claims) : { claim: "none", ids: this.#some() };
    const records = ids.map((messageId): SubmissionRecord => {
      const status = this.#pick(["SENDING", "SENDING", "FAILED_TO_SEND", null] as const);
      const receipt = {
        messageId,
        status: "DELIVERED" as const,
        reason: null,
        carrierMessageId: null,
        optedOut: false,
      };
      return {
        ...{ messageId, status, reason: status === null ? "busy" : null, code: null, carrierMessageId: null },
        ...{ retryAt: status === null ? world.now : null, optedOut: false, attempted: true, entry: null },
        receipt: status === "SENDING" && this.#random() < 0.3 ? receipt : null,
      };
    });
    const outcomes: Outcomes = { claim, records, longestWait: 14_400_000, counts: [], breakers: [] };
    const next = this.#random() < 0.5 ? { ids: this.#some(), claim: `claim-${this.#made++}`, acceptedAfter: 0 } : null;
    await recordAndClaim(this.#db, outcomes, next, world.now);
    if (next) this.#claims.push(next);
  }

  async receipts(): Promise<void> {
    const receipts = this.#some(10).map((messageId) => ({
      ...{ messageId, reason: null, carrierMessageId: null, optedOut: false },
      status: this.#pick(["SENDING", "DELIVERED", "DELIVERED", "FAILED_TO_DELIVERY"] as const),
    }));
    if (receipts.length > 0) await recordReceipts(this.#db, receipts, world.now);
  }

  async end(): Promise<void> {
    const status = this.#pick(["FAILED_TO_SEND", "FAILED_TO_DELIVERY", "SENDING"] as const);
    const onlyUnclaimed = status === "FAILED_TO_SEND";
    const code = onlyUnclaimed ? "CANCELLED" : "NO_RECEIPT";
    await changeStatus(this.#db, { ids: this.#some(), status, code, reason: "ended", now: world.now, onlyUnclaimed });
  }

  async cancel(): Promise<void> {
    await cancelUnconfirmed(this.#db, this.#some(2), world.now);
  }

  async optOut(): Promise<void> {
    const subscribed = this.#random() < 0.5;
    const phone = 12125550100 + Math.floor(this.#random() * 6);
    const parts = async function* () {
      yield { rows: 1, changes: [{ phone, email: null, subscribed }], invalidOptOuts: [] };
    };
    const request = {
      websiteId: "brand",
      importId: `i-${this.#made++}`,
      isJoined: false,
      isDry: false,
      file: null,
      operator: "ada",
    };
    await storeParts(world.deps, { ...request, resubscribes: true }, parts(), { hasBegun: false, storedRows: 0 });
  }

  async click(): Promise<void> {
    const click = { messageId: this.#pick(this.#ids) ?? "", clickId: `k${this.#made++}`, clickedAt: world.now };
    await recordClick(this.#db, { ...click, isPerson: this.#random() < 0.7 });
  }

  async step(): Promise<void> {
    const { send, claim, outcomes, receipts, end, cancel, optOut, click } = this;
    const work = [send, send, send, claim, claim, outcomes, outcomes, receipts, receipts, end, cancel, optOut, click];
    await this.#pick(work).call(this);
    world.advance(Math.floor(this.#random() * 30));
  }
}

const STATUSES = `count(*) AS accepted, sum(status IN ('NOT_FOUND', 'NOT_SUBSCRIBED', 'FAILED_TO_MATCH')) AS not_sent,
  sum(status = 'FAILED_TO_SEND') AS failed, sum(status = 'SENDING') AS sending, sum(status = 'DELIVERED') AS delivered,
  sum(status = 'FAILED_TO_DELIVERY') AS undelivered`;
const SUMS = ["accepted", "not_sent", "failed", "sending", "delivered", "undelivered"]
  .map((name) => `sum(${name}) AS ${name}`)
  .join();

/**
 * Compares the counts with the messages: of each minute and website, of each carrier (whose rows count no accepted messages), and of each
 * day.
 */
async function expectExact(): Promise<void> {
  const since = Math.floor(world.now / 60_000) - 60;
  const stored = (of: string) => `SELECT website_id, at, ${SUMS} FROM traffic_counts WHERE ${of} GROUP BY 1, 2`;
  const minutes = await world.rows(
    `${stored("span = 'minute' AND website_id <> '' AND at > ?1")} HAVING sum(accepted) > 0 ORDER BY 1, 2`,
    since,
  );
  const days = await world.rows(
    `${stored("span = 'day' AND website_id <> ''")} HAVING sum(accepted) > 0 ORDER BY 1, 2`,
  );
  const counted = (length: number) =>
    `SELECT website_id, accepted_at / ${length} AS at, ${STATUSES} FROM messages GROUP BY 1, 2 ORDER BY 1, 2`;
  expect(minutes).toEqual(await world.rows(`SELECT * FROM (${counted(60_000)}) WHERE at > ?1 ORDER BY 1, 2`, since));
  expect(days).toEqual(await world.rows(counted(86_400_000)));
  const carriers = `SELECT website_id, carrier, at, sum(sending) AS sending, sum(delivered) AS delivered FROM traffic_counts
    WHERE span = 'minute' AND at > ?1 AND website_id = 'brand' GROUP BY 1, 2, 3 HAVING sum(sending) + sum(delivered) > 0 ORDER BY 1, 2, 3`;
  expect(await world.rows(carriers, since)).toEqual(
    await world.rows(
      `SELECT website_id, coalesce(carrier, '') AS carrier, accepted_at / 60000 AS at, sum(status = 'SENDING') AS sending,
        sum(status = 'DELIVERED') AS delivered
      FROM messages WHERE status IN ('SENDING', 'DELIVERED') AND accepted_at / 60000 > ?1 AND website_id = 'brand' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      since,
    ),
  );
  const all = (which: string) =>
    world.rows(
      `SELECT span, at, carrier, ${SUMS} FROM traffic_counts WHERE ${which} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    );
  expect(await all("website_id = ''")).toEqual(await all("website_id <> ''"));
  const clicked = "SELECT coalesce(sum(clicked), 0) AS n FROM traffic_counts WHERE website_id = ''";
  const people = "SELECT count(DISTINCT message_id) AS n FROM clicks WHERE is_person = 1";
  expect(await world.rows(clicked)).toEqual(await world.rows(people));
}

it.each([1, 2, 3])(
  "the counts are those of the messages, whatever comes twice, late or out of order (%i)",
  async (seed) => {
    for (const websiteId of WEBSITES) {
      await world.website(websiteId, { carrier: "sandbox" });
      await world.subscribers(websiteId, ["+12125550100", "+12125550101", "+12125550102", "+12125550103"]);
    }
    const chaos = new Chaos(seed);
    for (let step = 0; step < 120; step++) {
      await chaos.step();
      if (step % 10 === 9) await expectExact();
    }
    const [row] = await world.rows(
      "SELECT sum(accepted) AS n FROM traffic_counts WHERE website_id = '' AND span = 'day'",
    );
    expect(Number(row?.n)).toBeGreaterThan(30);
  },
);
