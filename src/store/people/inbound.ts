import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { NewMessage } from "../../domain/messages/new-message.ts";
import type { Keyword } from "../../domain/people/keyword.ts";
import type { Sent, WithoutEffect } from "../../domain/people/last-word.ts";
import { dueEvents } from "../callbacks/events.ts";
import { textNotices } from "../callbacks/notices.ts";
import { runNamed, runQuery } from "../database.ts";
import { formsOf, removeFaults } from "../messages/number-faults.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { nameOfText } from "./erasure.ts";
import { ANSWERED, type Asked, type Elsewhere, replyStatements } from "./keyword-replies.ts";
import { isFresh, keywordStatements } from "./keyword-statements.ts";
import type { InboundTextRow } from "./rows.ts";

/** A text that a person sent. */
export interface InboundRecord extends Sent {
  /** The website that it is for; `""` when none was found. */
  websiteId: string;
  /** Whether the clients of the website hear of it. */
  isTold: boolean;
  /** It is for one website alone, whose sender no other shares, and the number has one form. */
  isOnlyOne: boolean;
  carrier: string;
  carrierMessageId: string;
  /** E.164; as the carrier gave it when it is not a phone number. */
  from: string;
  to: string;
  text: string;
  keyword: Keyword | null;
  maybeOptOut: boolean;
  /** The sender as digits, in each form; empty when a keyword can have no effect. */
  phones: number[];
  /** The sender as digits; null when it is no phone number, or may be several. */
  sender: number | null;
  mediaUrls: string[];
  /** When it came: milliseconds since 1970. */
  receivedAt: number;
  /** When it is stored. It may have waited since it came. */
  now: number;
}

/** Nobody could be meant: an operator must act. A START that does not count is listed, and no problem. */
const IS_LOST = piece("i.without_effect IN ('no-website', 'no-phone-number')");

/** A reply to a keyword. It is due unless one of the websites that share the sender has answered already, here or elsewhere. */
export interface DueReply {
  message: NewMessage;
  keyword: Keyword;
  asked: Asked;
  elsewhere: Elsewhere;
}

/**
 * Stores a text and applies its keyword, in one transaction. Repeating it with the same text changes nothing, even if its sender was erased
 * since.
 * @param reply stored if a reply is due
 * @param tombstones of the first number, which START removes
 * @param run names the notices; null: no event is posted
 * @returns `isReplyDue`: the reply was stored and must be delivered; `withoutEffect`: why the keyword had none
 */
export async function applyInbound(
  db: D1Database,
  inbound: InboundRecord,
  reply: DueReply | null,
  tombstones: string[],
  run: string | null,
): Promise<{ isReplyDue: boolean; withoutEffect: WithoutEffect | null; due: DueEvent[] }> {
  const { phones, isTold } = inbound;
  const rows = await runNamed(db, {
    keep: keepText(db, inbound, tombstones),
    told: run === null || !isTold ? null : textNotices(db, run, { ...inbound, phone: inbound.sender }),
    answer: reply && replyStatements(db, reply.asked, reply.keyword, reply.message, reply.elsewhere),
    reached:
      inbound.sender === null ? null : removeFaults(db, inbound.websiteId, formsOf(inbound.sender), isFresh(inbound)),
    act: phones.length === 0 ? null : keywordStatements(db, { ...inbound, tombstones, isConfirmed: true, run }),
    applied: markApplied(db, inbound, reply),
    reply: replyStatement(db, reply?.message ?? null),
  });
  const [row] = rows.applied;
  const due = dueEvents([...rows.told, ...rows.act]);
  return { isReplyDue: rows.reply.length === 1, withoutEffect: row?.without_effect ?? null, due };
}

