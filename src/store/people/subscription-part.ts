import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import { dueEvents } from "../callbacks/events.ts";
import { changeNotices, HEARS_OF_CHANGES } from "../callbacks/notices.ts";
import { runNamed } from "../database.ts";
import { piece, Sql, sql } from "../sql.ts";
import { countImported, isOpenToUndo } from "./imports.ts";
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
  /** Whether an import only counts what it would change. */
  isDry: boolean;
  /** Whether numbers that anyone has unsubscribed stay so, although an import would subscribe them. */
  keepsUnsubscribed: boolean;
  /** What an import has changed so far. */
  counts: ImportCounts;
}

export interface ImportCounts {
  /** Numbers never seen before. */
  added: number;
  /** Known numbers whose state or address is another than before. */
  changed: number;
}

/** Whether the number is to be subscribed or opted out, and is not. */
const IS_CHANGE = "(s.subscribed IS NOT g.subscribed AND s.opted_out_by_person IS NOT 1)";

/** Whether the address of a known number is to be another: also of one that is not subscribed, because its owner has opted out. */
const IS_MOVE = "(s.phone IS NOT NULL AND g.email IS NOT NULL AND g.email IS NOT s.email)";

/**
 * Whether a number is what it is by an import, and is said to be that by somebody else, source ?4 with proof ?5: a row of the
 * ledger keeps an undo of the import from it. Of imports, only the opt-outs count: others are as easily repeated.
 */
export const IS_SAID_AGAIN = `(s.subscribed = g.subscribed AND (g.subscribed = 0 OR ?4 <> 'import')
  AND EXISTS (SELECT 1 FROM subscription_changes c WHERE c.change_id = ${LATEST_CHANGE("?1", "g.phone")}
    AND c.proof <> ?5 AND ${isOpenToUndo("c")}))`;

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

/** A number that is not subscribed. */
export interface Refused {
  /** As digits. */
  phone: number;
  /** Its owner has opted out, or it was erased. Otherwise anybody else has unsubscribed it. */
  byPerson: boolean;
}

export interface Written {
  /** What the guard has found. If anything, only the opt-outs are written. */
  erased: string[];
  refused: Refused[];
}

/** In one transaction, so that it cannot undo a concurrent erasure. A row that stays as it is is not written. */
export async function writePart(target: Target, part: SubscriptionPart, guard: Guard): Promise<Written> {
  const rows = await runNamed(target.db, statements(target, part, guard));
  const [counts] = rows.counts as ImportCounts[];
  if (counts) target.counts = target.isDry ? sumOf(target.counts, counts) : counts;
  target.due.push(...dueEvents(rows.told));
  return {
    erased: (rows.erased as { mark: string }[]).map(({ mark }) => mark),
    refused: (rows.refused as { phone: number; by_person: number }[]).map(({ phone, by_person }) => ({
      phone,
      byPerson: by_person === 1,
    })),
  };
}

function sumOf(a: ImportCounts, b: ImportCounts): ImportCounts {
  return { added: a.added + b.added, changed: a.changed + b.changed };
}

const SUBSCRIPTION = "subscriptions s ON s.website_id = ?1 AND s.phone = g.phone";

function statements(target: Target, part: SubscriptionPart, guard: Guard) {
  const { db, websiteId, origin } = target;
  const bound = [websiteId, part.json(), origin.now, origin.source, origin.proof, guard.list] as const;
  const guarded = `WITH guard (is_open) AS MATERIALIZED (SELECT NOT EXISTS (${guard.sql}))`;
  const run = (sql: string) => db.prepare(sql).bind(...bound);
  return {
    erased: part.hasOptIns ? run(guard.sql) : null,
    refused: part.hasOptIns
      ? db
          .prepare(
            `SELECT g.phone, s.opted_out_by_person AS by_person FROM ${GIVEN} CROSS JOIN ${SUBSCRIPTION}
             WHERE g.subscribed = 1 AND (s.opted_out_by_person = 1 OR ${isKept(target, "s")})`,
          )
          .bind(websiteId, bound[1])
      : null,
    ...(target.isDry ? countPart(target, run, guarded) : write(target, bound, guarded, run)),
  };
}

