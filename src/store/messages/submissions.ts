// The submissions of a message, in a column of its row: they cost no row of their own.
import type { SubmissionEntry } from "../../domain/messages/job.ts";
import { parseJsonColumn } from "../database.ts";

/** The first, with the first cause, and the latest. */
export const KEPT_SUBMISSIONS = 20;

/**
 * SQL: the value of messages.submissions with an entry more. Of skips in a row, the first stays alone.
 * @param entry SQL of the JSON of an entry, or of NULL
 * @param submissions SQL of the column
 */
export const withSubmission = (entry: string, submissions = "submissions") =>
  `iif(${entry} IS NULL OR (${entry} ->> '$.outcome' = 'skipped' AND ${submissions} ->> '$[#-1].outcome' = 'skipped'),
  ${submissions}, json_insert(iif(json_array_length(${submissions}) >= ${KEPT_SUBMISSIONS}, json_remove(${submissions}, '$[1]'),
    coalesce(${submissions}, '[]')), '$[#]', json(${entry})))`;

export const readSubmissions = (column: string | null) => parseJsonColumn<SubmissionEntry[]>(column ?? "[]", []);
