// The submissions of a message, in a column of its row: they cost no row of their own.
import type { SubmissionEntry } from "../../domain/messages/job.ts";
import { parseJsonColumn } from "../database.ts";
import { type Sql, sql } from "../sql.ts";

/** The first, with the first cause, and the latest. */
export const KEPT_SUBMISSIONS = 20;

/** The value of `m.submissions` with one more entry, the JSON in `r.entry` (NULL: none). If skips follow one another, it has only the first. */
export const WITH_ENTRY: Sql = sql`iif(
  r.entry IS NULL OR (r.entry ->> '$.outcome' = 'skipped' AND m.submissions ->> '$[#-1].outcome' = 'skipped'), m.submissions,
  json_insert(iif(json_array_length(m.submissions) >= ${KEPT_SUBMISSIONS}, json_remove(m.submissions, '$[1]'),
    coalesce(m.submissions, '[]')), '$[#]', json(r.entry)))`;

export const readSubmissions = (column: string | null) => parseJsonColumn<SubmissionEntry[]>(column ?? "[]", []);
