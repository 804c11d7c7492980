// Numbers that each database counts by itself: a website that arrives gets some that nothing in its target has, or will have.
import { runNamed } from "./database.ts";
import type { Shifts } from "./move-rows.ts";
import type { Counter } from "./moved-tables.ts";

/** The numbers that a website has, or that its next rows get. */
export async function readNumbers(db: D1Database, websiteId: string) {
  const of = (name: string, column: string, own: string) =>
    db
      .prepare(
        `SELECT latest, coalesce((SELECT min(+${column}) FROM ${name} WHERE ${own}), latest) AS first
         FROM (SELECT coalesce(max(${column}), 0) AS latest FROM ${name})`,
      )
      .bind(websiteId);
  const { changes, feed } = await runNamed(db, {
    changes: of("subscription_changes", "change_id", "website_id = ?1"),
    feed: of("events", "seq", "website_id = ?1"),
  });
  const [ofChanges, ofFeed] = [changes[0], feed[0]] as [Numbers, Numbers];
  return { changes: ofChanges, feed: ofFeed } satisfies Record<Counter, Numbers>;
}

export interface Numbers {
  /** Of the website. */
  first: number;
  /** Of all websites of the database. */
  latest: number;
}

/** The next numbers of the database are higher than these. A row that is deleted leaves its number behind. */
export function reserveNumbers(db: D1Database, { changes, feed }: Shifts, now: number): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO subscription_changes (change_id, website_id, phone, subscribed, changed_at, source, proof)
         VALUES (?1, '', 0, 0, ?2, '', '')`,
      )
      .bind(changes.end, now),
    db.prepare("DELETE FROM subscription_changes WHERE change_id = ?1").bind(changes.end),
    db
      .prepare(
        `INSERT INTO events (seq, website_id, client_id, message_id, event, occurred_at) VALUES (?1, '', '', ?1, '', ?2)`,
      )
      .bind(feed.end, now),
    db.prepare("DELETE FROM events WHERE seq = ?1").bind(feed.end),
  ];
}

/** So many numbers are taken in the source, at most, before the move ends, and in the target before they are reserved. */
const ROOM = 100_000_000;

/**
 * Numbers only grow, as clients have seen some of them. A place in the feed of before the move is below all of those after it.
 */
export function shiftNumbers(source: Record<Counter, Numbers>, target: Record<Counter, Numbers>) {
  const by = (counter: Counter, least: number) => Math.max(0, least + ROOM - source[counter].first);
  const to = (counter: Counter, shift: number) => ({ by: shift, end: source[counter].latest + shift + ROOM });
  const changes = to("changes", by("changes", target.changes.latest));
  const feed = to("feed", by("feed", Math.max(target.feed.latest, source.feed.latest + ROOM)));
  return { shifts: { changes, feed } satisfies Shifts, feedUntil: source.feed.first + feed.by };
}
