import type { Keyword } from "../../domain/keyword.ts";
import type { NewMessage } from "../../domain/message.ts";
import { type Row, runBatch, runQuery } from "./database.ts";
import { ANSWER, OPT_OUT_CONFIRMATION } from "./messages.ts";
import { LATEST_CHANGE } from "./subscriptions.ts";

/** A text that a person sent to a website; websiteId `""`: to a number that no website has. */
export interface InboundRecord {
  websiteId: string;
  carrier: string;
  carrierMessageId: string;
  from: string;
  to: string;
  text: string;
  keyword: Keyword | null;
  receivedAt: number;
}

/** How long a person who says STOP again gets no second confirmation. */
const CONFIRM_AGAIN_AFTER_MILLISECONDS = 24 * 3_600_000;

/** Names this text, in the statements below; ?1 to ?3 of each. */
const THIS_TEXT = "website_id = ?1 AND carrier = ?2 AND carrier_message_id = ?3";
const NOT_APPLIED = `EXISTS (SELECT 1 FROM inbound_texts WHERE ${THIS_TEXT} AND applied = 0)`;

/**
 * Keeps a text, and does what its keyword says, once: the same text brought again changes nothing.
 * @param phone the sender as digits; null when it is no phone number, so that no keyword counts
 * @param reply what is answered where an answer is due; its recipient is the sender
 * @returns whether the reply was stored, and is to be delivered
 */
export async function applyInbound(
  db: D1Database,
  inbound: InboundRecord,
  phone: number | null,
  reply: NewMessage | null,
): Promise<boolean> {
  const key = [inbound.websiteId, inbound.carrier, inbound.carrierMessageId] as const;
  const keep = db
    .prepare(
      `INSERT INTO inbound_texts (website_id, carrier, carrier_message_id, sender, recipient, text, keyword, received_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING`,
    )
    .bind(...key, inbound.from, inbound.to, inbound.text, inbound.keyword, inbound.receivedAt);
  const applied = db.prepare(`UPDATE inbound_texts SET applied = 1 WHERE ${THIS_TEXT}`).bind(...key);
  const act = phone === null ? [] : keywordStatements(db, inbound, phone, reply);
  const results = await runBatch(db, [keep, ...act, applied, replyStatement(db, reply)]);
  return results.at(-1)?.results.length === 1;
}

/** Whether the reply is there now: with a store that was asked twice, a statement's own result does not say. */
function replyStatement(db: D1Database, reply: NewMessage | null): D1PreparedStatement {
  return db
    .prepare("SELECT 1 AS found FROM messages WHERE message_id = ?1 AND status = 'PENDING_TO_SEND'")
    .bind(reply?.messageId ?? "");
}

function keywordStatements(
  db: D1Database,
  inbound: InboundRecord,
  phone: number,
  reply: NewMessage | null,
): D1PreparedStatement[] {
  switch (inbound.keyword) {
    case "stop":
      return [
        markLatest(db, inbound, phone),
        ...stopReply(db, inbound, phone, reply),
        ...setByPerson(db, inbound, phone, 0),
      ];
    case "start":
      return setByPerson(db, inbound, phone, 1);
    case "help":
      return helpReply(db, inbound, phone, reply);
    case null:
      return [];
  }
}

