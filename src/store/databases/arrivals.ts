// What a website needs in the target of its move, besides the rows that it brings.
import type { Shifts } from "../../domain/databases/move.ts";
import { runBatch } from "../database.ts";
import { prepare, sql } from "../sql.ts";

/** Must run before the directory leads to the target. Safe to repeat. */
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
    // The copies of clients, in KV and in the object of the website, name its database.
    prepare(
      db,
      sql`UPDATE clients SET changed_at = max(${now}, changed_at + 1), copied_at = NULL WHERE website_id = ${websiteId}`,
    ),
  ]);
}
