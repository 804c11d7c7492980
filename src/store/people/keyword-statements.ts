import type { Keyword } from "../../domain/people/keyword.ts";
import { changeNotices, HEARS_OF_CHANGES } from "../callbacks/notices.ts";
import { IS_ACQUAINTED } from "../clients/senders.ts";
import { IS_COUNTED } from "../operations/daily-counts.ts";
import { countGrowth, countResponses } from "../operations/traffic-counts.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import type { Tombstone } from "./erasure.ts";
import { CONFIRM_AGAIN_AFTER_MILLISECONDS } from "./keyword-replies.ts";
import { IS_OPEN_TO_UNDO, isDecided } from "./open-to-undo.ts";

/** A text with a keyword, for one of the numbers that its sender may be. */
export interface Acted {
  carrier: string;
  carrierMessageId: string;
  /** JSON */
  websiteIds: string;
  /** As the text is stored with it. */
  sender: string;
  /** As digits. */
  phone: number;
  keyword: Keyword | null;
  text: string;
  receivedAt: number;
  /** No other website shares the sender, and the number has one form. */
  isOnlyOne: boolean;
  tombstones: Tombstone[];
  /** Names the notices of the transaction; null: no event is posted. */
  run: string | null;
}

/**
 * Condition on a website `w.value`: the person has said the opposite later, in a text that came before this one. So a START that a carrier
 * brings again does not end a later STOP. An earlier STOP counts unless a START has brought the person back since.
 */
function isOvertaken({ keyword, sender, phone, receivedAt }: Acted): Sql {
  const isLater = sql`t.website_id = w.value AND t.sender = ${sender} AND t.received_at > ${receivedAt}`;
  return keyword === "stop"
    ? sql`EXISTS (SELECT 1 FROM inbound_texts t CROSS JOIN subscriptions b ON b.website_id = w.value AND b.phone = ${phone}
        AND b.subscribed = 1 WHERE ${isLater} AND t.keyword = 'start')`
    : sql`EXISTS (SELECT 1 FROM inbound_texts t WHERE ${isLater} AND t.keyword = 'stop')`;
}

/** The websites `w.value` that have not applied the text yet. */
const freshWebsites = (acted: Acted): Sql =>
  sql`json_each(${acted.websiteIds}) w CROSS JOIN inbound_texts i ON i.website_id = w.value AND i.carrier = ${acted.carrier}
    AND i.carrier_message_id = ${acted.carrierMessageId} AND i.applied = 0 AND NOT ${isOvertaken(acted)}`;

/** Tells of what the keyword changes. @param isChange the condition of the statement before, which adds the change to the ledger */
function tellChange(db: D1Database, acted: Acted, isChange: Sql, subscribed: 0 | 1): D1PreparedStatement[] {
  const { carrier, carrierMessageId, websiteIds, run, phone, receivedAt } = acted;
  if (run === null) return [];
  const changes = sql`SELECT c.client_id, c.website_id, c.callback_url, ${phone} AS phone, ${subscribed} AS subscribed
    FROM json_each(${websiteIds}) w CROSS JOIN clients c INDEXED BY clients_with_events
      CROSS JOIN inbound_texts i ON i.website_id = w.value AND i.carrier = ${carrier}
        AND i.carrier_message_id = ${carrierMessageId} AND i.applied = 0
      LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = ${phone}
    WHERE c.website_id = w.value AND ${HEARS_OF_CHANGES} AND (${isChange}) AND NOT ${isOvertaken(acted)}`;
  return [changeNotices(db, changes, { run, source: "keyword", now: receivedAt })];
}

/** Counts whom the keyword subscribes or opts out. @param isChange the condition of the statement after, as in tellChange */
function countFresh(db: D1Database, acted: Acted, isChange: Sql, subscribed: 0 | 1): D1PreparedStatement {
  const changes = sql`SELECT w.value AS website_id, s.subscribed AS was, ${subscribed} AS subscribed
    FROM ${freshWebsites(acted)} LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = ${acted.phone}
    WHERE ${isChange}`;
  return countGrowth(db, changes, acted.receivedAt);
}

/** Applies a keyword. Runs after the text is stored and its reply, and before it is marked as applied. */
export function keywordStatements(db: D1Database, acted: Acted): D1PreparedStatement[] {
  switch (acted.keyword) {
    case "stop":
      return [...markLatest(db, acted), ...optOut(db, acted)];
    case "start":
      return optIn(db, acted);
    case "help":
    case null:
      return [];
  }
}