/** The row says whether its keyword counts. A START does unless an opt-out of the number, or its erasure, is later. */
function keepText(db: D1Database, inbound: InboundRecord, tombstones: string[]): D1PreparedStatement {
  const { websiteId, carrier, carrierMessageId, from, to, text, keyword, receivedAt, sentAt, rankAt } = inbound;
  const [forms, marks] = [JSON.stringify(inbound.phones), JSON.stringify(tombstones)];
  return prepare(
    db,
    sql`INSERT INTO inbound_texts (website_id, carrier, carrier_message_id, sender, recipient, text, keyword, received_at,
        maybe_opt_out, without_effect)
      SELECT ${websiteId}, ${carrier}, ${carrierMessageId}, ${from}, ${to}, ${text}, ${keyword}, ${receivedAt},
        ${inbound.maybeOptOut ? 1 : 0}, CASE
          WHEN ${keyword} IS NULL THEN NULL
          WHEN ${websiteId} = '' THEN 'no-website'
          WHEN json_array_length(${forms}) = 0 THEN 'no-phone-number'
          WHEN ${keyword} = 'start' AND (
            EXISTS (SELECT 1 FROM json_each(${forms}) f CROSS JOIN subscriptions o ON o.website_id = ${websiteId} AND o.phone = f.value
              WHERE o.opted_out_at > ${rankAt} OR iif(o.stop_carrier = ${carrier} AND ${sentAt} IS NOT NULL,
                o.stop_sent_at > ${sentAt}, o.stop_stored_at > ${rankAt}))
            OR EXISTS (SELECT 1 FROM erased_people e WHERE e.website_id = ${websiteId} AND e.erased_at > ${rankAt}
              AND e.mark IN (SELECT value FROM json_each(${marks})))) THEN 'later-opt-out' END
      WHERE NOT EXISTS (SELECT 1 FROM cancelled_messages c
        WHERE c.message_id = ${nameOfText(sql`${websiteId}`, sql`${carrier}`, sql`${carrierMessageId}`)}) ON CONFLICT DO NOTHING`,
  );
}

/** A START is no loss where the number is subscribed, and had no effect where it is still not. */
function markApplied(db: D1Database, inbound: InboundRecord, reply: DueReply | null) {
  const { websiteId, carrier, carrierMessageId, phones } = inbound;
  return prepare(
    db,
    sql<
      Pick<InboundTextRow, "without_effect">
    >`UPDATE inbound_texts AS i SET applied = iif(EXISTS (SELECT 1 FROM messages m
          WHERE m.message_id = ${reply?.message.messageId ?? ""} AND m.website_id = i.website_id), ${ANSWERED}, 1),
        without_effect = CASE WHEN keyword IS NOT 'start' THEN without_effect
          WHEN EXISTS (SELECT 1 FROM json_each(${JSON.stringify(phones)}) f
            CROSS JOIN subscriptions s ON s.website_id = i.website_id AND s.phone = f.value WHERE s.subscribed = 1) THEN NULL
          ELSE coalesce(without_effect, 'unknown-person') END
      WHERE website_id = ${websiteId} AND carrier = ${carrier} AND carrier_message_id = ${carrierMessageId}
        AND applied = 0 RETURNING without_effect`,
  );
}

