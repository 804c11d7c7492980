import { MOVED_NAMES, STAYING_TABLES } from "../../src/store/databases/moved-tables.ts";

/**
 * Staying tables that tell of the work of their own database on the websites that are in it, and that say nothing of a website after
 * it has left: a statement may read them together with rows of websites.
 */
export const OF_THE_DATABASE: (keyof typeof STAYING_TABLES)[] = [
  "carrier_pauses",
  "counted_ledgers",
  "counts",
  "last_sweep",
  "moving",
  "outcome_counts",
  "receipt_counts",
  // Each database counts what it changes: an answer adds them up.
  "traffic_counts",
];

/** Statements that may read the directory with the websites of the first database, by a part of their text, and why. */
export const ALLOWED_JOINS: [sql: string, reason: string][] = [
  ["INSERT INTO websites (", "A new website of the first database gets its home in one transaction."],
  [
    "UNION SELECT sender FROM sender_homes WHERE carrier =",
    "The senders of all websites of a carrier, for the countries of their numbers: the directory has those of other databases.",
  ],
  [
    "NOT EXISTS (SELECT 1 FROM audit_log WHERE request_id =",
    "A try that D1 runs late asks for the entry of the tries before it, which ran in the same database; a move waits until none is left.",
  ],
];

const STAYING = Object.keys(STAYING_TABLES).filter((name) => !OF_THE_DATABASE.some((own) => own === name));
const STAYING_NAME = new RegExp(`\\b(${STAYING.join("|")})\\b`);
const MOVED_ROWS = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE)\\s+"?(${MOVED_NAMES.join("|")})\\b`);

/** By text; null: right. */
const known = new Map<string, string | null>();

/**
 * What a statement has of a table that moves with its website and of one that stays: after a move it finds only one of them.
 * undefined: it has no such two.
 */
export function joinFault(sql: string): string | undefined {
  let found = known.get(sql);
  if (found === undefined) {
    found = findFault(sql);
    known.set(sql, found);
  }
  return found ?? undefined;
}

function findFault(text: string): string | null {
  const sql = text.replaceAll(/\s+/g, " ");
  const words = sql.replaceAll(/'(?:[^']|'')*'/g, "''");
  const [, moved] = MOVED_ROWS.exec(words) ?? [];
  const [, staying] = STAYING_NAME.exec(words) ?? [];
  if (!moved || !staying || ALLOWED_JOINS.some(([part]) => sql.includes(part))) return null;
  return `${moved} moves with its website, and ${staying} stays: ${sql}`;
}
