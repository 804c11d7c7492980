import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { MESSAGE_EVENT_TYPES } from "../../domain/callbacks/callback.ts";
import type { Website } from "../../domain/clients/website.ts";
import { failField, readTogether } from "../../domain/failure.ts";
import type { SubmissionEntry } from "../../domain/messages/job.ts";
import { MESSAGE_STATUSES, type MessageStatus } from "../../domain/messages/message.ts";
import { REASONS, reasonSchema } from "../../domain/messages/reason.ts";
import { strip } from "../../domain/people/invisible.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { mergePages } from "../../flows/databases/ask-each.ts";
import { inDatabaseOf, inEach, whereToLook } from "../../flows/databases/places.ts";
import { findWebsite } from "../../store/clients/websites.ts";
import {
  findMessages,
  listWebsiteIds,
  type MessagePlace,
  type MessageSearch,
} from "../../store/messages/find-messages.ts";
import {
  readMessage,
  type StoredEvent,
  type StoredMessage,
  type WholeMessage,
} from "../../store/messages/read-message.ts";
import { type ApiRequest, type Handler, toStoredId } from "../api-request.ts";
import { toTime } from "../time.ts";
import { type Answers, callbackSchema, missingShape } from "./answers.ts";
import { PAGE, readChoice, readPhone, readTime, requireFound } from "./params.ts";

const submissionSchema = z.object({
  at: z.iso.datetime(),
  attempt: z.int().nullable().describe("null: it was not submitted."),
  outcome: z.string().describe("`accepted`, `refused`, `unknown`, `later`, `unauthorized` or `skipped`."),
  reason: z.string().nullable().describe("In words: the carrier's own, or why it was not submitted."),
});

const eventSchema = z.object({
  eventId: z.string(),
  eventType: z.enum(MESSAGE_EVENT_TYPES),
  status: z.enum(MESSAGE_STATUSES).optional().describe("Of message.status."),
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
  reasonDetail: z.string().nullable().describe("In words: the carrier's own, or why the message waits."),
  phone: z.string().nullable(),
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
  encoding: z.enum(["GSM-7", "UCS-2"]).nullable(),
  segments: z.int().nullable(),
  carrier: z.string().nullable(),
  carrierMessageId: z.string().nullable(),
  attempts: z.int(),
  acceptedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  claimedAt: z.iso.datetime().nullable(),
  retryAt: z.iso.datetime().nullable().describe("Not before; null once it has passed."),
  waits: z
    .object({ until: z.iso.datetime().nullable(), because: z.string() })
    .nullable()
    .describe("Of PENDING_TO_SEND: until when, and why. Without a time, it is its turn."),
  submissions: z.array(submissionSchema).describe("In order: the first, and the latest 19."),
  clicks: z.object({ people: z.int(), robots: z.int(), firstAt: z.iso.datetime().nullable() }),
  events: z.array(eventSchema),
  callbacks: z.array(callbackSchema.extend({ eventId: z.string() })),
});

const foundMessageSchema = operatorMessageSchema.omit({
  websiteName: true,
  clientName: true,
  callbackData: true,
  ignoredFields: true,
  submissions: true,
  clicks: true,
  events: true,
  callbacks: true,
});

export const messageAnswers = {
  OperatorMessage: operatorMessageSchema,
  FoundMessages: z.object({
    messages: z.array(foundMessageSchema),
    next: z
      .string()
      .nullable()
      .describe("The `cursor` of the next page, which may have older ones; null: there are none."),
    ...missingShape,
  }),
};

export type MessageAnswers = Answers<typeof messageAnswers>;
type Message = MessageAnswers["OperatorMessage"];

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
  const known: SubmissionEntry[] =
    stored.length === 0 && isAccepted && !isUnknown
      ? [{ at: claimedAt, attempt: 1, outcome: "accepted", reason: null }]
      : stored;
  return known.map((entry) => ({ ...entry, at: toTime(entry.at) }));
}

function callbackViews({ eventId, callback }: StoredEvent): Message["callbacks"] {
  return callback ? [{ eventId, ...callback, attemptedAt: toTime(callback.attemptedAt) }] : [];
}

/** Why a message is pending, and until when at least. */
function waitsView(message: StoredMessage & { isHeld: boolean }, now: number): Message["waits"] {
  const { status, claimedAt, reasonDetail, retryAt } = message;
  if (status !== "PENDING_TO_SEND") return null;
  if (claimedAt !== null) return { until: null, because: "its submission" };
  if (message.isHeld) return { until: null, because: "an operator holds it" };
  const isRetried = retryAt !== null && retryAt > now;
  return isRetried
    ? { until: toTime(retryAt), because: reasonDetail ?? "a retry" }
    : { until: null, because: "its job" };
}

