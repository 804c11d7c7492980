import * as z from "zod";
import { MESSAGE_EVENT_TYPES } from "../../domain/callbacks/callback.ts";
import type { Hold } from "../../domain/messages/hold.ts";
import type { SubmissionEntry } from "../../domain/messages/job.ts";
import { KINDS } from "../../domain/messages/kind.ts";
import { MESSAGE_STATUSES, type MessageStatus } from "../../domain/messages/message.ts";
import { reasonSchema } from "../../domain/messages/reason.ts";
import { CLIENT_ID, MESSAGE_ID, SEND_BY_PHONE, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { FoundMessage } from "../../store/messages/find-messages.ts";
import type { StoredEvent, WholeMessage } from "../../store/messages/read-message.ts";
import type { StoredMessage } from "../../store/messages/stored-message.ts";
import { callbackSchema, heldSchema, personIdShape } from "../answers.ts";
import { heldHoursSchema, heldHoursView } from "./held-hours.ts";

const submissionSchema = z.object({
  at: z.iso.datetime(),
  attempt: z.int().nullable().describe("null: it was not submitted."),
  outcome: z.string().describe("`accepted`, `refused`, `unknown`, `later`, `unauthorized` or `skipped`."),
  reason: z.string().nullable().describe("In words: the carrier's own, or why it was not submitted."),
});

const eventSchema = z.object({
  eventId: z.string(),
  eventType: z.enum(MESSAGE_EVENT_TYPES),
  status: z.enum(MESSAGE_STATUSES).optional().describe("Only `message.status` has it."),
  reason: reasonSchema.optional(),
  occurredAt: z.iso.datetime(),
});

export const operatorMessageSchema = z.object({
  messageId: z.uuid(),
  websiteId: z.string(),
  websiteName: z.string().nullable(),
  clientId: z.string(),
  clientName: z.string().nullable(),
  status: z.enum(MESSAGE_STATUSES),
  reason: reasonSchema,
  reasonDetail: z
    .string()
    .nullable()
    .describe(
      "In words: why the message waits, or the carrier's own, without what they quote, numbers of seven or more digits, and the text of the message.",
    ),
  phone: z.string().nullable(),
  ...personIdShape,
  email: z.string().nullable(),
  text: z.string(),
  mediaUrl: z.string().nullable(),
  clickUrl: z.string().nullable(),
  callbackData: z.string(),
  sendPurpose: z.string(),
  ignoredFields: z
    .array(z.string())
    .nullable()
    .describe("Fields of the request that no send request has; null: it had none."),
  kind: z.enum(KINDS).nullable().describe("null: a reply to a keyword."),
  timeZone: z.string().nullable().describe("The person's time zone, as the client sent it."),
  region: z.string().nullable().describe("The person's region, as the client sent it."),
  encoding: z.enum(["GSM-7", "UCS-2"]).nullable(),
  segments: z.int().nullable(),
  carrier: z.string().nullable(),
  carrierMessageId: z.string().nullable(),
  attempts: z.int(),
  requestedAt: z.iso
    .datetime()
    .nullable()
    .describe(
      "When a scheduled message was asked for: it is accepted some minutes before its time. null: it was not scheduled.",
    ),
  acceptedAt: z.iso
    .datetime()
    .describe("When it was accepted. If it is scheduled and not accepted yet: when it was asked for."),
  scheduledFor: z.iso.datetime().nullable().describe("When it may go; null: at once."),
  expiresAt: z.iso
    .datetime()
    .nullable()
    .describe("When it may not go any more; null: `SUBMIT_WITHIN_HOURS` after it may first go."),
  updatedAt: z.iso.datetime(),
  claimedAt: z.iso.datetime().nullable(),
  retryAt: z.iso.datetime().nullable().describe("Not before; null once it has passed."),
  waits: z
    .object({
      until: z.iso.datetime().nullable(),
      because: z.string(),
      held: heldSchema.optional().describe("Who holds it, and why. Left out where nobody does."),
      hours: heldHoursSchema.optional().describe("The sending hours that hold it. Left out where none do."),
    })
    .nullable()
    .describe("Until when a PENDING_TO_SEND message waits, and why. Without a time, it is ready to send."),
  submissions: z.array(submissionSchema).describe("In order: the first, and the latest 19."),
  clicks: z.object({ people: z.int(), robots: z.int(), firstAt: z.iso.datetime().nullable() }),
  events: z.array(eventSchema),
  callbacks: z.array(callbackSchema.extend({ eventId: z.string() })),
});

export const CLICKED_AT = z.iso.datetime().nullable().describe("When a person first clicked; null: nobody has.");

export const foundMessageSchema = operatorMessageSchema
  .omit({
    clientName: true,
    callbackData: true,
    ignoredFields: true,
    submissions: true,
    clicks: true,
    events: true,
    callbacks: true,
  })
  .extend({ clickedAt: CLICKED_AT });

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
  kind: "marketing",
  timeZone: null,
  region: null,
  encoding: "GSM-7",
  segments: 1,
  carrier: "sandbox",
  carrierMessageId: "sandbox-1",
  attempts: 1,
  requestedAt: null,
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
    requestedAt: toTime(message.requestedAt),
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
