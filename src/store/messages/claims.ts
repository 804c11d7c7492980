// The claims of a run and what became of them: one transaction stores the outcomes of one claim, and makes the next claim. A run that
// is cut off leaves its claim behind: src/flows/messages/end-messages.ts ends its messages.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { BreakerChange, BreakerState } from "../../domain/messages/circuit-breaker.ts";
import type { SubmissionRecord } from "../../domain/messages/job.ts";
import type { Segments } from "../../domain/messages/segments.ts";
import type { SendingHours } from "../../domain/messages/sending-hours.ts";
import { toE164 } from "../../domain/people/phone.ts";
import { dueEvents, recordEvents } from "../callbacks/events.ts";
import { runNamed } from "../database.ts";
import { addCounts, type OutcomeCount } from "../operations/outcome-counts.ts";
import { countTraffic } from "../operations/traffic-counts.ts";
import type { MessageRow, WebsiteRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { breakerStatements, selectBreakers, toBreakers } from "./carrier-pauses.ts";
import { isOverCap, putBackCrowded } from "./frequency-cap.ts";
import { IS_HELD } from "./holds.ts";
import { ANSWER, deadlineOf, OPT_OUT_CONFIRMATION } from "./messages.ts";
import { receiptStatements } from "./receipts.ts";
import { WITH_ENTRY } from "./submissions.ts";

/** A message that only this run may submit. */
export interface ClaimedMessage {
  messageId: string;
  websiteId: string;
  /** E.164 */
  phone: string;
  text: string;
  encoding: Segments["encoding"];
  mediaUrl: string | null;
  carrier: string;
  sender: string | null;
  /** Submissions started, including this one. */
  attempts: number;
  /** The sending hours of its website, if they are for it; null: it may go at any time. */
  hours: SendingHours | null;
  /** Where the person is, as the client says. */
  timeZone: string | null;
  region: string | null;
  acceptedAt: number;
  /** As the client says; null: SUBMIT_WITHIN_HOURS after it may first go. */
  expiresAt: number | null;
}

/** How submissions of one claim ended. */
export interface Outcomes {
  claim: string;
  records: SubmissionRecord[];
  /** See longestWaitMilliseconds. */
  longestWait: number;
  /** Added to the counts of outcomes, unless the records are stored already. */
  counts: OutcomeCount[];
  /** What they change of the circuit breaker of their carrier; null: nothing. */
  breaker: BreakerChange | null;
}

export interface NextClaim {
  ids: string[];
  /** Names the group; the same name claims the same messages again. */
  claim: string;
  /** Messages without a time at which they expire, and that might go before, are left for the sweep to end. */
  acceptedAfter: number;
}

/**
 * Stores outcomes, and then claims pending messages, in one transaction.
 * - Outcomes: a status that a receipt has set since is not overwritten. The receipts that came with them are applied.
 * - Claim: a message to a number that has opted out since becomes NOT_SUBSCRIBED instead, and one over the frequency cap
 *   FAILED_TO_SEND. So does the confirmation of an opt-out to a number that has opted in again. A message that waits for a retry,
 *   which has a reason, is left out until then, and so is a message of a carrier that pauses. What the cap has no place for while other
 *   messages to the person are being submitted waits for their outcomes.
 * @returns `hasAnswered`: the carrier of the outcomes had paused, and works again
 */
export async function recordAndClaim(
  db: D1Database,
  outcomes: Outcomes | null,
  next: NextClaim | null,
  now: number,
): Promise<Recorded> {
  const answer = await runNamed(db, {
    ...(outcomes ? outcomeStatements(db, outcomes, now) : NO_OUTCOMES),
    ...(next ? claimStatements(db, next, now) : NO_CLAIM),
  });
  const { breaker, events, reported, ended, breakers } = answer;
  return {
    claimed: toClaimedMessages(answer.claimed),
    putBack: answer.crowded.map((row) => ({ messageId: row.message_id, at: row.due_at })),
    due: dueEvents([...events, ...reported, ...ended]),
    breakers: toBreakers(breakers),
    hasAnswered: breaker.length > 0,
  };
}

export interface Recorded {
  claimed: ClaimedMessage[];
  /** The frequency cap had no place for them yet. `at`: when they are due again, in milliseconds since 1970. */
  putBack: { messageId: string; at: number }[];
  due: DueEvent[];
  /** The circuit breakers of carriers that have failed since they last answered, by carrier. */
  breakers: Map<string, BreakerState>;
  hasAnswered: boolean;
}

const NO_OUTCOMES = { breaker: null, events: null, reported: null };
const NO_CLAIM = { crowded: null, claimed: null, ended: null, breakers: null };

/** The statements run in the order in which they stand. */
function outcomeStatements(db: D1Database, { claim, records, longestWait, counts, breaker }: Outcomes, now: number) {
  const ids = records.map(({ messageId }) => messageId);
  const list = JSON.stringify(records);
  const isNew = sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN messages m ON m.message_id = j.value
    WHERE m.claim = ${claim})`;
  const recorded = sql`(SELECT value ->> 'messageId' AS message_id, value ->> 'status' AS status, value ->> 'reason' AS reason,
    value ->> 'code' AS code, value ->> 'carrierMessageId' AS carrier_message_id, value ->> 'retryAt' AS retry_at,
    value ->> 'sendAt' AS send_at, value ->> 'opensAt' AS opens_at,
    value ->> 'attempted' AS attempted, value ->> 'entry' AS entry FROM json_each(${list})) r`;
  return {
    counts: counts.length > 0 ? addCounts(db, counts, isNew) : null,
    breaker: breaker && breakerStatements(db, breaker, now, isNew),
    afterReceipt: prepare(
      db,
      sql`UPDATE messages AS m SET claim = NULL, carrier_message_id = coalesce(m.carrier_message_id, r.carrier_message_id),
          submissions = ${WITH_ENTRY}
        FROM ${recorded} WHERE m.message_id = r.message_id AND m.claim = ${claim} AND m.status <> 'PENDING_TO_SEND'`,
    ),
    traffic: countTraffic(
      db,
      sql`SELECT m.website_id, m.accepted_at, coalesce(m.carrier, '') AS carrier, m.status AS was, r.status
        FROM ${recorded} CROSS JOIN messages m ON m.message_id = r.message_id
        WHERE m.claim = ${claim} AND m.status = 'PENDING_TO_SEND' AND r.status IS NOT NULL`,
      now,
    ),
    outcomes: prepare(
      db,
      sql`UPDATE messages AS m SET claim = NULL, carrier_message_id = coalesce(m.carrier_message_id, r.carrier_message_id),
          submissions = ${WITH_ENTRY},
          status = coalesce(r.status, m.status), reason = r.reason, reason_code = r.code, updated_at = ${now},
          claimed_at = iif(r.status IS NULL OR r.attempted = 0, NULL, m.claimed_at),
          due_at = iif(r.status IS NULL, coalesce(r.send_at, min(coalesce(r.retry_at, m.due_at), ${deadlineOf(longestWait)})), NULL),
          send_at = coalesce(r.send_at, m.send_at), opens_at = coalesce(r.opens_at, m.opens_at),
          attempts = m.attempts - (r.attempted = 0)
        FROM ${recorded} WHERE m.message_id = r.message_id AND m.claim = ${claim} AND m.status = 'PENDING_TO_SEND'`,
    ),
    events: recordEvents(db, ids, now),
    reported: receiptStatements(
      db,
      records.flatMap(({ receipt }) => receipt ?? []),
      now,
    ),
  };
}

/** The statements run in the order in which they stand, after those of the outcomes. */
function claimStatements(db: D1Database, { ids, claim, acceptedAfter }: NextClaim, now: number) {
  const list = JSON.stringify(ids);
  // Its person is not subscribed. A confirmation of an opt-out goes to just such a person; another reply, to anybody who has not opted out.
  const hasOptedOut = sql`CASE m.is_reply WHEN ${OPT_OUT_CONFIRMATION} THEN false
      WHEN ${ANSWER} THEN EXISTS (SELECT 1 FROM subscriptions s
        WHERE s.website_id = m.website_id AND s.phone = m.phone AND s.subscribed = 0)
      ELSE NOT EXISTS (SELECT 1 FROM subscriptions s
        WHERE s.website_id = m.website_id AND s.phone = m.phone AND s.subscribed = 1) END`;
  // It confirms an opt-out, and its person has opted in again.
  const hasReturned = sql`(m.is_reply = ${OPT_OUT_CONFIRMATION} AND EXISTS (SELECT 1 FROM subscriptions s
    WHERE s.website_id = m.website_id AND s.phone = m.phone AND s.subscribed = 1))`;
  // Nothing but its person's subscription and the frequency cap can keep it back now.
  const mayGo = sql`m.status = 'PENDING_TO_SEND' AND (m.reason IS NULL OR m.due_at <= ${now})
    AND coalesce(m.send_at, 0) <= ${now} AND iif(m.expires_at IS NULL, coalesce(m.send_at, m.accepted_at) > ${acceptedAfter}, m.expires_at > ${now})
    AND NOT ${IS_HELD}
    AND NOT EXISTS (SELECT 1 FROM websites w CROSS JOIN carrier_pauses p ON p.carrier = w.carrier AND p.open_until > ${now}
      WHERE w.website_id = m.website_id)`;
  const overCap = isOverCap(sql`${mayGo} AND NOT ${hasOptedOut}`, now);
  // A refused message fails, or is NOT_SUBSCRIBED.
  const fails = sql`(${overCap} OR ${hasReturned})`;
  const isRefused = sql`m.message_id IN (SELECT value FROM json_each(${list})) AND m.status = 'PENDING_TO_SEND'
    AND m.claimed_at IS NULL AND (${hasOptedOut} OR ${fails})`;
  return {
    refusedTraffic: countTraffic(
      db,
      sql`SELECT m.website_id, m.accepted_at, coalesce(m.carrier, '') AS carrier, m.status AS was,
          iif(${fails}, 'FAILED_TO_SEND', 'NOT_SUBSCRIBED') AS status
        FROM messages m WHERE ${isRefused}`,
      now,
    ),
    refused: prepare(
      db,
      sql`UPDATE messages AS m SET status = iif(${fails}, 'FAILED_TO_SEND', 'NOT_SUBSCRIBED'),
          reason = CASE WHEN ${hasReturned} THEN 'the person has opted in again'
            WHEN ${overCap} THEN 'over the frequency cap of the website' ELSE 'opted out before it was submitted' END,
          reason_code = CASE WHEN ${hasReturned} THEN 'CANCELLED' WHEN ${overCap} THEN 'FREQUENCY_CAP' ELSE 'OPTED_OUT' END, updated_at = ${now}, due_at = NULL WHERE ${isRefused}`,
    ),
    crowded: putBackCrowded(db, list, mayGo, now),
    claimed: prepare(
      db,
      sql<ClaimedRow>`UPDATE messages AS m SET claimed_at = ${now}, claim = ${claim}, attempts = attempts + (claim IS NOT ${claim}),
          carrier = (SELECT carrier FROM websites w WHERE w.website_id = m.website_id)
        WHERE message_id IN (SELECT value FROM json_each(${list})) AND (claimed_at IS NULL OR claim = ${claim}) AND ${mayGo}
        RETURNING message_id, website_id, phone, text, encoding, media_url, attempts, carrier, time_zone, region, accepted_at,
          expires_at, kind IS NOT 'transactional' AND is_reply = 0 AS is_marketing,
          (SELECT json_array(sender, w.settings -> 'sendingHours') FROM websites w WHERE w.website_id = messages.website_id) AS settings`,
    ),
    ended: recordEvents(db, ids, now),
    breakers: selectBreakers(db),
  };
}

/** Only a message with a number and a carrier is claimed. */
interface ClaimedRow
  extends Pick<MessageRow, "message_id" | "website_id" | "text" | "media_url" | "attempts" | "time_zone" | "region">,
    Pick<MessageRow, "accepted_at" | "expires_at">,
    Pick<WebsiteRow, "carrier"> {
  phone: number;
  encoding: Segments["encoding"];
  is_marketing: 0 | 1;
  /** The sender and the sending hours of the website, as JSON. */
  settings: string;
}

/** The messages of a website share its hours: what hoursAt has read of them, it reads once. */
function toClaimedMessages(rows: ClaimedRow[]): ClaimedMessage[] {
  const texts = [...new Set(rows.map(({ settings }) => settings))];
  const settings = new Map(texts.map((text) => [text, JSON.parse(text) as [string | null, SendingHours | null]]));
  return rows.map((row) => {
    const [sender = null, hours = null] = settings.get(row.settings) ?? [];
    return {
      messageId: row.message_id,
      websiteId: row.website_id,
      phone: toE164(row.phone),
      text: row.text,
      encoding: row.encoding,
      mediaUrl: row.media_url,
      carrier: row.carrier,
      sender,
      attempts: row.attempts,
      hours: row.is_marketing === 1 ? hours : null,
      timeZone: row.time_zone,
      region: row.region,
      acceptedAt: row.accepted_at,
      expiresAt: row.expires_at,
    };
  });
}
