// Writes rows as a Worker of a version has written them: only the tables and columns of its schema.
import type { OldRow, OldRows } from "./old-states.ts";
import type { Schema } from "./schema.ts";

/** The columns of a message for an event of its own; null: it keeps none. */
export function keptCallback(part: "sending" | "final", event: OldRow | null): OldRow {
  const { callback_due, attempted_at = null, ...rest } = event ?? {};
  const columns = ["claim", "outcome", "http_status", "response", "duration_ms"];
  return {
    ...(event && { [`${part}_at`]: event.occurred_at ?? null }),
    [`${part}_attempted_at`]: callback_due ? (attempted_at ?? 0) : null,
    ...Object.fromEntries(columns.map((name) => [`${part}_${name}`, rest[name] ?? null])),
  };
}

/** As a version writes them whose messages keep their events: every second message does. */
function withKeptEvents({ messages = [], events = [], ...others }: OldRows): OldRows {
  const ofMessage = Map.groupBy(events, ({ message_id }) => message_id);
  const keeping = new Set(messages.filter((_, index) => index % 2 === 0).map(({ message_id }) => message_id));
  return {
    ...others,
    messages: messages.map((message) => {
      const { message_id, status } = message;
      const own = keeping.has(message_id) ? (ofMessage.get(message_id) ?? []) : [];
      const kept = (part: "sending" | "final", name: unknown) => {
        const event = own.find((row) => row.event === name);
        return event ? keptCallback(part, event) : {};
      };
      return { ...message, ...kept("sending", "SENDING"), ...(status === "SENDING" ? {} : kept("final", status)) };
    }),
    events: events.filter(({ message_id, event }) => !keeping.has(message_id) || String(event).startsWith("CLICK_")),
  };
}

/**
 * Writes what a Worker that was made for this schema has written: its tables and columns, and no others.
 * @returns the rows of each table
 * @throws Error for a table or column that this file does not know
 */
export async function writeRows(db: D1Database, schema: Schema, rows: OldRows): Promise<OldRows> {
  const unknown = [...schema.keys()].filter((table) => !rows[table]);
  if (unknown.length > 0)
    throw new Error(`no rows for the tables ${unknown}: describe their states in old-rows.ts or old-service-rows.ts`);
  const keepsEvents = schema.get("messages")?.columns.has("sending_attempted_at");
  const written = keepsEvents ? withKeptEvents(rows) : rows;
  const inserts = Object.entries(written).flatMap(([table, given]) => {
    const names = [...(schema.get(table)?.columns.keys() ?? [])];
    const missing = names.filter((name) => given.some((row) => row[name] === undefined));
    if (missing.length > 0)
      throw new Error(`no values for ${table}.${missing}: describe them where the other columns are`);
    if (names.length === 0 || given.length === 0) return [];
    const values = names.map((name) => `value ->> '${name}'`);
    const sql = `INSERT INTO ${table} (${names}) SELECT ${values} FROM json_each(?1)`;
    return [db.prepare(sql).bind(JSON.stringify(given))];
  });
  await db.batch(inserts);
  return written;
}