function factsView(message: StoredMessage, isHeld: boolean, now: number) {
  const { callbackData: _, ...facts } = message;
  return {
    ...facts,
    acceptedAt: toTime(message.acceptedAt),
    updatedAt: toTime(message.updatedAt),
    claimedAt: toTime(message.claimedAt),
    retryAt: message.retryAt !== null && message.retryAt > now ? toTime(message.retryAt) : null,
    waits: waitsView({ ...message, isHeld }, now),
  };
}

/** GET /operator/messages?website=&phone=&… : newest first. */
export const findMessagesHandler: Handler = async (request, deps) => {
  const { website, search } = await readSearch(request, deps);
  const cursor = String(request.query.cursor ?? "");
  const read = async ({ db }: Deps, from: string) => {
    const websiteIds = website === undefined ? await listWebsiteIds(db) : [website.websiteId];
    const { messages, next } = await findMessages(db, { ...search, websiteIds, before: readCursor(from) }, PAGE);
    const items = messages.map((item) => ({ item, at: item.acceptedAt, cursor: writeCursor(item.place) }));
    return { items, next: next && writeCursor(next) };
  };
  const databases = website === undefined ? inEach(deps) : [await whereToLook(deps, website.home, website.database)];
  const { items, next, missing } = await mergePages(databases, cursor, PAGE, read);
  const answer: MessageAnswers["FoundMessages"] = {
    messages: items.map(({ isHeld, place: _, ...message }) => factsView(message, isHeld, deps.now())),
    next,
    ...missing,
  };
  request.logged = { found: items.length };
  return Response.json(answer);
};

const writeCursor = ({ acceptedAt, row }: MessagePlace) => `${acceptedAt}-${row}`;

interface Asked {
  /** undefined: any. */
  website: Website | undefined;
  search: Omit<MessageSearch, "websiteIds" | "before">;
}

async function readSearch(request: ApiRequest, deps: Deps): Promise<Asked> {
  const { website, phone, email } = request.query;
  // A plus sign that is not escaped comes as a space.
  const text = phone ? strip(String(phone).replace(/^ (?=\d)/, "+")) : undefined;
  const search = readTogether({
    phone: () => {
      if (!website && !text)
        failField("website", "name a website, or a phone: without both, all messages would be read");
      return text === undefined ? undefined : toDigits(readPhone(text));
    },
    email: () => (email ? String(email).trim().toLowerCase() : undefined),
    status: () => readChoice(request, "status", MESSAGE_STATUSES),
    reason: () => readChoice(request, "reason", REASONS),
    sendPurpose: () => (request.query.purpose ? String(request.query.purpose) : undefined),
    clientId: () => (request.query.client ? toStoredId(String(request.query.client)) : undefined),
    from: () => readTime(request, "from", 0),
    until: () => readTime(request, "until", Number.MAX_SAFE_INTEGER),
  });
  return { website: website ? await requireKnown(deps, String(website)) : undefined, search };
}

async function requireKnown(deps: Deps, websiteId: string): Promise<Website> {
  const { db } = await inDatabaseOf(deps, { websiteId }, true);
  return (await findWebsite(db, websiteId)) ?? failField("website", "is unknown");
}

function readCursor(cursor: string): MessagePlace | null {
  if (cursor === "") return null;
  const [, acceptedAt, row] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? failField("cursor", "must be a `next`");
  return { acceptedAt: Number(acceptedAt), row: Number(row) };
}

/** GET /operator/messages/:messageId */
export const getMessageHandler: Handler = async (request, deps) => {
  const messageId = toStoredId(request.params.messageId ?? "");
  const found = await readMessage(deps.db, messageId);
  return Response.json(messageView(requireFound(found, "message"), deps.now()));
};

/** A message with all that is stored of it. */
export function messageView(whole: WholeMessage, now: number): Message {
  const { isHeld, events, clicks, submissions, websiteName, clientName, ignoredFields, ...message } = whole;
  return {
    ...factsView(message, isHeld, now),
    ...{ websiteName, clientName, ignoredFields, callbackData: message.callbackData },
    submissions: submissionViews(submissions, message, events),
    clicks: { ...clicks, firstAt: toTime(clicks.firstAt) },
    events: events.map(eventView),
    callbacks: events.flatMap(callbackViews),
  };
}
