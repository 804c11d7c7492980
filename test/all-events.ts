const COLUMNS = ["claim", "outcome", "http_status", "response", "duration_ms"];

const keptAs = (event: string, part: "sending" | "final") =>
  `SELECT message_id, ${event}, ${part}_at, 2 * (${part}_attempted_at IS NOT NULL), nullif(${part}_attempted_at, 0),
     ${COLUMNS.map((name) => `${part}_${name}`)} FROM messages WHERE ${part}_at IS NOT NULL`;

/** SQL: a table of all events, those with a row and those that their messages keep, in the columns of `events`. */
export const ALL_EVENTS = `(
  SELECT message_id, event, occurred_at, callback_due, attempted_at, ${COLUMNS} FROM events
  UNION ALL ${keptAs("'SENDING'", "sending")} UNION ALL ${keptAs("status", "final")})`;

/** Those with a row, where the database has not been migrated yet. */
export const HAS_KEPT_CALLBACKS = "SELECT 1 FROM pragma_table_info('messages') WHERE name = 'sending_attempted_at'";