/** Whether a known number stays as it is, although the import would subscribe it. */
const isKept = ({ keepsUnsubscribed }: Target, row: string) =>
  keepsUnsubscribed ? `(${row}.subscribed = 0 AND ${row}.opted_out_by_person = 0)` : "false";

/** Whether a row of the part counts. */
const isAllowed = (target: Target) => `(g.subscribed = 0 OR (guard.is_open AND ${isKept(target, "s")} IS NOT TRUE))`;

type Run = (sql: string) => D1PreparedStatement;

/** What writing would count. */
function countPart(target: Target, run: Run, guarded: string) {
  const counts = run(
    `${guarded} SELECT count(*) FILTER (WHERE s.phone IS NULL) AS added,
       count(*) FILTER (WHERE s.opted_out_by_person = 0 AND (${IS_CHANGE} OR ${IS_MOVE})) AS changed
     FROM ${GIVEN} CROSS JOIN guard LEFT JOIN ${SUBSCRIPTION} WHERE ${isAllowed(target)}`,
  );
  return { counts, changes: null, told: null, subscriptions: null };
}

function write(target: Target, bound: readonly (string | number)[], guarded: string, run: Run) {
  const { db, origin, newRun } = target;
  const notices = newRun?.() ?? null;
  return {
    changes: run(
      `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email)
       ${guarded} SELECT ?1, g.phone, s.subscribed, iif(s.opted_out_by_person IS 1, 0, g.subscribed), ?3, ?4, ?5,
         iif(${IS_MOVE}, iif(?4 = 'import', coalesce(s.email, ''), ''), NULL)
       FROM ${GIVEN} CROSS JOIN guard LEFT JOIN ${SUBSCRIPTION}
       WHERE ${isAllowed(target)} AND (${IS_CHANGE} OR ${IS_MOVE} OR ${IS_SAID_AGAIN})`,
    ),
    told:
      notices === null
        ? null
        : changeNotices(
            db,
            sql`${valued(guarded, bound)} SELECT c.client_id, c.website_id, c.callback_url, g.phone, g.subscribed
              FROM clients c INDEXED BY clients_with_events CROSS JOIN ${valued(GIVEN, bound)} CROSS JOIN guard
                LEFT JOIN ${valued(SUBSCRIPTION, bound)}
              WHERE c.website_id = ${target.websiteId} AND ${HEARS_OF_CHANGES} AND ${piece(IS_CHANGE)} AND ${piece(isAllowed(target))}`,
            { ...origin, run: notices },
          ),
    subscriptions: run(
      `INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id)
       ${guarded} SELECT ?1, g.phone, g.subscribed, g.email, ${LATEST_CHANGE("?1", "g.phone")}
       FROM ${GIVEN} CROSS JOIN guard WHERE (g.subscribed = 0 OR guard.is_open)
       ON CONFLICT (website_id, phone) DO UPDATE SET
         subscribed = iif(subscriptions.opted_out_by_person = 1, 0, excluded.subscribed),
         email = coalesce(excluded.email, subscriptions.email), change_id = excluded.change_id
       WHERE subscriptions.change_id <> excluded.change_id AND (excluded.subscribed = 0 OR ${isKept(target, "subscriptions")} IS NOT TRUE)
         AND (SELECT c.source FROM subscription_changes c WHERE c.change_id = excluded.change_id) <> 'undo'`,
    ),
    counts: origin.source === "import" ? countImported(db, origin.proof, origin.now) : null,
  };
}

/** A piece with its values as ?1, ?2, … */
function valued(text: string, values: readonly (string | number)[]): Sql {
  const parts = text.split(/\?(\d+)/);
  const places = parts.filter((_, index) => index % 2 === 1);
  return new Sql(
    parts.filter((_, index) => index % 2 === 0),
    places.map((place) => values[Number(place) - 1] as string | number),
  );
}
