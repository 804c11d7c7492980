// What a website needs in the database that it arrives in, beside the rows that it had.
import type { Shifts } from "../../domain/databases/move.ts";
import { runBatch } from "../database.ts";
import { prepare, sql } from "../sql.ts";

/** Before the directory leads to the target. Safe to repeat. */
export async function prepareArrival(
  db: D1Database,
  { websiteId, shifts, feedUntil }: { websiteId: string; shifts: Shifts; feedUntil: number },
  now: number,
): Promise<void> {
  await runBatch(db, [
    prepare(
      db,
      sql`INSERT INTO moved_feeds (website_id, until, shift) VALUES (${websiteId}, ${feedUntil}, ${shifts.feed.by})
        ON CONFLICT DO NOTHING`,
    ),
    // Their copies in KV and in the object of the website name the database.
    prepare(
      db,
      sql`UPDATE clients SET changed_at = max(${now}, changed_at + 1), copied_at = NULL WHERE website_id = ${websiteId}`,
    ),
  ]);
}
