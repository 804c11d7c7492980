// What clients hear of inbound texts and of subscriptions: an event for each client that wants it, with its body. The statements run in
// the transaction of what they tell of, and only where hasListeners has found a client: else each would read some rows for nothing.
import { runQuery } from "../database.ts";
import type { ChangeSource } from "../rows.ts";
import { piece, prepare, sql } from "../sql.ts";

/** Condition on a message `o`: a carrier has taken it, so a text may answer it. A person answers no reply to their own keyword. */
export const IS_ANSWERABLE = piece("o.is_reply = 0 AND o.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY')");

/** Whether a client of the website may want notices. Reads one row where none does. */
export async function hasListeners(db: D1Database, websiteId: string): Promise<boolean> {
  const listener = sql`SELECT 1 FROM clients INDEXED BY clients_with_events
    WHERE events IS NOT NULL AND website_id = ${websiteId} LIMIT 1`;
  return (await runQuery(prepare(db, listener))).length > 0;
}

/** An inbound text, as its event has it. */
export interface ToldText {
  websiteId: string;
  carrier: string;
  carrierMessageId: string;
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
  const { websiteId, carrier, carrierMessageId, from, phone, to, text, mediaUrls, keyword, receivedAt } = told;
  const body = { from, to, text, mediaUrls, receivedAt: toIso(receivedAt), keyword, inReplyTo: null };
  return prepare(
    db,
    sql`INSERT INTO events (message_id, client_id, website_id, event, phone, body, occurred_at, due_at)
      SELECT ${run} || '-' || c.client_id, c.client_id, c.website_id, 'message.received', ${phone},
        json_set(${JSON.stringify(body)}, '$.inReplyTo', (SELECT o.message_id FROM messages o
          WHERE o.website_id = c.website_id AND o.phone = ${phone} AND ${IS_ANSWERABLE} ORDER BY o.accepted_at DESC LIMIT 1)),
        ${receivedAt}, iif(c.callback_url IS NULL, NULL, ${receivedAt})
      FROM inbound_texts i CROSS JOIN clients c INDEXED BY clients_with_events ON c.website_id = i.website_id
      WHERE i.website_id = ${websiteId} AND i.carrier = ${carrier} AND i.carrier_message_id = ${carrierMessageId} AND i.applied = 0
        AND c.events IS NOT NULL AND instr(c.events, '"message.received"') > 0
      ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at`,
  );
}

/** The rows of the ledger that a transaction has added. */
export interface AddedChanges {
  websiteId: string;
  source: ChangeSource;
  proof: string;
  now: number;
  /** The client that made them: it is not told. */
  clientId?: string | undefined;
}

/**
 * Tells each client that wants it of the changes. Runs after their rows are in the ledger, and before the subscriptions have them. The id of
 * a change is the time of the first of its number, and how many it has had: the number of the row counts the changes of other websites too.
 * After an erasure the ledger begins anew, at a later time.
 * @param run names the notices of the transaction
 * @returns a statement with rows for dueEvents; run again, it writes nothing
 */
export function changeNotices(
  db: D1Database,
  { websiteId, source, proof, now, clientId = "" }: AddedChanges,
  run: string,
): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO events (message_id, client_id, website_id, event, phone, body, occurred_at, due_at)
      SELECT ${run} || '-' || row_number() OVER (PARTITION BY c.client_id ORDER BY l.change_id) || '-' || c.client_id, c.client_id,
        c.website_id, 'subscription.changed', l.phone,
        json_object('phone', '+' || l.phone, 'subscribed', json(iif(l.subscribed = 1, 'true', 'false')),
          'source', l.source, 'changedAt', ${toIso(now)}, 'changeId',
          (SELECT a.changed_at FROM subscription_changes a
            WHERE a.website_id = l.website_id AND a.phone = l.phone ORDER BY a.change_id LIMIT 1)
          + (SELECT count(*) FROM subscription_changes a WHERE a.website_id = l.website_id AND a.phone = l.phone)),
        ${now}, iif(c.callback_url IS NULL, NULL, ${now})
      FROM subscription_changes l LEFT JOIN subscriptions s ON s.website_id = l.website_id AND s.phone = l.phone
        CROSS JOIN clients c INDEXED BY clients_with_events ON c.website_id = l.website_id
      WHERE l.website_id = ${websiteId} AND l.changed_at = ${now} AND l.source = ${source} AND l.proof = ${proof}
        AND l.change_id > coalesce(s.change_id, 0)
        -- The STOP of a number that somebody else has unsubscribed is a change: now only START subscribes it.
        AND (l.was_subscribed IS NOT l.subscribed OR l.source IN ('keyword', 'carrier'))
        AND c.client_id <> ${clientId} AND c.events IS NOT NULL AND instr(c.events, '"subscription.changed"') > 0
      ORDER BY c.client_id, l.change_id
      ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at`,
  );
}

function toIso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
