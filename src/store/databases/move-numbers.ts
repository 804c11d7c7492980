// Each database numbers its ledger and its events by itself. A website that arrives gets numbers that no row of its target has, or will
// have. One website moves at a time, so nobody else reserves numbers meanwhile.
import type { Counter, Shifts } from "../../domain/databases/move.ts";
import { runBatch, runNamed } from "../database.ts";
import { prepare, sql } from "../sql.ts";

interface Numbers {
  /** The lowest of the website, or the latest. */
  first: number;
  /** The highest that the database has given. Its row may be erased or purged, but a cursor of a client, or an import, may still have it. */
  latest: number;
}

type AllNumbers = Record<Counter, Numbers>;

export async function readNumbers(db: D1Database, websiteId: string): Promise<AllNumbers> {
  const { changes, feed } = await runNamed(db, {
    changes: prepare(
      db,
      sql`SELECT latest,
          coalesce((SELECT min(+change_id) FROM subscription_changes WHERE website_id = ${websiteId}), latest) AS first
        FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'subscription_changes'), 0) AS latest)`,
    ),
    feed: prepare(
      db,
      sql`SELECT latest, coalesce((SELECT min(+seq) FROM events WHERE website_id = ${websiteId}), latest) AS first
        FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS latest)`,
    ),
  });
  return { changes: changes[0] as Numbers, feed: feed[0] as Numbers };
}

/** The other websites of the target take fewer numbers than this before the new numbers are reserved. */
const ROOM = 100_000_000;

/** Numbers are only shifted upward, because clients have seen some. Each place in the feed from before the move is below all later ones. */
export function shiftNumbers(source: AllNumbers, target: AllNumbers): { shifts: Shifts; feedUntil: number } {
  const shift = ({ first, latest }: Numbers, above: number) => {
    const by = Math.max(0, above + ROOM - first);
    return { by, end: latest + by };
  };
  const feed = shift(source.feed, Math.max(target.feed.latest, source.feed.latest));
  return {
    shifts: { changes: shift(source.changes, target.changes.latest), feed },
    feedUntil: source.feed.first + feed.by,
  };
}

/** Makes the next numbers of the database higher than these: SQLite does not use the number of a deleted row again. */
export async function reserveNumbers(db: D1Database, { changes, feed }: Shifts, now: number): Promise<void> {
  await runBatch(db, [
    prepare(
      db,
      sql`INSERT OR IGNORE INTO subscription_changes (change_id, website_id, phone, subscribed, changed_at, source, proof)
        VALUES (${changes.end + 1}, '', 0, 0, ${now}, '', '')`,
    ),
    prepare(db, sql`DELETE FROM subscription_changes WHERE change_id = ${changes.end + 1} AND website_id = ''`),
    prepare(
      db,
      sql`INSERT OR IGNORE INTO events (seq, website_id, client_id, message_id, event, occurred_at)
        VALUES (${feed.end + 1}, '', '', 'reserved', '', ${now})`,
    ),
    prepare(db, sql`DELETE FROM events WHERE seq = ${feed.end + 1} AND website_id = ''`),
  ]);
}
