/** The tables that only the first database fills. */
export const OF_THE_FIRST = [
  ...["homes", "client_homes", "sender_homes", "operator_tokens", "operator_sessions"],
  ...["dead_jobs", "told_problems", "erasure_key"],
];

/** Statements that may read the directory with the websites of the first database, by a part of their text, and why. */
export const ALLOWED_JOINS: [sql: string, reason: string][] = [
  ["INSERT INTO websites (", "A new website of the first database gets its home in one transaction."],
  [
    "UNION SELECT sender FROM sender_homes WHERE carrier =",
    "The senders of all websites of a carrier, for the countries of their numbers: the directory has those of other databases.",
  ],
];

/** The tables with the rows of websites, clients and messages, which are in the database of their website. */
const ROWS =
  /\b(?:FROM|JOIN|INTO|UPDATE)\s+"?(websites|clients|former_senders|subscriptions|subscription_changes|imports|erased_people|inbound_texts|messages|events|links|clicks)\b/;
const FIRST_NAME = new RegExp(`\\b(${OF_THE_FIRST.join("|")})\\b`);

/** By text; null: right. */
const known = new Map<string, string | null>();

/**
 * What a statement has of a table that only the first database fills and of one that each has: it would find nothing of the websites of other
 * databases. undefined: it has no such two.
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
  const [, own] = ROWS.exec(words) ?? [];
  const [, first] = FIRST_NAME.exec(words) ?? [];
  if (!own || !first || ALLOWED_JOINS.some(([part]) => sql.includes(part))) return null;
  return `${own} is in each database, and ${first} in the first alone: ${sql}`;
}
