// The claims of a run and what became of them: what one group of submissions has come to is stored with the claim of the next.
import type { SubmissionRecord } from "../../domain/job.ts";
import { toE164 } from "../../domain/phone.ts";
import type { Segments } from "../../domain/segments.ts";
import { type ClaimedCallback, selectClaimedOf, toClaimedCallbacks } from "./callbacks.ts";
import { runNamed } from "./database.ts";
import {
  type DueEvent,
  dueEvents,
  keepEvent,
  MOST_OWN_CALLBACKS,
  recordChanges,
  recordEvents,
  returnKept,
} from "./events.ts";
import { isHeld } from "./holds.ts";
import { ANSWER, OPT_OUT_CONFIRMATION } from "./messages.ts";
import { addCounts, type OutcomeCount } from "./outcome-counts.ts";
import { receiptStatements } from "./receipts.ts";
import type { MessageRow, WebsiteRow } from "./rows.ts";
import { withSubmission } from "./submissions.ts";

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
  /** It has waited for a retry, its own or that of its carrier. */
  wasPutOff: boolean;
}

/** How submissions of one claim ended. */
export interface Outcomes {
  claim: string;
  records: SubmissionRecord[];
  /** See longestWaitMilliseconds. */
  longestWait: number;
  /** Added to the counts of outcomes, unless the records are stored already. */
  counts: OutcomeCount[];
  /** Claims the callbacks of the first of them for the caller; null: all are for the queue. */
  callbackClaim: string | null;
}

export interface NextClaim {
  ids: string[];
  /** Names the group; the same name claims the same messages again. */
  claim: string;
  /** Older messages are left for the sweep to end. */
  acceptedAfter: number;
}

/**
 * Stores outcomes, and then claims pending messages, in one transaction.
 * - Outcomes: a status that a receipt has set since is not overwritten. The receipts that came with them are applied.
 * - Claim: a message to a number that has opted out since becomes NOT_SUBSCRIBED instead.
 */
export async function recordAndClaim(
  db: D1Database,
  outcomes: Outcomes | null,
  next: NextClaim | null,
  now: number,
): Promise<{ claimed: ClaimedMessage[]; due: DueEvent[]; callbacks: ClaimedCallback[] }> {
  const {
    recorded,
    outcomes: stored,
    reported,
    callbacks,
    claimed,
    ended,
  } = await runNamed(db, {
    ...NOTHING,
    ...(outcomes && outcomeStatements(db, outcomes, now)),
    ...(next && claimStatements(db, next, now)),
  });
  return {
    claimed: (claimed as ClaimedRow[]).map(toClaimedMessage),
    due: dueEvents([...recorded, ...stored, ...reported, ...ended]),
    callbacks: toClaimedCallbacks(callbacks),
  };
}

/** The statements in their order. */
const NOTHING = {
  ...{ counts: null, recorded: null, outcomes: null, reported: null, callbacks: null },
  ...{ optedOut: null, claimed: null, ended: null },
};

