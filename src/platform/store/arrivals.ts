// What a website needs in the database that it arrives in, beside the rows that it had.
import type { Shifts } from "../../domain/move.ts";
import { runBatch, toJsonLists } from "./database.ts";
import { ID_PART, IS_TURN, idPartOf, type Turn, toParameter } from "./moving.ts";
import { findOpenCallbacks } from "./open-callbacks.ts";

/** The callbacks of a website of which nothing is known yet. */
export async function readOpenCallbacks(db: D1Database, home: number): Promise<[messageId: string, event: string][]> {
  const open = await findOpenCallbacks(db, `${ID_PART("e.message_id")} = ?2`, [idPartOf(home)]);
  return open.map(({ messageId, event }) => [messageId, event]);
}

export async function deleteOpenCallbacks(db: D1Database, turn: Turn): Promise<void> {
  const sql = `DELETE FROM open_callbacks WHERE ${ID_PART("message_id")} = ?1 AND ${IS_TURN}`;
  await runBatch(db, [db.prepare(sql).bind(idPartOf(turn.home), toParameter(turn))]);
}

/** Before the directory leads to the target. Safe to repeat. */
export async function prepareArrival(
  db: D1Database,
  { websiteId, shifts, feedUntil }: { websiteId: string; shifts: Shifts; feedUntil: number },
  openCallbacks: [messageId: string, event: string][],
  now: number,
): Promise<void> {
  await runBatch(db, [
    db
      .prepare("INSERT INTO moved_feeds (website_id, until, shift) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
      .bind(websiteId, feedUntil, shifts.feed.by),
    ...[...toJsonLists(openCallbacks)].map((list) =>
      db
        .prepare(
          `INSERT INTO open_callbacks (message_id, event, queued_at)
           SELECT value ->> 0, value ->> 1, ?2 FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
        )
        .bind(list, now),
    ),
    // Their copies in KV and in the object of the website name the database.
    db
      .prepare("UPDATE clients SET changed_at = max(?2, changed_at + 1), copied_at = NULL WHERE website_id = ?1")
      .bind(websiteId, now),
  ]);
}
