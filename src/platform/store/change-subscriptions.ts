import type { SubscriptionChange } from "../../domain/subscriber-rows.ts";
import { runNamed, runQuery } from "./database.ts";
import { type ChangeOrigin, LATEST_CHANGE } from "./subscriptions.ts";

/** Computes the tombstones that each number (as digits) would have if it was erased; see ErasureKey. */
export type TombstonesOf = (phones: number[]) => Promise<string[][]>;

export interface SubscriptionsSet {
  /** How many numbers are now as they were to be. */
  count: number;
  /** The others, as digits: their owners have opted out, or they were erased. */
  refused: number[];
}

/**
 * Sets the state of numbers, and adds what changes to the ledger. Repeating it changes nothing. A number whose owner has
 * opted out, or that was erased, is not subscribed: only that person can undo it. An opt-out is stored in any case.
 * @param changes distinct numbers; of several with one address, the later counts as subscribed later
 * @param tombstonesOf called only where the website has erased people, and for numbers that would be written
 */
export async function changeSubscriptions(
  db: D1Database,
  websiteId: string,
  changes: Iterable<SubscriptionChange>,
  origin: ChangeOrigin,
  tombstonesOf: TombstonesOf,
): Promise<SubscriptionsSet> {
  const writer = new Writer({ db, websiteId, origin }, tombstonesOf);
  const refused: number[] = [];
  let count = 0;
  for (const part of toParts(changes)) {
    count += part.length;
    refused.push(...(await writer.write(part)));
  }
  return { count: count - refused.length, refused };
}

/** A transaction of so many rows takes D1 a tenth of a second, in which nothing else is stored. */
const PART_ROWS = 25_000;

/** D1 takes 2,000,000 bytes in one value. An address has no other characters than ASCII. */
const PART_CHARACTERS = 1_000_000;
const ROW_CHARACTERS = 17;
const ADDRESS_CHARACTERS = 60;

function* toParts(changes: Iterable<SubscriptionChange>): Generator<SubscriptionChange[], void> {
  let part: SubscriptionChange[] = [];
  let characters = 0;
  for (const change of changes) {
    const own = change.email === null ? ROW_CHARACTERS : ADDRESS_CHARACTERS + change.email.length;
    if (part.length === PART_ROWS || characters + own > PART_CHARACTERS) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(change);
    characters += own;
  }
  if (part.length > 0) yield part;
}

interface Target {
  db: D1Database;
  websiteId: string;
  origin: ChangeOrigin;
}

/** A number has up to three tombstones of 64 characters, and one value in D1 holds 2,000,000 bytes. */
const MARKED_ROWS = 9_000;

class Writer {
  readonly #target: Target;
  readonly #tombstonesOf: TombstonesOf;
  #hasErased = false;

  constructor(target: Target, tombstonesOf: TombstonesOf) {
    this.#target = target;
    this.#tombstonesOf = tombstonesOf;
  }

