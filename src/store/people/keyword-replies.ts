// The reply to a keyword: one for each text, whichever of its websites are in this database, and in one transaction with this part.

import type { NewMessage } from "../../domain/messages/message.ts";
import type { Keyword } from "../../domain/people/keyword.ts";
import { runQuery } from "../database.ts";
import { ANSWER, OPT_OUT_CONFIRMATION } from "../messages/messages.ts";

/** A repeated STOP within this time gets no second confirmation. */
export const CONFIRM_AGAIN_AFTER_MILLISECONDS = 24 * 3_600_000;

/** Replies to HELP per number and hour, over all websites of the sender. The limit ends a loop of two auto-responders. */
const MOST_HELP = 3;
const HELP_MILLISECONDS = 3_600_000;

/** What is asked of the websites of a sender: of those in one database by SQL, whose parameters are these in this order. */
export interface Asked {
  carrier: string;
  carrierMessageId: string;
  /** The websites that share the sender. */
  sharers: string[];
  /** As digits. */
  phone: number;
}

const askedValues = ({ carrier, carrierMessageId, sharers, phone }: Asked) =>
  [carrier, carrierMessageId, JSON.stringify(sharers), phone] as const;

const THIS_TEXT = "i.website_id = w.value AND i.carrier = ?1 AND i.carrier_message_id = ?2";

/** The value of inbound_texts.applied for a keyword that its website has answered. */
const ANSWERED = 3;

const IS_ANSWERED = `EXISTS (SELECT 1 FROM json_each(?3) w CROSS JOIN inbound_texts i ON ${THIS_TEXT} AND i.applied = ${ANSWERED})`;

/** SQL: what inbound_texts.applied becomes where a keyword has taken effect. @param messageId of the reply */
export const appliedWith = (messageId: string) =>
  `iif(EXISTS (SELECT 1 FROM messages m WHERE m.message_id = ${messageId} AND m.website_id = inbound_texts.website_id), ${ANSWERED}, 1)`;

/** The person is told of an opt-out if one of the websites has not confirmed it within the last day. */
const isUntold = (now: number) => `EXISTS (SELECT 1 FROM json_each(?3) w
  LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = ?4
  WHERE (s.subscribed = 0 AND s.opted_out_by_person = 1
    AND s.opt_out_confirmed_at > ${now - CONFIRM_AGAIN_AFTER_MILLISECONDS}) IS NOT TRUE)`;

const helpedSince = (
  now: number,
) => `(SELECT count(*) FROM json_each(?3) w CROSS JOIN messages m ON m.website_id = w.value
  AND m.phone = ?4 AND m.accepted_at > ${now - HELP_MILLISECONDS} WHERE m.is_reply = ${ANSWER})`;

/** The same of the websites in other databases, before the transaction: a reply may be one too many at the same moment. */
export interface Elsewhere {
  isAnswered: boolean;
  isUntold: boolean;
  helped: number;
}

export async function readElsewhere(db: D1Database, asked: Asked, now: number): Promise<Elsewhere> {
  const rows = await runQuery<{ is_answered: 0 | 1; is_untold: 0 | 1; helped: number }>(
    db
      .prepare(`SELECT ${IS_ANSWERED} AS is_answered, ${isUntold(now)} AS is_untold, ${helpedSince(now)} AS helped`)
      .bind(...askedValues(asked)),
  );
  return {
    isAnswered: rows[0]?.is_answered === 1,
    isUntold: rows[0]?.is_untold === 1,
    helped: rows[0]?.helped ?? 0,
  };
}

/**
 * Stores a reply if it is due: for a text that its website has not applied yet, and that no other has answered. A number that opted
 * out gets one confirmation, and no other text, not even a reply to HELP.
 */
export function replyStatements(
  db: D1Database,
  asked: Asked,
  keyword: Keyword,
  reply: NewMessage,
  elsewhere: Elsewhere,
): D1PreparedStatement[] {
  const now = reply.acceptedAt;
  if (elsewhere.isAnswered || keyword === "start") return [];
  if (keyword === "stop")
    return [insertReply(db, asked, reply, OPT_OUT_CONFIRMATION, elsewhere.isUntold ? "true" : isUntold(now))];
  const isOptedOut = "EXISTS (SELECT 1 FROM subscriptions WHERE website_id = ?5 AND phone = ?4 AND subscribed = 0)";
  const isAllowed = `NOT ${isOptedOut} AND ${helpedSince(now)} + ${elsewhere.helped} < ${MOST_HELP}`;
  return [insertReply(db, asked, reply, ANSWER, isAllowed)];
}

function insertReply(db: D1Database, asked: Asked, reply: NewMessage, isReply: number, isDue: string) {
  const isFresh = `EXISTS (SELECT 1 FROM inbound_texts
    WHERE website_id = ?5 AND carrier = ?1 AND carrier_message_id = ?2 AND applied = 0)`;
  return db
    .prepare(
      `INSERT INTO messages (website_id, message_id, client_id, phone, text, callback_data, send_purpose, status,
         accepted_at, updated_at, due_at, encoding, segments, is_reply)
       SELECT ?5, ?6, ?7, ?4, ?8, ?9, ?10, 'PENDING_TO_SEND', ?11, ?11, ?11, ?12, ?13, ${isReply}
       WHERE ${isFresh} AND NOT ${IS_ANSWERED} AND ${isDue} ON CONFLICT (message_id) DO NOTHING`,
    )
    .bind(
      ...askedValues(asked),
      reply.websiteId,
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
