import type * as z from "zod";
import type { Hold } from "../../domain/messages/hold.ts";
import type { SubmissionEntry } from "../../domain/messages/job.ts";
import type { MessageStatus } from "../../domain/messages/message.ts";
import { CLIENT_ID, MESSAGE_ID, SEND_BY_PHONE, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { FoundMessage } from "../../store/messages/find-messages.ts";
import type { StoredEvent, WholeMessage } from "../../store/messages/read-message.ts";
import type { StoredMessage } from "../../store/messages/stored-message.ts";
import type { operatorMessageSchema } from "../answers/messages.ts";
import { heldHoursView } from "./held-hours.ts";

type Message = z.output<typeof operatorMessageSchema>;

const EVENT_ID = `${MESSAGE_ID}_DELIVERED`;

export const MESSAGE = {
  ...SEND_BY_PHONE,
  messageId: MESSAGE_ID,
  websiteId: "brand",
  websiteName: "The Brand",
  clientId: CLIENT_ID,
  clientName: "The newsletter platform",
  status: "DELIVERED",
  reason: null,
  reasonDetail: null,
  email: null,
  mediaUrl: null,
  clickUrl: null,
  ignoredFields: null,
  timeZone: null,
  region: null,
  encoding: "GSM-7",
  segments: 1,
  carrier: "sandbox",
  carrierMessageId: "sandbox-1",
  attempts: 1,
  acceptedAt: TIME,
  scheduledFor: null,
  expiresAt: null,
  updatedAt: TIME,
  claimedAt: TIME,
  retryAt: null,
  waits: null,
  submissions: [{ at: TIME, attempt: 1, outcome: "accepted", reason: null }],
  clicks: { people: 0, robots: 0, firstAt: null },
  events: [{ eventId: EVENT_ID, eventType: "message.status", status: "DELIVERED", reason: null, occurredAt: TIME }],
  callbacks: [
    {
      eventId: EVENT_ID,
      attemptedAt: TIME,
      outcome: "answered",
      httpStatus: 204,
      response: "",
      durationMilliseconds: 85,
    },
  ],
} satisfies Message;

const { events: _, callbacks: _2, clicks: _3, callbackData: _4, submissions: _5, ...others } = MESSAGE;
const { clientName: _6, ignoredFields: _7, ...found } = others;

/** As foundMessageSchema has it. */
export const FOUND_MESSAGE = { ...found, clickedAt: null };

function eventView({ eventId, status, reason, occurredAt }: StoredEvent): Message["events"][number] {
  const about = { eventId, occurredAt: toTime(occurredAt) };
  return status === null
    ? { ...about, eventType: "message.clicked" }
    : { ...about, eventType: "message.status", status, reason };
}

const AT_THE_CARRIER: MessageStatus[] = ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"];

/** Nothing is stored of a message that was accepted at once, but when it was claimed. */
function submissionViews(
  stored: SubmissionEntry[],
  { status, claimedAt, attempts }: StoredMessage,
  events: StoredEvent[],
): Message["submissions"] {
  const isAccepted = attempts === 1 && claimedAt !== null && AT_THE_CARRIER.includes(status);
  const isUnknown = events.some(({ reason }) => reason === "OUTCOME_UNKNOWN");
  const isOnlySkipped = stored.every(({ attempt }) => attempt === null);
  const known: SubmissionEntry[] =
    isOnlySkipped && isAccepted && !isUnknown
      ? [...stored, { at: claimedAt, attempt: 1, outcome: "accepted", reason: null }]
      : stored;
  return known.map((entry) => ({ ...entry, at: toTime(entry.at) }));
}

function callbackViews({ eventId, callback }: StoredEvent): Message["callbacks"] {
  return callback ? [{ eventId, ...callback, attemptedAt: toTime(callback.attemptedAt) }] : [];
}

/** Why a message is pending, and until when at least. */
function waitsView(message: StoredMessage & { hold: Hold | null }, now: number): Message["waits"] {
  const { status, claimedAt, reasonDetail, retryAt, scheduledFor } = message;
  if (status !== "PENDING_TO_SEND") return null;
  if (claimedAt !== null) return { until: null, because: "its submission" };
  const { hold } = message;
  if (hold) {
    const held = { by: hold.by, since: toTime(hold.since), reason: hold.reason };
    return { until: null, because: "an operator holds it", held };
  }
  if (scheduledFor !== null && scheduledFor > now) {
    const hours = heldHoursView(message);
    const until = toTime(scheduledFor);
    return hours ? { until, because: "its sending hours", hours } : { until, because: "its sendAt" };
  }
  const isRetried = retryAt !== null && retryAt > now;
  return isRetried
    ? { until: toTime(retryAt), because: reasonDetail ?? "a retry" }
    : { until: null, because: "its job" };
}

function factsView(message: StoredMessage, hold: Hold | null, now: number) {
  const { callbackData: _, opensAt: _2, hours: _3, ...facts } = message;
  return {
    ...facts,
    acceptedAt: toTime(message.acceptedAt),
    scheduledFor: toTime(message.scheduledFor),
    expiresAt: toTime(message.expiresAt),
    updatedAt: toTime(message.updatedAt),
    claimedAt: toTime(message.claimedAt),
    retryAt: message.retryAt !== null && message.retryAt > now ? toTime(message.retryAt) : null,
    waits: waitsView({ ...message, hold }, now),
  };
}

/** A message of a list. */
export function foundView({ hold, websiteName, clickedAt, ...message }: FoundMessage, now: number) {
  return { ...factsView(message, hold, now), websiteName, clickedAt: toTime(clickedAt) };
}

/** A message with all that is stored of it. */
export function messageView(whole: WholeMessage, now: number): Message {
  const { hold, events, clicks, submissions, websiteName, clientName, ignoredFields, ...message } = whole;
  return {
    ...factsView(message, hold, now),
    ...{ websiteName, clientName, ignoredFields, callbackData: message.callbackData },
    submissions: submissionViews(submissions, message, events),
    clicks: { ...clicks, firstAt: toTime(clicks.firstAt) },
    events: events.map(eventView),
    callbacks: events.flatMap(callbackViews),
  };
}
