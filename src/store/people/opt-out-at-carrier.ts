import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { dueEvents } from "../callbacks/events.ts";
import { runNamed, runQuery } from "../database.ts";
import { countOptedOut } from "../operations/count-ledgers.ts";
import { hasCounted } from "../operations/report-counts.ts";
import { prepare, sql } from "../sql.ts";
import { optOutStatements } from "./opt-out.ts";
import type { ChangeOrigin } from "./subscriptions.ts";

/** The recipient of a message. */
export interface Recipient {
  websiteId: string;
  /** As digits. */
  phone: number;
  carrier: string | null;
  /** Whether a client of the website may want notices. */
  hasListeners: boolean;
}

/** undefined: there is no such message, or it has no number. */
export async function findRecipient(db: D1Database, messageId: string): Promise<Recipient | undefined> {
  const [row] = await runQuery<Omit<Recipient, "hasListeners"> & { has_listeners: 0 | 1 }>(
    prepare(
      db,
      sql`SELECT m.website_id AS websiteId, m.phone, m.carrier, EXISTS (SELECT 1 FROM clients c INDEXED BY clients_with_events
          WHERE c.website_id = m.website_id AND c.events IS NOT NULL) AS has_listeners
        FROM messages m WHERE m.message_id = ${messageId} AND m.phone IS NOT NULL`,
    ),
  );
  return row && { ...row, hasListeners: row.has_listeners === 1 };
}

/**
 * Opts out the recipient of a message because its carrier reports an opt-out. Takes effect once per message. If the person had opted out
 * before, as a carrier says of the confirmation of a STOP, the report counts none.
 * @param run names its notices; null: no event is posted
 */
export async function optOutRecipient(
  db: D1Database,
  messageId: string,
  { websiteId, phone }: Pick<Recipient, "websiteId" | "phone">,
  origin: ChangeOrigin,
  run: string | null,
): Promise<DueEvent[]> {
  // The first statement notes with -1 that the person was subscribed, and the last one makes it 1, or 2. A 3 is counted already.
  const isNew = sql`EXISTS (SELECT 1 FROM messages WHERE message_id = ${messageId} AND opted_out IN (-1, 0, 3))`;
  const answered = sql`SELECT message_id FROM messages WHERE message_id = ${messageId} AND opted_out = -1`;
  const rows = await runNamed(db, {
    noted: prepare(
      db,
      sql`UPDATE messages SET opted_out = -1 WHERE message_id = ${messageId} AND opted_out = 0 AND EXISTS (
        SELECT 1 FROM subscriptions s WHERE s.website_id = ${websiteId} AND s.phone = ${phone} AND s.subscribed = 1)`,
    ),
    act: optOutStatements(db, { ...origin, websiteId, phones: [phone], isNew, text: null, isConfirmed: false, run }),
    counts: prepare(db, sql`UPDATE report_counts SET opted_out = opted_out + 1 WHERE ${hasCounted(answered)}`),
    responses: countOptedOut(db, answered, origin.now),
    message: prepare(
      db,
      sql`UPDATE messages SET opted_out = iif(opted_out = 0, 2, 1) WHERE message_id = ${messageId} AND opted_out IN (-1, 0, 3)`,
    ),
  });
  return dueEvents(rows.act);
}
