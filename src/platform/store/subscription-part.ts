import type { SubscriptionChange } from "../../domain/subscriber-rows.ts";
import { runNamed } from "./database.ts";
import { type DueEvent, dueEvents } from "./events.ts";
import { changeNotices, noticeEvents, TOLD_CLIENTS } from "./notices.ts";
import { type ChangeOrigin, LATEST_CHANGE } from "./subscriptions.ts";

/** A transaction of so many rows takes D1 a tenth of a second, in which nothing else is stored. */
const PART_ROWS = 25_000;

/** D1 takes 2,000,000 bytes in one value. An address has no other characters than ASCII. */
const PART_CHARACTERS = 1_000_000;
const ROW_CHARACTERS = 17;
const ADDRESS_CHARACTERS = 60;

/**
 * The changes of one transaction, as they travel to D1. SQLite reads plain numbers in a quarter of the time of objects, and
 * millions of objects would fill the memory; so only the rows with an address are objects.
 */
export class SubscriptionPart {
  readonly #optOuts: number[] = [];
  readonly #optIns: number[] = [];
  readonly #withAddress: SubscriptionChange[] = [];
  #characters = 0;

  static of(changes: SubscriptionChange[]): SubscriptionPart {
    const part = new SubscriptionPart();
    for (const change of changes) part.add(change);
    return part;
  }

  get size(): number {
    return this.#optOuts.length + this.#optIns.length + this.#withAddress.length;
  }

  get isFull(): boolean {
    return this.size >= PART_ROWS || this.#characters > PART_CHARACTERS;
  }

  get hasOptIns(): boolean {
    return this.#optIns.length > 0 || this.#withAddress.some(({ subscribed }) => subscribed);
  }

  add(change: SubscriptionChange): void {
    const { phone, subscribed, email } = change;
    if (email !== null) this.#withAddress.push(change);
    else if (subscribed) this.#optIns.push(phone);
    else this.#optOuts.push(phone);
    this.#characters += email === null ? ROW_CHARACTERS : ADDRESS_CHARACTERS + email.length;
  }

  optIns(): SubscriptionChange[] {
    const plain = this.#optIns.map((phone) => ({ phone, subscribed: true, email: null }));
    return [...plain, ...this.#withAddress.filter(({ subscribed }) => subscribed)];
  }

  /** What GIVEN reads. */
  json(): string {
    return JSON.stringify({ optOuts: this.#optOuts, optIns: this.#optIns, withAddress: this.#withAddress });
  }
}

/** The rows of ?2, a part as JSON. */
export const GIVEN = `(SELECT value AS phone, 0 AS subscribed, NULL AS email FROM json_each(?2, '$.optOuts')
  UNION ALL SELECT value, 1, NULL FROM json_each(?2, '$.optIns')
  UNION ALL SELECT value ->> 'phone', value ->> 'subscribed', value ->> 'email' FROM json_each(?2, '$.withAddress')) g`;

export interface Target {
  db: D1Database;
  websiteId: string;
  origin: ChangeOrigin;
  /** Names the notices of a transaction; null: nobody is told. */
  newRun: (() => string) | null;
  /** Gets the events of clients that are told. */
  due: DueEvent[];
}

/** Selects the tombstones of website ?1 because of which nobody is subscribed. */
export interface Guard {
  sql: string;
  /** ?6 */
  list: string;
}

/** Whether the website has erased anybody. */
export const ANY_ERASED: Guard = {
  sql: "SELECT e.mark FROM erased_people e WHERE e.website_id = ?1 AND ?6 = 'any' LIMIT 1",
  list: "any",
};

export function erasedAmong(tombstones: string[]): Guard {
  return {
    sql: "SELECT e.mark FROM json_each(?6) j CROSS JOIN erased_people e ON e.website_id = ?1 AND e.mark = j.value",
    list: JSON.stringify(tombstones),
  };
}

export function erasedBeside(tombstones: string[]): Guard {
  return {
    sql: "SELECT e.mark FROM erased_people e WHERE e.website_id = ?1 AND e.mark NOT IN (SELECT value FROM json_each(?6))",
    list: JSON.stringify(tombstones),
  };
}

export interface Written {
  /** What the guard has found. If anything, only the opt-outs are written. */
  erased: string[];
  /** Numbers (as digits) that are not subscribed, because their owners have opted out. */
  refused: number[];
}

/** In one transaction, so that it cannot undo a concurrent erasure. A row that stays as it is is not written. */
export async function writePart(target: Target, part: SubscriptionPart, guard: Guard): Promise<Written> {
  const rows = await runNamed(target.db, statements(target, part, guard));
  target.due.push(...dueEvents(rows.events));
  return {
    erased: (rows.erased as { mark: string }[]).map(({ mark }) => mark),
    refused: (rows.refused as { phone: number }[]).map(({ phone }) => phone),
  };
}

function statements({ db, websiteId, origin, newRun }: Target, part: SubscriptionPart, guard: Guard) {
  const list = part.json();
  const bound = [websiteId, list, origin.now, origin.source, origin.proof, guard.list] as const;
  const guarded = `WITH guard (is_open) AS MATERIALIZED (SELECT NOT EXISTS (${guard.sql}))`;
  const isAllowed = "(g.subscribed = 0 OR guard.is_open)";
  const subscription = "LEFT JOIN subscriptions s ON s.website_id = ?1 AND s.phone = g.phone";
  const isChange = `s.subscribed IS NOT g.subscribed AND s.opted_out_by_person IS NOT 1 AND ${isAllowed}`;
  const run = newRun?.() ?? null;
  return {
    erased: part.hasOptIns ? db.prepare(guard.sql).bind(...bound) : null,
    refused: part.hasOptIns
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
         FROM ${GIVEN} CROSS JOIN guard ${subscription} WHERE ${isChange}`,
      )
      .bind(...bound),
    told:
      run !== null
        ? changeNotices(
            db,
            {
              values: bound,
              with: guarded,
              from: `${TOLD_CLIENTS} CROSS JOIN ${GIVEN} CROSS JOIN guard ${subscription}`,
              where: isChange,
              ...{ websiteId: "?1", phone: "g.phone", subscribed: "g.subscribed" },
            },
            { ...origin, run },
          )
        : null,
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
    events: run === null ? null : noticeEvents(db, run, origin.now),
  };
}
