import { toDigits, toE164 } from "../../domain/phone.ts";
import { runNamed, toJsonLists } from "./database.ts";
import type { SubscriptionRow } from "./rows.ts";
import { type ChangeOrigin, LATEST_CHANGE } from "./subscriptions.ts";

export interface SubscriptionChange {
  /** E.164 */
  phone: string;
  subscribed: boolean;
  /** Lower case; null keeps the number's address. */
  email: string | null;
}

/** Computes the tombstones that each number would have if it was erased; see ErasureKey. */
export type TombstonesOf = (phones: string[]) => Promise<string[][]>;

interface Target {
  db: D1Database;
  websiteId: string;
  origin: ChangeOrigin;
}

/** A change as it travels to D1. */
interface ChangeItem {
  /** As digits. */
  phone: number;
  subscribed: 0 | 1;
  email: string | null;
}

/**
 * Sets the state of numbers, and adds what changes to the ledger. Repeating it changes nothing. A number whose owner has
 * opted out, or that was erased, is not subscribed: only that person can undo it. An opt-out is stored in any case.
 * @param changes distinct numbers; of several with one address, the later counts as subscribed later
 * @param tombstonesOf called only where the website has erased people
 * @returns the numbers that it refused to subscribe, E.164
 */
export async function changeSubscriptions(
  db: D1Database,
  websiteId: string,
  changes: SubscriptionChange[],
  origin: ChangeOrigin,
  tombstonesOf: TombstonesOf,
): Promise<string[]> {
  const target = { db, websiteId, origin };
  const rows = Map.groupBy(changes.map(toItem), ({ subscribed }) => subscribed);
  for (const list of toJsonLists(rows.get(0) ?? [])) await write(target, list, null);
  const refused: string[] = [];
  let hasErased = false;
  for (const list of toJsonLists(rows.get(1) ?? [])) {
    if (!hasErased) {
      const written = await write(target, list, "any");
      hasErased = written.erased.length > 0;
      refused.push(...(hasErased ? [] : toPhones(written.refused)));
    }
    if (hasErased) refused.push(...(await subscribeOthers(target, JSON.parse(list), tombstonesOf)));
  }
  return refused;
}

function toItem({ phone, subscribed, email }: SubscriptionChange): ChangeItem {
  return { phone: toDigits(phone), subscribed: subscribed ? 1 : 0, email };
}

function toPhones(rows: unknown[]): string[] {
  return (rows as Pick<SubscriptionRow, "phone">[]).map(({ phone }) => toE164(phone));
}

/** A number has up to three tombstones of 64 characters, and one value in D1 holds 2,000,000 bytes. */
const MARKED_ROWS = 9_000;

/** Subscribes the numbers that were not erased. The tombstones are computed before the transaction that looks for them. */
async function subscribeOthers(target: Target, rows: ChangeItem[], tombstonesOf: TombstonesOf): Promise<string[]> {
  const refused: string[] = [];
  for (let start = 0; start < rows.length; start += MARKED_ROWS) {
    const part = rows.slice(start, start + MARKED_ROWS);
    const tombstones = await tombstonesOf(part.map(({ phone }) => toE164(phone)));
    refused.push(
      ...(await subscribeMarked(
        target,
        part.map((row, index) => ({ row, tombstones: tombstones[index] ?? [] })),
      )),
    );
  }
  return refused;
}

interface GuardedRow {
  row: ChangeItem;
  tombstones: string[];
}

async function subscribeMarked(target: Target, rows: GuardedRow[]): Promise<string[]> {
  const guard = rows.flatMap(({ tombstones }) => tombstones);
  const written = await write(target, JSON.stringify(rows.map(({ row }) => row)), guard);
  if (written.erased.length === 0) return toPhones(written.refused);
  const found = new Set((written.erased as { mark: string }[]).map(({ mark }) => mark));
  const isErased = ({ tombstones }: GuardedRow) => tombstones.some((mark) => found.has(mark));
  const erased = rows.filter(isErased).map(({ row }) => toE164(row.phone));
  return [
    ...erased,
    ...(await subscribeMarked(
      target,
      rows.filter((row) => !isErased(row)),
    )),
  ];
}

/** The tombstones in ?6 that website ?1 has; or one of any, to see whether it has erased people. */
const ERASED_AMONG =
  "SELECT e.mark FROM json_each(?6) j CROSS JOIN erased_people e ON e.website_id = ?1 AND e.mark = j.value";
const ERASED_ANY = "SELECT e.mark FROM erased_people e WHERE e.website_id = ?1 AND ?6 = 'any' LIMIT 1";

/**
 * Writes all rows, or none if the guard finds an erased person. One transaction, so that it cannot undo a concurrent erasure.
 * @param guard tombstones to look for; "any": any erased person; null: the rows are opt-outs
 */
function write({ db, websiteId, origin }: Target, list: string, guard: string[] | "any" | null) {
  const { now, source, proof } = origin;
  const bound = [websiteId, list, now, source, proof, Array.isArray(guard) ? JSON.stringify(guard) : guard] as const;
  const erased = guard === "any" ? ERASED_ANY : ERASED_AMONG;
  const isOpen = guard === null ? "?6 IS NULL" : `NOT EXISTS (${erased})`;
  return runNamed(db, {
    erased: guard === null ? null : db.prepare(erased).bind(...bound),
    refused:
      guard === null
        ? null
        : db
            .prepare(
              `SELECT s.phone FROM json_each(?2) j
               CROSS JOIN subscriptions s ON s.website_id = ?1 AND s.phone = j.value ->> 'phone'
               WHERE s.opted_out_by_person = 1 ORDER BY j.key`,
            )
            .bind(websiteId, list),
    changes: db
      .prepare(
        `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
         SELECT ?1, j.value ->> 'phone', s.subscribed, j.value ->> 'subscribed', ?3, ?4, ?5
         FROM json_each(?2) j LEFT JOIN subscriptions s ON s.website_id = ?1 AND s.phone = j.value ->> 'phone'
         WHERE s.subscribed IS NOT j.value ->> 'subscribed' AND s.opted_out_by_person IS NOT 1 AND ${isOpen} ORDER BY j.key`,
      )
      .bind(...bound),
    subscriptions: db
      .prepare(
        `INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id)
         SELECT ?1, j.value ->> 'phone', j.value ->> 'subscribed', j.value ->> 'email', ${LATEST_CHANGE("?1", "j.value ->> 'phone'")}
         FROM json_each(?2) j WHERE ${isOpen}
         ON CONFLICT (website_id, phone) DO UPDATE SET
           subscribed = iif(subscriptions.opted_out_by_person = 1, 0, excluded.subscribed),
           email = coalesce(excluded.email, subscriptions.email), change_id = excluded.change_id`,
      )
      .bind(...bound),
  });
}
