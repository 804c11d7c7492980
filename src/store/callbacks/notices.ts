// What clients hear of inbound texts and of subscriptions: an event for each client that wants it, with its body. The statements run in
// the transaction of what they tell of, and only where hasListeners has found a client: else each would read some rows for nothing.
import { runQuery } from "../database.ts";
import type { ChangeSource } from "../rows.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** Condition: the client `c` wants events of texts or of subscriptions. Such clients of a website are in clients_with_events. */
const HEARS_OF_TEXTS = piece(`c.events IS NOT NULL AND instr(c.events, '"message.received"') > 0`);
export const HEARS_OF_CHANGES = piece(`c.events IS NOT NULL AND instr(c.events, '"subscription.changed"') > 0`);

/** Whether a client of these websites, or of the website of this message, may want notices. Reads one row where none does. */
export async function hasListeners(
  db: D1Database,
  of: { websiteIds: string[] } | { messageId: string },
): Promise<boolean> {
  const listener =
    "messageId" in of
      ? sql`SELECT 1 FROM messages m CROSS JOIN clients c INDEXED BY clients_with_events
          WHERE c.events IS NOT NULL AND c.website_id = m.website_id AND m.message_id = ${of.messageId} LIMIT 1`
      : sql`SELECT 1 FROM json_each(${JSON.stringify(of.websiteIds)}) w CROSS JOIN clients c INDEXED BY clients_with_events
          WHERE c.events IS NOT NULL AND c.website_id = w.value LIMIT 1`;
  return (await runQuery(prepare(db, listener))).length > 0;
}

/** An inbound text, as its event has it. */
export interface ToldText {
  carrier: string;
  carrierMessageId: string;
  /** The websites whose clients hear of it. */
  toldIds: string[];
  from: string;
  /** As digits; null when it is no phone number. */
  phone: number | null;
  to: string;
  text: string;
  mediaUrls: string[];
  keyword: string | null;
  receivedAt: number;
}

/**
 * Tells of a text. Runs after the text is stored, and before its keyword is answered.
 * @returns a statement with rows for dueEvents; run again, it writes nothing
 */
export function textNotices(db: D1Database, run: string, told: ToldText): D1PreparedStatement {
  const { carrier, carrierMessageId, toldIds, from, phone, to, text, mediaUrls, keyword, receivedAt } = told;
  const body = { from, to, text, mediaUrls, receivedAt: toIso(receivedAt), keyword, inReplyTo: null };
  return prepare(
    db,
    sql`INSERT INTO events (message_id, client_id, website_id, event, phone, body, occurred_at, due_at)
      SELECT ${run} || '-' || c.client_id, c.client_id, c.website_id, 'message.received', ${phone},
        json_set(${JSON.stringify(body)}, '$.inReplyTo', (SELECT l.message_id FROM messages l
          WHERE l.website_id = c.website_id AND l.phone = ${phone} AND l.is_reply = 0
            AND l.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') ORDER BY l.accepted_at DESC LIMIT 1)),
        ${receivedAt}, iif(c.callback_url IS NULL, NULL, ${receivedAt})
      FROM json_each(${JSON.stringify(toldIds)}) w CROSS JOIN clients c INDEXED BY clients_with_events
        CROSS JOIN inbound_texts i ON i.website_id = w.value AND i.carrier = ${carrier}
          AND i.carrier_message_id = ${carrierMessageId} AND i.applied = 0
      WHERE c.website_id = w.value AND ${HEARS_OF_TEXTS}
      ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at`,
  );
}

/** Whose changes they are. */
export interface ToldOrigin {
  /** Names the notices of the transaction. */
  run: string;
  source: ChangeSource;
  /** The client that made them: it is not told. */
  clientId?: string | undefined;
  now: number;
}

/**
 * The id of the latest change of the number `n`: the time of its first, and how many it has had. The number of the row counts the changes
 * of other websites too. After an erasure the ledger begins anew, at a later time.
 */
const CHANGE_OF_NUMBER = piece(`(SELECT l.changed_at FROM subscription_changes l
    WHERE l.website_id = n.website_id AND l.phone = n.phone ORDER BY l.change_id LIMIT 1)
  + (SELECT count(*) FROM subscription_changes l WHERE l.website_id = n.website_id AND l.phone = n.phone)`);

/**
 * Tells of new rows of the ledger. Runs after the statement that adds them and before the one that changes the subscriptions,
 * and chooses as the former does.
 * @param changes a query of the changes, once for each client `c` that HEARS_OF_CHANGES: `client_id`, `website_id`, `callback_url`,
 *   `phone`, `subscribed`
 * @returns a statement with rows for dueEvents; run again, it writes nothing
 */
export function changeNotices(db: D1Database, changes: Sql, origin: ToldOrigin): D1PreparedStatement {
  const { run, source, clientId = "", now } = origin;
  return prepare(
    db,
    sql`INSERT INTO events (message_id, client_id, website_id, event, phone, body, occurred_at, due_at)
      SELECT ${run} || '-' || row_number() OVER (PARTITION BY client_id ORDER BY change_id) || '-' || client_id, client_id, website_id, 'subscription.changed', phone,
        json_object('phone', '+' || CAST(phone AS INTEGER), 'subscribed', json(iif(subscribed = 1, 'true', 'false')),
          'source', ${source}, 'changedAt', ${toIso(now)}, 'changeId', ${CHANGE_OF_NUMBER}),
        ${now}, iif(callback_url IS NULL, NULL, ${now})
      FROM (SELECT t.*, (SELECT max(change_id) FROM subscription_changes l
          WHERE l.website_id = t.website_id AND l.phone = t.phone) AS change_id
        FROM (${changes}) t) n
      WHERE client_id <> ${clientId} ORDER BY client_id, change_id
      ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at`,
  );
}

function toIso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