/** Whether the reply is stored. The insert's own result cannot tell: the batch may have run twice. */
function replyStatement(db: D1Database, reply: NewMessage | null): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT 1 AS found FROM messages WHERE message_id = ${reply?.messageId ?? ""} AND status = 'PENDING_TO_SEND'`,
  );
}

/** A text as it is stored. */
export interface InboundText
  extends Pick<
    InboundRecord,
    "carrier" | "carrierMessageId" | "from" | "to" | "text" | "keyword" | "maybeOptOut" | "receivedAt"
  > {
  /** null: no website has its recipient as a sender. */
  websiteId: string | null;
  /** Why its keyword had no effect; null: it had, or there is none. */
  withoutEffect: WithoutEffect | null;
  /** What an operator has decided of a text that may be an opt-out; null: nothing. */
  decided: { optOut: boolean; operator: string; at: number } | null;
}

export function toInboundText(row: InboundTextRow): InboundText {
  return {
    websiteId: row.website_id || null,
    carrier: row.carrier,
    carrierMessageId: row.carrier_message_id,
    from: row.sender,
    to: row.recipient,
    text: row.text,
    keyword: row.keyword,
    maybeOptOut: row.maybe_opt_out === 1,
    withoutEffect: row.without_effect,
    receivedAt: row.received_at,
    decided:
      row.decided_opt_out === null
        ? null
        : { optOut: row.decided_opt_out === 1, operator: row.decided_by ?? "", at: row.decided_at ?? 0 },
  };
}

/**
 * Texts to a website, newest first; of one sender, unless it is null. A page goes on before the time of the last, so it has all of the last
 * one's millisecond.
 */
export async function listInbound(
  db: D1Database,
  websiteId: string,
  { sender, before, limit }: { sender: string | null; before: number; limit: number },
): Promise<InboundText[]> {
  const isSent = sender === null ? piece("true") : sql`sender = ${sender}`;
  const isAskedFor = sql`website_id = ${websiteId} AND received_at < ${before} AND ${isSent}`;
  const rows = await runQuery<InboundTextRow>(
    prepare(
      db,
      sql`SELECT * FROM inbound_texts WHERE ${isAskedFor} AND received_at >= coalesce((
          SELECT received_at FROM inbound_texts WHERE ${isAskedFor} ORDER BY received_at DESC LIMIT 1 OFFSET ${limit - 1}), 0)
        ORDER BY received_at DESC`,
    ),
  );
  return rows.map(toInboundText);
}

/** Keywords without effect, texts without a website, and those that may be opt-outs, newest first, with all of the last one's millisecond. */
export async function listWithoutEffect(db: D1Database, before: number, limit: number): Promise<InboundText[]> {
  // Each is read by its own index.
  const ofNone = sql`i.website_id = '' AND i.received_at < ${before}`;
  const ignored = sql`i.without_effect IS NOT NULL AND i.received_at < ${before}`;
  const maybe = sql`i.maybe_opt_out = 1 AND i.received_at < ${before}`;
  const first = (which: Sql) =>
    sql`SELECT * FROM (SELECT * FROM inbound_texts i WHERE ${which} ORDER BY i.received_at DESC LIMIT ${limit})`;
  const since = (which: Sql) =>
    sql`SELECT * FROM inbound_texts i WHERE ${which} AND i.received_at >= (SELECT at FROM edge)`;
  const rows = await runQuery<InboundTextRow>(
    prepare(
      db,
      sql`WITH edge (at) AS MATERIALIZED (SELECT coalesce((
          SELECT received_at FROM (${first(ofNone)} UNION ${first(ignored)} UNION ${first(maybe)})
          ORDER BY received_at DESC LIMIT 1 OFFSET ${limit - 1}), 0))
        ${since(ofNone)} UNION ${since(ignored)} UNION ${since(maybe)} ORDER BY received_at DESC`,
    ),
  );
  return rows.map(toInboundText);
}

/** Counts the keywords since a time that concern nobody, by an index that has no texts with an effect. */
export function countWithoutEffect(db: D1Database, since: number, limit: number): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT count(*) AS count, min(received_at) AS oldest_at FROM (SELECT received_at FROM inbound_texts i
      WHERE ${IS_LOST} AND received_at > ${since}
      ORDER BY received_at LIMIT ${limit})`,
  );
}

/** Counts the texts since a time that may be opt-outs, and whose sender is not opted out, by an index that has no other texts. */
export function countMaybeOptOuts(db: D1Database, since: number, limit: number): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT count(*) AS count, min(received_at) AS oldest_at FROM (SELECT i.received_at FROM inbound_texts i
      WHERE i.maybe_opt_out = 1 AND i.received_at > ${since}
        AND NOT EXISTS (SELECT 1 FROM subscriptions s
          WHERE s.website_id = i.website_id AND s.phone = CAST(substr(i.sender, 2) AS INTEGER) AND s.subscribed = 0)
      ORDER BY i.received_at LIMIT ${limit})`,
  );
}