  /** @returns the numbers that it refused to subscribe, as digits */
  async write(part: SubscriptionChange[]): Promise<number[]> {
    let rest = part;
    if (!this.#hasErased) {
      const written = await write(this.#target, part, "any");
      this.#hasErased = written.erased.length > 0;
      if (!this.#hasErased) return toPhones(written.refused);
      rest = part.filter(({ subscribed }) => subscribed);
    }
    const refused: number[] = [];
    const changing = await withoutUnchanged(this.#target, rest);
    for (let start = 0; start < changing.length; start += MARKED_ROWS) {
      refused.push(...(await this.#writeOthers(changing.slice(start, start + MARKED_ROWS))));
    }
    return refused;
  }

  /** Subscribes the numbers that were not erased. The tombstones are computed before the transaction that looks for them. */
  async #writeOthers(changes: SubscriptionChange[]): Promise<number[]> {
    const optIns = changes.filter(({ subscribed }) => subscribed);
    const tombstones = await this.#tombstonesOf(optIns.map(({ phone }) => phone));
    const optOuts = changes.filter(({ subscribed }) => !subscribed);
    return writeMarked(this.#target, [
      ...optOuts.map((change) => ({ change, tombstones: [] })),
      ...optIns.map((change, index) => ({ change, tombstones: tombstones[index] ?? [] })),
    ]);
  }
}

interface GuardedChange {
  change: SubscriptionChange;
  tombstones: string[];
}

async function writeMarked(target: Target, changes: GuardedChange[]): Promise<number[]> {
  const guard = changes.flatMap(({ tombstones }) => tombstones);
  const written = await write(
    target,
    changes.map(({ change }) => change),
    guard,
  );
  if (written.erased.length === 0) return toPhones(written.refused);
  const found = new Set((written.erased as { mark: string }[]).map(({ mark }) => mark));
  const isErased = ({ tombstones }: GuardedChange) => tombstones.some((mark) => found.has(mark));
  const erased = changes.filter(isErased).map(({ change }) => change.phone);
  return [
    ...erased,
    ...(await writeMarked(
      target,
      changes.filter((change) => !isErased(change)),
    )),
  ];
}

function toPhones(rows: unknown[]): number[] {
  return (rows as { phone: number }[]).map(({ phone }) => phone);
}

/** The changes as ?2. Plain numbers take a quarter of the time of objects, and most imports have no other rows. */
function toList(changes: SubscriptionChange[]): string {
  const plain = changes.filter(({ email }) => email === null);
  return JSON.stringify({
    optOuts: plain.filter(({ subscribed }) => !subscribed).map(({ phone }) => phone),
    optIns: plain.filter(({ subscribed }) => subscribed).map(({ phone }) => phone),
    withAddress: changes.filter(({ email }) => email !== null),
  });
}

const GIVEN = `(SELECT value AS phone, 0 AS subscribed, NULL AS email FROM json_each(?2, '$.optOuts')
  UNION ALL SELECT value, 1, NULL FROM json_each(?2, '$.optIns')
  UNION ALL SELECT value ->> 'phone', value ->> 'subscribed', value ->> 'email' FROM json_each(?2, '$.withAddress')) g`;

/**
 * Leaves out the numbers that are subscribed with this address: nobody has erased those, and there is nothing to write. A number
 * that is erased from now on is erased after it was imported.
 */
async function withoutUnchanged(
  { db, websiteId }: Target,
  changes: SubscriptionChange[],
): Promise<SubscriptionChange[]> {
  if (changes.length === 0) return changes;
  const [row] = await runQuery<{ phones: string }>(
    db
      .prepare(
        `SELECT json_group_array(g.phone) AS phones FROM ${GIVEN} CROSS JOIN subscriptions s
           ON s.website_id = ?1 AND s.phone = g.phone
         WHERE g.subscribed = 1 AND s.subscribed = 1 AND (g.email IS NULL OR g.email = s.email)`,
      )
      .bind(websiteId, toList(changes)),
  );
  const unchanged = new Set(JSON.parse(row?.phones ?? "[]") as number[]);
  return changes.filter(({ phone }) => !unchanged.has(phone));
}

/** The tombstones in ?6 that website ?1 has; or one of any, to see whether it has erased people. */
const ERASED_AMONG =
  "SELECT e.mark FROM json_each(?6) j CROSS JOIN erased_people e ON e.website_id = ?1 AND e.mark = j.value";
const ERASED_ANY = "SELECT e.mark FROM erased_people e WHERE e.website_id = ?1 AND ?6 = 'any' LIMIT 1";

/**
 * Writes all changes, or the opt-outs only if the guard finds an erased person. One transaction, so that it cannot undo a
 * concurrent erasure. A row that stays as it is is not written.
 * @param guard tombstones to look for; "any": any erased person
 */
function write({ db, websiteId, origin }: Target, changes: SubscriptionChange[], guard: string[] | "any") {
  const { now, source, proof } = origin;
  const list = toList(changes);
  const bound = [websiteId, list, now, source, proof, Array.isArray(guard) ? JSON.stringify(guard) : guard] as const;
  const erased = guard === "any" ? ERASED_ANY : ERASED_AMONG;
  const guarded = `WITH guard (is_open) AS MATERIALIZED (SELECT NOT EXISTS (${erased}))`;
  const isAllowed = "(g.subscribed = 0 OR guard.is_open)";
  const hasOptIns = changes.some(({ subscribed }) => subscribed);
  return runNamed(db, {
    erased: hasOptIns ? db.prepare(erased).bind(...bound) : null,
    refused: hasOptIns
      ? db
          .prepare(
            `SELECT g.phone FROM ${GIVEN} CROSS JOIN subscriptions s ON s.website_id = ?1 AND s.phone = g.phone
             WHERE g.subscribed = 1 AND s.opted_out_by_person = 1`,
          )
          .bind(websiteId, list)
      : null,
    changes: db
      .prepare(
        `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
         ${guarded} SELECT ?1, g.phone, s.subscribed, g.subscribed, ?3, ?4, ?5
         FROM ${GIVEN} CROSS JOIN guard LEFT JOIN subscriptions s ON s.website_id = ?1 AND s.phone = g.phone
         WHERE s.subscribed IS NOT g.subscribed AND s.opted_out_by_person IS NOT 1 AND ${isAllowed}`,
      )
      .bind(...bound),
    subscriptions: db
      .prepare(
        `INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id)
         ${guarded} SELECT ?1, g.phone, g.subscribed, g.email, ${LATEST_CHANGE("?1", "g.phone")}
         FROM ${GIVEN} CROSS JOIN guard WHERE ${isAllowed}
         ON CONFLICT (website_id, phone) DO UPDATE SET
           subscribed = iif(subscriptions.opted_out_by_person = 1, 0, excluded.subscribed),
           email = coalesce(excluded.email, subscriptions.email), change_id = excluded.change_id
         WHERE subscriptions.change_id <> excluded.change_id
           OR (excluded.email IS NOT NULL AND excluded.email IS NOT subscriptions.email)`,
      )
      .bind(...bound),
  });
}
