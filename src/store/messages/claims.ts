// The claims of a run and what became of them: one transaction stores the outcomes of one claim, and makes the next claim. A run that
// is cut off leaves its claim behind: src/flows/messages/end-messages.ts ends its messages.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { BY } from "../../domain/messages/by-fallback.ts";
import type { BreakerChange, BreakerKey, BreakerState } from "../../domain/messages/circuit-breaker.ts";
import type { SubmissionRecord } from "../../domain/messages/job.ts";
import { SCHEDULED_LEAD_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import { dueEvents, recordEvents } from "../callbacks/events.ts";
import { runNamed } from "../database.ts";
import { addCounts } from "../operations/counts.ts";
import { type OutcomeCount, toCounts } from "../operations/outcome-counts.ts";
import { otherFormIn } from "../people/number-forms.ts";
import { piece, prepare, sql } from "../sql.ts";
import { breakerStatements, selectBreakers, toBreakers } from "./carrier-pauses.ts";
import { type ClaimedMessage, type ClaimedRow, toClaimedMessages } from "./claimed-message.ts";
import { IS_HELD } from "./holds.ts";
import { deadlineOf } from "./messages.ts";
import { faultStatements, faultsOf } from "./number-faults.ts";
import { receiptStatements } from "./receipts.ts";
import { WITH_ENTRY } from "./submissions.ts";

/** How submissions of one claim ended. */
export interface Outcomes {
  claim: string;
  records: SubmissionRecord[];
  /** See longestWaitMilliseconds. */
  longestWait: number;
  /** Added to the counts of outcomes, unless the records are stored already. */
  counts: OutcomeCount[];
  /** What they change of circuit breakers. */
  breakers: BreakerChange[];
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
 * - Claim: messages that an operator holds and those of a sender or a carrier that pauses are left out, and so is a message that waits for a retry,
 *   which has a reason, until then. A claimed message that may not be submitted after all has `before`.
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
  const { faults, working, events, reported, breakers } = answer;
  return {
    claimed: toClaimedMessages(answer.claimed),
    due: dueEvents([...faults, ...events, ...reported]),
    breakers: toBreakers(breakers),
    working,
  };
}

export interface Recorded {
  /** Those that were accepted first stand first. */
  claimed: ClaimedMessage[];
  due: DueEvent[];
  /** The circuit breakers of all that has failed since it last worked. */
  breakers: BreakerState[];
  /** What had failed, and works again by these outcomes. */
  working: BreakerKey[];
}

const NO_OUTCOMES = { faults: null, working: null, events: null, reported: null };
const NO_CLAIM = { claim: null, claimed: null, breakers: null };

/** The statements run in the order in which they stand. */
function outcomeStatements(db: D1Database, { claim, records, longestWait, counts, breakers }: Outcomes, now: number) {
  const ids = records.map(({ messageId }) => messageId);
  const list = JSON.stringify(records);
  const isNew = sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN messages m ON m.message_id = j.value
    WHERE m.claim = ${claim})`;
  const recorded = sql`(SELECT value ->> 'messageId' AS message_id, value ->> 'status' AS status, value ->> 'reason' AS reason,
    value ->> 'code' AS code, value ->> 'carrierMessageId' AS carrier_message_id, value ->> 'retryAt' AS retry_at,
    value ->> 'sendAt' AS send_at, value ->> 'opensAt' AS opens_at,
    value ->> 'attempted' AS attempted, value ->> 'by' AS by_fallback, value ->> 'entry' AS entry FROM json_each(${list})) r`;
  return {
    counts: counts.length > 0 ? addCounts(db, toCounts(counts), isNew) : null,
    working: breakerStatements(db, breakers, now, isNew),
    faults: faultStatements(db, faultsOf(records), sql`m.claim = ${claim} AND m.status = 'PENDING_TO_SEND'`, now),
    afterReceipt: prepare(
      db,
      sql`UPDATE messages AS m SET claim = NULL, carrier_message_id = coalesce(m.carrier_message_id, r.carrier_message_id),
          submissions = ${WITH_ENTRY}
        FROM ${recorded} WHERE m.message_id = r.message_id AND m.claim = ${claim} AND m.status <> 'PENDING_TO_SEND'`,
    ),
    outcomes: prepare(
      db,
      sql`UPDATE messages AS m SET claim = NULL, carrier_message_id = coalesce(m.carrier_message_id, r.carrier_message_id),
          submissions = ${WITH_ENTRY},
          status = coalesce(r.status, m.status), reason = r.reason, reason_code = r.code, updated_at = ${now},
          claimed_at = iif(r.status IS NULL OR r.attempted = 0, NULL, m.claimed_at),
          due_at = CASE WHEN r.status IS NOT NULL OR r.send_at > ${now + SCHEDULED_LEAD_MILLISECONDS} THEN NULL
            ELSE coalesce(r.send_at, min(coalesce(r.retry_at, m.due_at), ${deadlineOf(longestWait)})) END,
          send_at = coalesce(r.send_at, m.send_at), opens_at = coalesce(r.opens_at, m.opens_at),
          attempts = m.attempts - (r.attempted = 0), carrier = iif(m.attempts = 1 AND r.attempted = 0, NULL, m.carrier),
          sender = iif(m.attempts = 1 AND r.attempted = 0, NULL, m.sender), by_fallback = coalesce(r.by_fallback, m.by_fallback)
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

/** Whether the message `m` goes by the fallback of its website `w`, or waits for it. Without a fallback, no pause is looked for. */
const GOES_BY_FALLBACK = sql`CASE WHEN w.fallback IS NULL OR m.by_fallback = ${BY.onlyOwn} THEN false WHEN m.by_fallback = ${BY.onlyFallback} THEN true
  WHEN m.by_fallback = ${BY.fallback} THEN NOT w.fallback_pauses WHEN w.pauses THEN NOT w.fallback_pauses ELSE false END`;

/**
 * The statements run in the order in which they stand, after those of the outcomes. The second says what decides on each claimed message:
 * see end-before.ts. D1 runs one transaction after another, so each of two runs counts what the other has begun, or is counted by it.
 */
function claimStatements(db: D1Database, { ids, claim, acceptedAfter }: NextClaim, now: number) {
  const list = JSON.stringify(ids);
  return {
    claim: prepare(
      db,
      sql`UPDATE messages AS m SET claimed_at = ${now}, interrupted_at = NULL, claim = ${claim},
          attempts = attempts + (claim IS NOT ${claim}),
          by_fallback = CASE WHEN w.fallback IS NOT NULL AND m.by_fallback IN (${BY.onlyFallback}, ${BY.onlyOwn}) THEN m.by_fallback
            ELSE ${GOES_BY_FALLBACK} END,
          carrier = iif(${GOES_BY_FALLBACK}, w.fallback ->> 'carrier', w.carrier),
          sender = iif(${GOES_BY_FALLBACK}, w.fallback ->> 'sender', w.sender)
        FROM (SELECT website_id, carrier, sender, settings ->> '$.fallback' AS fallback, EXISTS (SELECT 1 FROM carrier_pauses p
              WHERE p.carrier = websites.carrier AND p.sender IN ('', websites.sender) AND p.open_until > ${now}) AS pauses,
            EXISTS (SELECT 1 FROM carrier_pauses p WHERE p.carrier = settings ->> '$.fallback.carrier'
              AND p.sender IN ('', settings ->> '$.fallback.sender') AND p.open_until > ${now}) AS fallback_pauses
          FROM websites) w
        WHERE m.message_id IN (SELECT value FROM json_each(${list})) AND w.website_id = m.website_id
          AND m.status = 'PENDING_TO_SEND' AND (m.claimed_at IS NULL OR m.claim = ${claim})
          AND (m.reason IS NULL OR m.due_at <= ${now}) AND coalesce(m.send_at, 0) <= ${now}
          AND iif(m.expires_at IS NULL, coalesce(m.send_at, m.accepted_at) > ${acceptedAfter}, m.expires_at > ${now})
          AND NOT iif(${GOES_BY_FALLBACK}, w.fallback_pauses, w.pauses)
          AND NOT ${IS_HELD}`,
    ),
    claimed: prepare(
      db,
      sql<ClaimedRow>`SELECT m.message_id, m.website_id, m.phone, m.text, m.encoding, m.segments, m.media_url, m.carrier, m.sender, m.attempts, m.reason, m.time_zone,
          m.region, m.accepted_at, m.expires_at, m.kind, m.is_reply, m.by_fallback, p.messages_per_minute, p.messages_per_day,
          iif(m.by_fallback IN (${BY.fallback}, ${BY.onlyFallback}), json_object('carrier', w.carrier, 'sender', w.sender), w.settings -> '$.fallback') AS other,
          w.settings -> 'sendingHours' AS sending_hours, s.subscribed, f.failures, w.settings ->> 'unreachableAfter' AS unreachable_after,
          CASE WHEN m.kind = 'marketing' AND w.settings ->> 'frequencyCap' IS NOT NULL THEN (
            SELECT json_object('most', w.settings -> '$.frequencyCap.count', 'went', count(*) FILTER (WHERE b.status <> 'PENDING_TO_SEND'),
              'underWay', count(*) FILTER (WHERE b.status = 'PENDING_TO_SEND'))
            FROM messages b WHERE b.website_id = m.website_id AND b.phone IN (m.phone, ${otherFormIn(piece("m.phone"))})
              AND b.claimed_at > ${now} - (w.settings ->> '$.frequencyCap.hours') * 3600000 AND b.claim IS NOT ${claim}
              AND b.kind IS NOT 'transactional' AND b.is_reply = 0) END AS cap
        FROM json_each(${list}) j CROSS JOIN messages m ON m.message_id = j.value CROSS JOIN websites w ON w.website_id = m.website_id
          LEFT JOIN subscriptions s ON s.website_id = m.website_id AND s.phone = m.phone
          LEFT JOIN sender_paces p ON p.carrier = m.carrier AND p.sender = m.sender
          LEFT JOIN number_faults f ON f.website_id = m.website_id AND f.phone = m.phone
        WHERE m.claim = ${claim} AND m.status = 'PENDING_TO_SEND' ORDER BY m.accepted_at, m.message_id`,
    ),
    breakers: selectBreakers(db),
  };
}
