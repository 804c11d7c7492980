// Where the events of a message are stored. A change of status is kept in the row of its message, with its callback, where that can:
// a row of its own would be written, and deleted, for each. Any other event, and that of a notice, has a row in `events`.
import type { DueEvent } from "./events.ts";

/** The prefixes of a message's columns for the event SENDING, and for that of its final status. */
const PARTS = ["sending", "final"] as const;

type Part = (typeof PARTS)[number];

/** SQL: the name of the event that a part of a message `m` keeps. */
const NAMES: Record<Part, string> = { sending: "'SENDING'", final: "m.status" };

/** SQL: the value of a column of `events`, for an event that is stored in one place. */
export type Stored = (column: string) => string;

/** In its row `r`. */
const inRow: Stored = (column) => `r.${column}`;

/** In EVENTS, wherever it is stored. */
export const inEvents: Stored = (column) => `e.${column}`;

/** In a part of its message `m`. */
const keptAs =
  (part: Part): Stored =>
  (column) => {
    if (column === "occurred_at" || column === "queued_at") return `m.${part}_at`;
    if (column === "callback_due") return `(m.${part}_attempted_at IS NOT NULL)`;
    return column === "attempted_at" ? `nullif(m.${part}_attempted_at, 0)` : `m.${part}_${column}`;
  };

const COLUMNS = [
  ...["occurred_at", "queued_at", "callback_due", "attempted_at"],
  ...["claim", "outcome", "http_status", "response", "duration_ms"],
];

/** SQL: the columns of an event, wherever it is stored. NULL where it is not. */
const COLUMNS_OF_KEY = COLUMNS.map(
  (column) =>
    `iif(r.event IS NULL, CASE k.event WHEN 'SENDING' THEN ${keptAs("sending")(column)} WHEN m.status THEN ${keptAs("final")(column)} END,
      r.${column}) AS ${column}`,
).join(", ");

const ofMessages = (keys: string, notices: string, body: string, client: string) => `(
  SELECT k.*, ${COLUMNS_OF_KEY}, coalesce(r.reason_code, m.reason_code) AS reason_code,
    m.status, m.phone, m.send_purpose, m.callback_data, m.click_url, ${body} AS body, ${client} AS client_id
  FROM ${keys} k LEFT JOIN messages m ON m.message_id = k.message_id
    LEFT JOIN events r ON r.message_id = k.message_id AND r.event = k.event ${notices}) e`;

/**
 * SQL: the events `e` of these keys, with what their callbacks tell. `occurred_at` is NULL where there is no such event.
 * @param keys a table or a query in parentheses, with the columns message_id and event; its other columns are in `e`, too
 */
export const EVENTS = (keys: string) =>
  ofMessages(
    keys,
    "LEFT JOIN notices n ON n.notice_id = k.message_id AND n.type = k.event",
    "n.body",
    "coalesce(m.client_id, n.client_id)",
  );

/** Likewise, none of them of a notice. */
export const MESSAGE_EVENTS = (keys: string) => ofMessages(keys, "", "NULL", "m.client_id");

const keysIn = (parameter: string, column: "key" | "value") =>
  `SELECT ${column}, value ->> 'messageId' AS message_id, value ->> 'event' AS event FROM json_each(${parameter})`;

/** SQL: the keys that a parameter has, in their order by `key`: see toKeys. */
export const GIVEN = (parameter: string) =>
  `(WITH given AS MATERIALIZED (${keysIn(parameter, "key")}) SELECT * FROM given)`;

/** SQL: the keys of the events that messages keep. @param ids a query @param where a condition on them */
export const KEPT_OF = (ids: string, where: (column: Stored) => string) =>
  PARTS.map(
    (part) => `SELECT m.message_id, ${NAMES[part]} AS event FROM messages m
      WHERE m.message_id IN (${ids}) AND m.${part}_at IS NOT NULL AND ${where(keptAs(part))}`,
  ).join(" UNION ALL ");

/** SQL: likewise of all events of messages. */
export const ALL_OF = (ids: string, where: (column: Stored) => string) =>
  `SELECT r.message_id, r.event FROM events r WHERE r.message_id IN (${ids}) AND ${where(inRow)} UNION ALL ${KEPT_OF(ids, where)}`;

/**
 * Which events. `events`: those whose keys are the items `k.value` of ?1 (see toKeys). `ids`: SQL, a query of message ids, for all
 * events of these messages.
 */
export type Chosen = { events: DueEvent[] } | { ids: string };

/** A change of events. */
export interface EventChange {
  /** `keys`: SQL, a query of keys in parentheses. */
  of: Chosen | { keys: string };
  /** SQL condition. */
  where: (column: Stored) => string;
  /** SQL values of columns; a message keeps no queued_at. */
  set: Record<string, string>;
  values: unknown[];
}

/** Changes events, wherever they are stored: a statement for each place. One must not change what the next one chooses. */
export function updateEvents(db: D1Database, { of, where, set, values }: EventChange): D1PreparedStatement[] {
  const { queued_at: _, ...kept } = set;
  const update = (row: string, event: string, columns: [string, string][], condition: string) => {
    const list = columns.map(([column, value]) => `${column} = ${value}`).join(", ");
    const chosen =
      "ids" in of
        ? `WHERE ${row}.message_id IN (${of.ids})`
        : `FROM ${"keys" in of ? of.keys : `(${keysIn("?1", "value")})`} k WHERE ${row}.message_id = k.message_id AND ${event} = k.event`;
    return db.prepare(`UPDATE ${row === "r" ? "events" : "messages"} AS ${row} SET ${list} ${chosen} AND ${condition}`);
  };
  const isIn = (part: Part) =>
    !("events" in of) || of.events.some((id) => id.endsWith("_SENDING") === (part === "sending"));
  const messages = PARTS.filter(isIn).map((part) => {
    const columns = Object.entries(kept).map(([column, value]): [string, string] => [
      `${part}_${column}`,
      column === "attempted_at" ? `coalesce(${value}, 0)` : value,
    ]);
    return update("m", NAMES[part], columns, `m.${part}_at IS NOT NULL AND ${where(keptAs(part))}`);
  });
  return [update("r", "r.event", Object.entries(set), where(inRow)), ...messages].map((it) => it.bind(...values));
}
