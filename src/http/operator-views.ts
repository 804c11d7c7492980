import type { Client } from "../domain/client.ts";
import { toE164 } from "../domain/phone.ts";
import type { Website } from "../domain/website.ts";
import type { Row } from "../platform/store/database.ts";
import { isClick } from "../platform/store/events.ts";
import type { ClickCounts } from "../platform/store/links.ts";

/** Milliseconds since 1970 as ISO 8601 in UTC; whatever is no number as null. */
export function toTime(milliseconds: Row[string] | undefined): string | null {
  return typeof milliseconds === "number" ? new Date(milliseconds).toISOString() : null;
}

export function websiteView({ createdAt, updatedAt, ...website }: Website) {
  return { ...website, createdAt: toTime(createdAt), updatedAt: toTime(updatedAt) };
}

/** A client as an operator sees it: never a secret. */
export function clientView({ createdAt, changedAt, ...client }: Client) {
  return { ...client, createdAt: toTime(createdAt), updatedAt: toTime(changedAt) };
}

export function messageView(row: Row) {
  return {
    messageId: row.message_id,
    websiteId: row.website_id,
    clientId: row.client_id,
    status: row.status,
    reason: row.reason,
    phone: typeof row.phone === "number" ? toE164(row.phone) : null,
    email: row.email,
    text: row.text,
    mediaUrl: row.media_url,
    clickUrl: row.click_url,
    callbackData: row.callback_data,
    sendPurpose: row.send_purpose,
    encoding: row.encoding,
    segments: row.segments,
    carrier: row.carrier,
    carrierMessageId: row.carrier_message_id,
    attempts: row.attempts,
    acceptedAt: toTime(row.accepted_at),
    updatedAt: toTime(row.updated_at),
    claimedAt: toTime(row.claimed_at),
    retryAt: toTime(row.retry_at),
  };
}

export function eventView(row: Row) {
  return {
    eventId: `${row.message_id}_${row.event}`,
    ...(isClick(row) ? { eventType: "message.clicked" } : { eventType: "message.status", status: row.event }),
    occurredAt: toTime(row.occurred_at),
  };
}

/** `outcome` null: the post has not been made, or (with `attemptedAt`) was cut off before it was known. */
export function callbackView(row: Row) {
  if (row.callback_due !== 1) return [];
  return [
    {
      eventId: `${row.message_id}_${row.event}`,
      attemptedAt: toTime(row.attempted_at),
      outcome: row.outcome,
      httpStatus: row.http_status,
      response: row.response,
      durationMilliseconds: row.duration_ms,
    },
  ];
}

/** A number without a row was never subscribed: it has only texted. */
export function personView(phone: string, row: Row | undefined) {
  return {
    phone,
    subscribed: row?.subscribed === 1,
    email: row?.email ?? null,
    optedOutByPerson: row?.opted_out_by_person === 1,
    optOutConfirmedAt: toTime(row?.opt_out_confirmed_at),
  };
}

/** One row of the ledger. */
export function changeView(row: Row) {
  return {
    from: row.was_subscribed === null ? null : row.was_subscribed === 1,
    to: row.subscribed === 1,
    at: toTime(row.changed_at),
    source: row.source,
    proof: row.proof,
  };
}

export function inboundView(row: Row) {
  return {
    from: row.sender,
    to: row.recipient,
    text: row.text,
    keyword: row.keyword,
    carrier: row.carrier,
    carrierMessageId: row.carrier_message_id,
    receivedAt: toTime(row.received_at),
  };
}

export function clicksView({ people, robots, firstAt }: ClickCounts) {
  return { people, robots, firstAt: toTime(firstAt) };
}