/** The latest message that a carrier took for the person is the one that they answer, for the report. */
function markLatest(db: D1Database, inbound: InboundRecord, phone: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE messages SET opted_out = 1 WHERE message_id = (SELECT message_id FROM messages WHERE website_id = ?1
         AND phone = ?4 AND is_reply = 0 AND status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY')
         ORDER BY accepted_at DESC LIMIT 1)
       AND ${NOT_APPLIED} AND EXISTS (SELECT 1 FROM subscriptions WHERE website_id = ?1 AND phone = ?4 AND subscribed = 1)`,
    )
    .bind(inbound.websiteId, inbound.carrier, inbound.carrierMessageId, phone);
}

/** One confirmation per opt-out: none for a person who has opted out already and was told so within the last day. */
function stopReply(db: D1Database, inbound: InboundRecord, phone: number, reply: NewMessage | null) {
  if (!reply) return [];
  const toldBefore = `EXISTS (SELECT 1 FROM subscriptions WHERE website_id = ?1 AND phone = ?4 AND subscribed = 0
    AND opted_out_by_person = 1 AND opt_out_confirmed_at > ${inbound.receivedAt - CONFIRM_AGAIN_AFTER_MILLISECONDS})`;
  return [insertReply(db, inbound, phone, reply, OPT_OUT_CONFIRMATION, `NOT ${toldBefore}`)];
}

/** Nobody who has opted out is texted, not even with help. */
function helpReply(db: D1Database, inbound: InboundRecord, phone: number, reply: NewMessage | null) {
  if (!reply) return [];
  const optedOut = "EXISTS (SELECT 1 FROM subscriptions WHERE website_id = ?1 AND phone = ?4 AND subscribed = 0)";
  return [insertReply(db, inbound, phone, reply, ANSWER, `NOT ${optedOut}`)];
}

function insertReply(
  db: D1Database,
  inbound: InboundRecord,
  phone: number,
  reply: NewMessage,
  isReply: number,
  condition: string,
) {
  return db
    .prepare(
      `INSERT INTO messages (website_id, message_id, client_id, phone, text, callback_data, send_purpose, status,
         accepted_at, updated_at, queued_at, encoding, segments, is_reply)
       SELECT ?1, ?5, ?6, ?4, ?7, ?8, ?9, 'PENDING_TO_SEND', ?10, ?10, ?10, ?11, ?12, ${isReply}
       WHERE ${NOT_APPLIED} AND ${condition} ON CONFLICT (message_id) DO NOTHING`,
    )
    .bind(
      inbound.websiteId,
      inbound.carrier,
      inbound.carrierMessageId,
      phone,
      reply.messageId,
      reply.clientId,
      reply.text,
      reply.callbackData,
      reply.sendPurpose,
      reply.acceptedAt,
      reply.encoding,
      reply.segments,
    );
}

/** What the person says of their own number. START brings back who is known and has opted out, and nobody else. */
function setByPerson(db: D1Database, inbound: InboundRecord, phone: number, subscribed: 0 | 1) {
  const changes = subscribed === 0 ? "(s.subscribed IS NOT 0 OR s.opted_out_by_person = 0)" : "s.subscribed = 0";
  const key = [inbound.websiteId, inbound.carrier, inbound.carrierMessageId] as const;
  return [
    db
      .prepare(
        `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
         SELECT ?1, ?4, s.subscribed, ?5, ?6, 'keyword', ?7 FROM (SELECT 1) LEFT JOIN subscriptions s
           ON s.website_id = ?1 AND s.phone = ?4 WHERE ${NOT_APPLIED} AND ${changes}`,
      )
      .bind(...key, phone, subscribed, inbound.receivedAt, inbound.text),
    db
      .prepare(
        `INSERT INTO subscriptions (website_id, phone, subscribed, change_id, opted_out_by_person, opt_out_confirmed_at)
         SELECT ?1, ?4, ?5, ${LATEST_CHANGE("?1", "?4")}, 1 - ?5, iif(?5 = 0, ?6, NULL)
         WHERE ${NOT_APPLIED} AND (?5 = 0 OR EXISTS (SELECT 1 FROM subscriptions WHERE website_id = ?1 AND phone = ?4))
         ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = excluded.subscribed, change_id = excluded.change_id,
           opted_out_by_person = excluded.opted_out_by_person,
           opt_out_confirmed_at = iif(excluded.subscribed = 1, NULL, iif(
             subscriptions.opted_out_by_person = 1
               AND subscriptions.opt_out_confirmed_at > ?6 - ${CONFIRM_AGAIN_AFTER_MILLISECONDS},
             subscriptions.opt_out_confirmed_at, ?6))`,
      )
      .bind(...key, phone, subscribed, inbound.receivedAt),
  ];
}

/** Texts to a website, the latest first; of one sender, where one is given. */
export async function listInbound(
  db: D1Database,
  websiteId: string,
  { sender, before, limit }: { sender: string | null; before: number; limit: number },
): Promise<Row[]> {
  return runQuery(
    db
      .prepare(
        `SELECT * FROM inbound_texts WHERE website_id = ?1 AND (?2 IS NULL OR sender = ?2) AND received_at < ?3
         ORDER BY received_at DESC LIMIT ?4`,
      )
      .bind(websiteId, sender, before, limit),
  );
}
