// What a website needs in the database that it arrives in, beside the rows that it had.
import type { Shifts } from "../../domain/databases/move.ts";
import { runBatch } from "../database.ts";

/** Before the directory leads to the target. Safe to repeat. */
export async function prepareArrival(
  db: D1Database,
  { websiteId, shifts, feedUntil }: { websiteId: string; shifts: Shifts; feedUntil: number },
  now: number,
): Promise<void> {
  await runBatch(db, [
    db
      .prepare("INSERT INTO moved_feeds (website_id, until, shift) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
      .bind(websiteId, feedUntil, shifts.feed.by),
    // Their copies in KV and in the object of the website name the database.
    db
      .prepare("UPDATE clients SET changed_at = max(?2, changed_at + 1), copied_at = NULL WHERE website_id = ?1")
      .bind(websiteId, now),
  ]);
}