function outcomeStatements(db: D1Database, outcomes: Outcomes, now: number) {
  const { claim, records, longestWait, counts, callbackClaim } = outcomes;
  const receipts = records.flatMap(({ receipt }) => receipt ?? []);
  // A message whose carrier has said with its answer that it is final has two.
  const most = MOST_OWN_CALLBACKS / (receipts.length > 0 ? 2 : 1);
  const own = callbackClaim === null ? null : { claim: callbackClaim, most };
  const ids = records.map(({ messageId }) => messageId);
  const outcome = (name: keyof SubmissionRecord | "isOwn") =>
    `json_extract(?1, '$."' || messages.message_id || '".${name}')`;
  const unlessFinal = (value: string, column: string) => `iif(status = 'PENDING_TO_SEND', ${value}, ${column})`;
  const isUnclaimed = `status = 'PENDING_TO_SEND' AND ${outcome("status")} IS NULL`;
  const stillClaimed = `EXISTS (SELECT 1 FROM json_each(?2) j CROSS JOIN messages m ON m.message_id = j.value
    WHERE m.claim = ?3)`;
  const changes = records.flatMap(({ messageId, status, code = null }) =>
    status === null ? [] : [{ messageId, status, code, isKept: status === "SENDING" && code === null }],
  );
  const isChanged = `m.claim = ?3 AND m.status = 'PENDING_TO_SEND'`;
  const owned = new Set(changes.slice(0, own?.most ?? 0).map(({ messageId }) => messageId));
  const byMessageId = Object.fromEntries(
    records.map((record) => [record.messageId, { ...record, isOwn: owned.has(record.messageId) }]),
  );
  const sending = {
    condition: `status = 'PENDING_TO_SEND' AND ${outcome("status")} = 'SENDING'`,
    status: "'SENDING'",
    isOwn: outcome("isOwn"),
    ...{ claim: "?5", now: "?3" },
  };
  return {
    counts:
      counts.length > 0
        ? addCounts(db, counts, { condition: stillClaimed, values: [JSON.stringify(ids), claim] })
        : null,
    recorded: recordChanges(db, changes, { now, condition: isChanged, value: claim }),
    outcomes: db
      .prepare(
        `UPDATE messages SET carrier_message_id = coalesce(carrier_message_id, ${outcome("carrierMessageId")}),
           status = ${unlessFinal(`coalesce(${outcome("status")}, status)`, "status")},
           reason = ${unlessFinal(outcome("reason"), "reason")}, reason_code = ${unlessFinal(outcome("code"), "reason_code")}, retry_at = ${unlessFinal(outcome("retryAt"), "NULL")},
           claimed_at = iif(${isUnclaimed}, NULL, claimed_at), claim = NULL,
           queued_at = iif(${outcome("status")} IS NULL AND status = 'PENDING_TO_SEND',
             coalesce(min(${outcome("retryAt")}, accepted_at + ?4), queued_at), 0),
           attempts = ${unlessFinal(`attempts - (${outcome("attempted")} = 0)`, "attempts")},
           submissions = ${withSubmission(outcome("entry"))},
           ${keepEvent("sending", sending)},
           updated_at = ${unlessFinal("?3", "updated_at")}, watched = iif(${isUnclaimed}, 1, watched)
         WHERE message_id IN (SELECT key FROM json_each(?1)) AND claim = ?2
         RETURNING ${returnKept("sending", "'SENDING'", "?3")}`,
      )
      .bind(JSON.stringify(byMessageId), claim, now, longestWait, callbackClaim),
    reported: receiptStatements(db, receipts, now, own),
    callbacks: callbackClaim === null ? null : selectClaimedOf(db, ids, callbackClaim, now),
  };
}

const SUBSCRIPTION = `SELECT 1 FROM subscriptions s
  WHERE s.website_id = messages.website_id AND s.phone = messages.phone`;

function claimStatements(db: D1Database, { ids, claim, acceptedAfter }: NextClaim, now: number) {
  const list = JSON.stringify(ids);
  return {
    optedOut: db
      .prepare(
        `UPDATE messages SET status = 'NOT_SUBSCRIBED', reason = 'opted out before it was submitted',
           reason_code = 'OPTED_OUT', updated_at = ?2
         WHERE message_id IN (SELECT value FROM json_each(?1)) AND status = 'PENDING_TO_SEND' AND claimed_at IS NULL
           AND CASE is_reply WHEN ${OPT_OUT_CONFIRMATION} THEN false
             WHEN ${ANSWER} THEN EXISTS (${SUBSCRIPTION} AND s.subscribed = 0)
             ELSE NOT EXISTS (${SUBSCRIPTION} AND s.subscribed = 1) END`,
      )
      .bind(list, now),
    claimed: db
      .prepare(
        `UPDATE messages SET claimed_at = ?2, claim = ?3, attempts = attempts + (claim IS NOT ?3),
           carrier = (SELECT carrier FROM websites w WHERE w.website_id = messages.website_id)
         WHERE message_id IN (SELECT value FROM json_each(?1)) AND status = 'PENDING_TO_SEND'
           AND (claimed_at IS NULL OR claim = ?3) AND (retry_at IS NULL OR retry_at <= ?2) AND accepted_at > ?4
           AND NOT ${isHeld("messages")}
         RETURNING message_id AS claimed_id, website_id, phone, text, encoding, media_url, attempts, carrier, retry_at,
           (SELECT sender FROM websites w WHERE w.website_id = messages.website_id) AS sender`,
      )
      .bind(list, now, claim, acceptedAfter),
    ended: recordEvents(db, ids, now),
  };
}

/** Only a message with a number and a carrier is claimed. */
interface ClaimedRow
  extends Pick<MessageRow, "website_id" | "text" | "media_url" | "attempts" | "retry_at">,
    Pick<WebsiteRow, "carrier" | "sender"> {
  claimed_id: string;
  phone: number;
  encoding: Segments["encoding"];
}

function toClaimedMessage(row: ClaimedRow): ClaimedMessage {
  return {
    messageId: row.claimed_id,
    websiteId: row.website_id,
    phone: toE164(row.phone),
    text: row.text,
    encoding: row.encoding,
    mediaUrl: row.media_url,
    carrier: row.carrier,
    sender: row.sender,
    attempts: row.attempts,
    wasPutOff: row.retry_at !== null,
  };
}
