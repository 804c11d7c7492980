const COLUMNS = ["claim", "outcome", "http_status", "response", "duration_ms"];

const keptAs = (event: string, part: "sending" | "final") =>
  `SELECT message_id, ${event}, ${part}_at, 2 * (${part}_attempted_at IS NOT NULL), nullif(${part}_attempted_at, 0),
     ${COLUMNS.map((name) => `${part}_${name}`)} FROM messages WHERE ${part}_at IS NOT NULL`;

/** SQL: a table of all events, those with a row and those that their messages keep, in the columns of `events`. */
export const ALL_EVENTS = `(
  SELECT message_id, event, occurred_at, callback_due, attempted_at, ${COLUMNS} FROM events
  UNION ALL ${keptAs("'SENDING'", "sending")} UNION ALL ${keptAs("status", "final")})`;

/** SQL statements that have messages keep the events of their statuses, which have had rows. */
export const KEEP_EVENTS = [
  `UPDATE messages SET final_at = e.occurred_at, final_attempted_at = coalesce(e.attempted_at, 0),
     ${COLUMNS.map((name) => `final_${name} = e.${name}`)}
   FROM events e WHERE e.message_id = messages.message_id AND e.event = messages.status`,
  "DELETE FROM events WHERE (message_id, event) IN (SELECT message_id, status FROM messages WHERE final_at IS NOT NULL)",
];

/** SQL: the claim ?2 of the event ?1 since ?3, wherever it is stored. */
export const SET_CLAIM = [
  "UPDATE events SET claim = ?2, attempted_at = ?3 WHERE message_id || '_' || event = ?1",
  "UPDATE messages SET final_claim = ?2, final_attempted_at = ?3 WHERE message_id || '_' || status = ?1 AND final_at > 0",
];

/** Whether an event has a row, or is kept by its message. */
export const PLACES = [["with a row"], ["that its message keeps"]] as const;

/** SQL: finds a row where the database has the migration from which on messages keep callbacks. */
export const HAS_KEPT_CALLBACKS = "SELECT 1 FROM pragma_table_info('messages') WHERE name = 'sending_attempted_at'";
