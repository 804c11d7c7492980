// The reply to a keyword: one for each text, whichever of its websites are in this database, and in one transaction with this part.

import { ANSWER, OPT_OUT_CONFIRMATION } from "../../domain/messages/end-before.ts";
import type { NewMessage } from "../../domain/messages/new-message.ts";
import type { Keyword } from "../../domain/people/keyword.ts";
import { runQuery } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";

/** A repeated STOP within this time gets no second confirmation. */
export const CONFIRM_AGAIN_AFTER_MILLISECONDS = 24 * 3_600_000;

/** Replies to HELP per number and hour, over all websites of the sender. The limit ends a loop of two auto-responders. */
export const MOST_HELP = 3;
const HELP_MILLISECONDS = 3_600_000;

/** The value of inbound_texts.applied for a keyword that its website has answered. */
export const ANSWERED = 3;

/** A text, and the websites of its sender: the conditions below ask those websites that are in one database. */
export interface Asked {
  carrier: string;
  carrierMessageId: string;
  /** The websites that share the sender. */
  sharers: string[];
  /** As digits. */
  phone: number;
}

/** Condition: one of the websites has answered the text. */
const isAnswered = ({ carrier, carrierMessageId, sharers }: Asked): Sql =>
  sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(sharers)}) w
    CROSS JOIN inbound_texts i ON i.website_id = w.value AND i.carrier = ${carrier}
      AND i.carrier_message_id = ${carrierMessageId} AND i.applied = ${ANSWERED})`;

/** Condition: one of the websites has not confirmed the opt-out within the last day, so it sends a confirmation. */
const isUntold = ({ sharers, phone }: Asked, now: number): Sql =>
  sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(sharers)}) w
    LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = ${phone}
    WHERE (s.subscribed = 0 AND s.opted_out_by_person = 1
      AND s.opt_out_confirmed_at > ${now - CONFIRM_AGAIN_AFTER_MILLISECONDS}) IS NOT TRUE)`;

/** The number of replies to HELP in the last hour. */
const helped = ({ sharers, phone }: Asked, now: number): Sql =>
  sql`(SELECT count(*) FROM json_each(${JSON.stringify(sharers)}) w
    CROSS JOIN messages m ON m.website_id = w.value AND m.phone = ${phone} AND m.accepted_at > ${now - HELP_MILLISECONDS}
    WHERE m.is_reply = ${ANSWER})`;

/** The same for the websites in other databases, read before the transaction. So two texts at the same moment may get one reply too many. */
export interface Elsewhere {
  isAnswered: boolean;
  isUntold: boolean;
  helped: number;
}

export async function readElsewhere(db: D1Database, asked: Asked, now: number): Promise<Elsewhere> {
  const rows = await runQuery<{ is_answered: 0 | 1; is_untold: 0 | 1; helped: number }>(
    prepare(
      db,
      sql`SELECT ${isAnswered(asked)} AS is_answered, ${isUntold(asked, now)} AS is_untold, ${helped(asked, now)} AS helped`,
    ),
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
  if (keyword === "stop") {
    const isDue = elsewhere.isUntold ? piece("true") : isUntold(asked, now);
    return insertReply(db, asked, reply, OPT_OUT_CONFIRMATION, isDue);
  }
  const isAllowed = sql`NOT EXISTS (SELECT 1 FROM subscriptions
      WHERE website_id = ${reply.websiteId} AND phone = ${asked.phone} AND subscribed = 0)
    AND ${helped(asked, now)} + ${elsewhere.helped} < ${MOST_HELP}`;
  return insertReply(db, asked, reply, ANSWER, isAllowed);
}

function insertReply(db: D1Database, asked: Asked, reply: NewMessage, isReply: number, isDue: Sql) {
  const { carrier, carrierMessageId, phone } = asked;
  const { websiteId, messageId, clientId, text, callbackData, sendPurpose, acceptedAt, encoding, segments } = reply;
  const isOwed = sql`EXISTS (SELECT 1 FROM inbound_texts
      WHERE website_id = ${websiteId} AND carrier = ${carrier} AND carrier_message_id = ${carrierMessageId} AND applied = 0)
    AND NOT ${isAnswered(asked)} AND ${isDue}`;
  const insert = prepare(
    db,
    sql`INSERT INTO messages (website_id, message_id, client_id, phone, text, callback_data, send_purpose, status,
        accepted_at, updated_at, due_at, encoding, segments, is_reply)
      SELECT ${websiteId}, ${messageId}, ${clientId}, ${phone}, ${text}, ${callbackData}, ${sendPurpose}, 'PENDING_TO_SEND',
        ${acceptedAt}, ${acceptedAt}, ${acceptedAt}, ${encoding}, ${segments}, ${isReply}
      WHERE ${isOwed}
      ON CONFLICT (message_id) DO NOTHING`,
  );
  return [insert];
}
