import type { AttemptOutcome } from "../../domain/callbacks/callback.ts";
import type { Hold } from "../../domain/messages/hold.ts";
import type { SubmissionEntry } from "../../domain/messages/job.ts";
import type { MessageStatus } from "../../domain/messages/message.ts";
import { type Reason, readReason } from "../../domain/messages/reason.ts";
import { isClick, toEventId } from "../callbacks/events.ts";
import { runNamed, runQuery } from "../database.ts";
import type { EventRow, MessageRow } from "../rows.ts";
import { piece, prepare, sql } from "../sql.ts";
import { HOLD, toHold } from "./holds.ts";
import { type ClickCounts, NO_CLICKS } from "./links.ts";
import { type HeldRow, HOURS, type StoredMessage, toStoredMessage } from "./stored-message.ts";
import { readSubmissions } from "./submissions.ts";

/** While it waits for its first submission, its carrier is that of its website. */
export async function readMessage(db: D1Database, messageId: string): Promise<WholeMessage | undefined> {
  const query = sql`SELECT m.*, ${HOLD} AS hold, ${HOURS}, w.name AS website_name, c.name AS client_name,
      iif(m.status = 'PENDING_TO_SEND', coalesce(m.carrier, w.carrier), m.carrier) AS carrier
    FROM messages m LEFT JOIN websites w ON w.website_id = m.website_id LEFT JOIN clients c ON c.client_id = m.client_id
    WHERE m.message_id = ${messageId}`;
  return (await addDetails(db, await runQuery<StoryRow>(prepare(db, query))))[0];
}

function toStory(row: StoryRow): MessageStory {
  return {
    ...toStoredMessage(row),
    hold: toHold(row.hold),
    websiteName: row.website_name,
    clientName: row.client_name,
    submissions: readSubmissions(row.submissions),
    ignoredFields: row.ignored_fields === null ? null : (JSON.parse(row.ignored_fields) as string[]),
  };
}

interface MessageStory extends StoredMessage {
  /** Because of which it waits; null: none. */
  hold: Hold | null;
  /** null: it has none, or is not there any more. */
  websiteName: string | null;
  clientName: string | null;
  /** Without one that was accepted at once. */
  submissions: SubmissionEntry[];
  /** The names of fields that the request had, and that no request has; null: none. */
  ignoredFields: string[] | null;
}

/** A message `m`, with its hold (HOLD) and the names of its website and its client. */
export type StoryRow = HeldRow & { hold: string | null; website_name: string | null; client_name: string | null };

type StatusRow = Pick<MessageRow, "message_id" | "status" | "reason_code" | "updated_at">;

/** Status, its reason and time, by id, of the messages of a website among `ids`. */
export async function readStatuses(
  db: D1Database,
  websiteId: string,
  ids: string[],
): Promise<Map<string, Pick<StoredMessage, "status" | "reason" | "updatedAt">>> {
  const rows = await runQuery<StatusRow>(
    prepare(
      db,
      sql`SELECT m.message_id, m.status, m.reason_code, m.updated_at
        FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN messages m ON m.message_id = j.value WHERE m.website_id = ${websiteId}`,
    ),
  );
  return new Map(
    rows.map(({ message_id, status, reason_code, updated_at }) => [
      message_id,
      { status, reason: readReason(status, reason_code), updatedAt: updated_at },
    ]),
  );
}

/** An event of a message: a change of its status, or a click. Times are milliseconds since 1970. */
export interface StoredEvent {
  eventId: string;
  /** null: a click. */
  status: MessageStatus | null;
  reason: Reason | null;
  occurredAt: number;
  /** null: no callback is due. */
  callback: StoredCallback | null;
}

/** `outcome` null: the event was not posted yet, or (with `attemptedAt`) the post was interrupted before its outcome was stored. */
export interface StoredCallback {
  attemptedAt: number | null;
  outcome: AttemptOutcome | null;
  httpStatus: number | null;
  response: string | null;
  durationMilliseconds: number | null;
}

/** A message with all that is stored of it. */
export interface WholeMessage extends MessageStory {
  events: StoredEvent[];
  clicks: ClickCounts;
}

/** The columns of a StoredCallbackRow, of an event `e`. */
export const STORED_CALLBACK = piece("e.due_at, e.attempted_at, e.outcome, e.http_status, e.response, e.duration_ms");

export type StoredCallbackRow = Pick<
  EventRow,
  "due_at" | "attempted_at" | "outcome" | "http_status" | "response" | "duration_ms"
>;

/** @returns null: no callback is due */
export function toStoredCallback(row: StoredCallbackRow): StoredCallback | null {
  if (row.due_at === null && row.outcome === null) return null;
  return {
    attemptedAt: row.attempted_at,
    outcome: row.outcome,
    httpStatus: row.http_status,
    response: row.response,
    durationMilliseconds: row.duration_ms,
  };
}

function toStoredEvent(row: EventRow): StoredEvent {
  const status = isClick(row.event) ? null : (row.event as MessageStatus);
  return {
    eventId: toEventId(row),
    status,
    reason: status && readReason(status, row.reason_code),
    occurredAt: row.occurred_at,
    callback: toStoredCallback(row),
  };
}

/** Messages with all that is stored of them. A message that is erased meanwhile is not in the result. */
export async function addDetails(db: D1Database, rows: StoryRow[]): Promise<WholeMessage[]> {
  if (rows.length === 0) return [];
  const ids = JSON.stringify(rows.map((row) => row.message_id));
  const found = await runNamed(db, {
    events: prepare(
      db,
      sql<EventRow>`SELECT e.* FROM json_each(${ids}) j CROSS JOIN events e ON e.message_id = j.value ORDER BY e.occurred_at, e.seq`,
    ),
    clicks: prepare(
      db,
      sql<
        ClickCounts & Pick<MessageRow, "message_id">
      >`SELECT c.message_id, coalesce(sum(iif(c.is_person = 1, c.count, 0)), 0) AS people,
          coalesce(sum(iif(c.is_person = 0, c.count, 0)), 0) AS robots, min(iif(c.is_person = 1, c.clicked_at, NULL)) AS firstAt
        FROM json_each(${ids}) j CROSS JOIN clicks c ON c.message_id = j.value GROUP BY c.message_id`,
    ),
  });
  const events = Map.groupBy(found.events, (event) => event.message_id);
  const clicks = new Map(found.clicks.map(({ message_id, ...counts }) => [message_id, counts]));
  return rows.map((row) => ({
    ...toStory(row),
    events: (events.get(row.message_id) ?? []).map(toStoredEvent),
    clicks: clicks.get(row.message_id) ?? NO_CLICKS,
  }));
}