/** The report counts an opt-out for the latest message that a carrier accepted for the person. */
function markLatest(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const { phone } = acted;
  const answered = sql`SELECT m.message_id FROM messages m WHERE m.opted_out <> 1 AND m.message_id IN (
    SELECT (SELECT l.message_id FROM messages l WHERE l.website_id = w.value AND l.phone = ${phone} AND l.is_reply = 0
      AND l.status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') ORDER BY l.accepted_at DESC LIMIT 1)
    FROM ${freshWebsites(acted)}
      CROSS JOIN subscriptions s ON s.website_id = w.value AND s.phone = ${phone} AND s.subscribed = 1)`;
  return [
    prepare(
      db,
      sql`UPDATE daily_counts SET opted_out = opted_out + 1 WHERE (website_id, day, send_purpose, status, reason) IN (
        SELECT m.website_id, m.day, m.send_purpose, m.status, m.reason
        FROM message_counts m WHERE m.message_id IN (${answered}) AND ${IS_COUNTED})`,
    ),
    countResponses(db, "opted-out", answered, acted.receivedAt),
    prepare(db, sql`UPDATE messages SET opted_out = 1 WHERE message_id IN (${answered})`),
  ];
}

function optOut(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const { phone, text, receivedAt } = acted;
  const fresh = freshWebsites(acted);
  const isChange = piece("s.subscribed IS NOT 0 OR s.opted_out_by_person = 0");
  return [
    countFresh(db, acted, isChange, 0),
    prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT w.value, ${phone}, s.subscribed, 0, ${receivedAt}, 'keyword', ${text}
        FROM ${fresh} LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = ${phone}
        WHERE ${isChange} OR ${isDecided(piece("w.value"), sql`${phone}`)}`,
    ),
    ...tellChange(db, acted, isChange, 0),
    prepare(
      db,
      sql`INSERT INTO subscriptions (website_id, phone, subscribed, change_id, opted_out_by_person, opt_out_confirmed_at)
        SELECT w.value, ${phone}, 0, (SELECT max(c.change_id) FROM subscription_changes c
          WHERE c.website_id = w.value AND c.phone = ${phone}), 1, ${receivedAt}
        FROM ${fresh} WHERE true
        ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = 0, change_id = excluded.change_id,
          opted_out_by_person = 1, opt_out_confirmed_at = iif(subscriptions.opted_out_by_person = 1
            AND subscriptions.opt_out_confirmed_at > ${receivedAt - CONFIRM_AGAIN_AFTER_MILLISECONDS},
            subscriptions.opt_out_confirmed_at, ${receivedAt})`,
    ),
  ];
}

/**
 * START subscribes a number that opted out or was erased, and no other. If several websites share the sender, START skips a website that
 * has the number only from its STOP, or from an import that was undone. START is the person's own consent, so it removes the tombstone.
 * If an import has subscribed the number, START adds a row to the ledger, so that no undo of that import takes the number away.
 */
function optIn(db: D1Database, acted: Acted): D1PreparedStatement[] {
  const { phone, text, receivedAt, isOnlyOne } = acted;
  const fresh = freshWebsites(acted);
  const tombstones = JSON.stringify(acted.tombstones);
  const isKnown = isOnlyOne ? piece("true") : IS_ACQUAINTED;
  const isReturning = sql`s.subscribed IS NOT 1 AND ((s.subscribed = 0 AND ${isKnown}) OR EXISTS (
    SELECT 1 FROM json_each(${tombstones}) j CROSS JOIN erased_people e
      ON e.website_id = j.value ->> 'websiteId' AND e.mark = j.value ->> 'mark' WHERE j.value ->> 'websiteId' = w.value))`;
  const latest = sql`(SELECT max(l.change_id) FROM subscription_changes l WHERE l.website_id = w.value AND l.phone = ${phone})`;
  return [
    countFresh(db, acted, isReturning, 1),
    prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT w.value, ${phone}, s.subscribed, 1, ${receivedAt}, 'keyword', ${text}
        FROM ${fresh} LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = ${phone}
        WHERE (${isReturning}) OR (s.subscribed = 1 AND EXISTS (SELECT 1 FROM subscription_changes c
          WHERE c.change_id = ${latest} AND ${IS_OPEN_TO_UNDO}))`,
    ),
    ...tellChange(db, acted, isReturning, 1),
    prepare(
      db,
      sql`INSERT INTO subscriptions (website_id, phone, subscribed, change_id)
        SELECT w.value, ${phone}, 1, ${latest}
        FROM ${fresh} LEFT JOIN subscriptions s ON s.website_id = w.value AND s.phone = ${phone}
        WHERE (${isReturning}) OR (s.subscribed = 1 AND EXISTS (SELECT 1 FROM subscription_changes c
          WHERE c.change_id = ${latest} AND c.change_id <> s.change_id AND c.source = 'keyword'))
        ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = 1, change_id = excluded.change_id,
          opted_out_by_person = 0, opt_out_confirmed_at = NULL`,
    ),
    prepare(
      db,
      sql`DELETE FROM erased_people WHERE (website_id, mark) IN (
          SELECT j.value ->> 'websiteId', j.value ->> 'mark' FROM json_each(${tombstones}) j)
        AND EXISTS (SELECT 1 FROM ${fresh} WHERE w.value = erased_people.website_id)`,
    ),
  ];
}
