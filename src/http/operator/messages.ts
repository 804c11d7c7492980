import * as z from "zod/mini";
import type { Deps } from "../../deps.ts";
import { MESSAGE_EVENT_TYPES } from "../../domain/callback.ts";
import { failField, readTogether } from "../../domain/failure.ts";
import { strip } from "../../domain/invisible.ts";
import type { SubmissionEntry } from "../../domain/job.ts";
import { MESSAGE_STATUSES, type MessageStatus } from "../../domain/message.ts";
import { toDigits } from "../../domain/phone.ts";
import { REASONS, reasonSchema } from "../../domain/reason.ts";
import type { Website } from "../../domain/website.ts";
import { mergePages } from "../../flows/ask-each.ts";
import { inDatabaseOf, inEach, whereToLook } from "../../flows/places.ts";
import {
  findMessages,
  listWebsiteIds,
  type MessagePlace,
  type MessageSearch,
} from "../../platform/store/find-messages.ts";
import {
  readMessage,
  type StoredEvent,
  type StoredMessage,
  type WholeMessage,
} from "../../platform/store/read-message.ts";
import { findWebsite } from "../../platform/store/websites.ts";
import { type ApiRequest, type Handler, toStoredId } from "../api-request.ts";
import { toTime } from "../time.ts";
import type { Answers } from "./answers.ts";
import { missingShape, PAGE, readChoice, readPhone, readTime, requireFound } from "./params.ts";

export function messageAnswers() {
  const time = z.iso.datetime();
  const status = z.enum(MESSAGE_STATUSES);
  const event = z.object({
    eventId: z.string(),
    eventType: z.enum(MESSAGE_EVENT_TYPES),
    status: z.optional(status).check(z.describe("Of message.status.")),
    reason: z.optional(reasonSchema()),
    occurredAt: time,
  });
  const callback = z.extend(callbackSchema(), { eventId: z.string() });
  const message = z.object({
    messageId: z.uuid(),
    websiteId: z.string(),
    websiteName: z.nullable(z.string()),
    clientId: z.string(),
    clientName: z.nullable(z.string()),
    status,
    reason: reasonSchema(),
    reasonDetail: z.nullable(z.string()).check(z.describe("In words: the carrier's own, or why the message waits.")),
    phone: z.nullable(z.string()),
    email: z.nullable(z.string()),
    text: z.string(),
    mediaUrl: z.nullable(z.string()),
    clickUrl: z.nullable(z.string()),
    callbackData: z.string(),
    sendPurpose: z.string(),
    ignoredFields: z
      .nullable(z.array(z.string()))
      .check(z.describe("Fields of the request that no send request has; null: it had none.")),
    encoding: z.nullable(z.enum(["GSM-7", "UCS-2"])),
    segments: z.nullable(z.int()),
    carrier: z.nullable(z.string()),
    carrierMessageId: z.nullable(z.string()),
    attempts: z.int(),
    acceptedAt: time,
    updatedAt: time,
    claimedAt: z.nullable(time),
    retryAt: z.nullable(time).check(z.describe("Not before; null once it has passed.")),
    waits: z
      .nullable(z.object({ until: z.nullable(time), because: z.string() }))
      .check(z.describe("Of PENDING_TO_SEND: until when, and why. Without a time, it is its turn.")),
    submissions: z.array(submissionSchema()).check(z.describe("In order: the first, and the latest 19.")),
    clicks: z.object({ people: z.int(), robots: z.int(), firstAt: z.nullable(time) }),
    events: z.array(event),
    callbacks: z.array(callback),
  });
  const { events: _, callbacks: _2, clicks: _3, callbackData: _4, submissions: _5, ...others } = message.shape;
  const { websiteName: _6, clientName: _7, ignoredFields: _8, ...facts } = others;
  return {
    OperatorMessage: message,
    FoundMessages: z.object({
      messages: z.array(z.object(facts)),
      next: z
        .nullable(z.string())
        .check(z.describe("The `cursor` of the next page, which may have older ones; null: there are none.")),
      ...missingShape(),
    }),
  };
}

function submissionSchema() {
  return z.object({
    at: z.iso.datetime(),
    attempt: z.nullable(z.int()).check(z.describe("null: it was not submitted.")),
    outcome: z.string().check(z.describe("`accepted`, `refused`, `unknown`, `later`, `unauthorized` or `skipped`.")),
    reason: z.nullable(z.string()).check(z.describe("In words: the carrier's own, or why it was not submitted.")),
  });
}

export function callbackSchema() {
  return z.object({
    attemptedAt: z.nullable(z.iso.datetime()),
    outcome: z.nullable(z.enum(["answered", "timed-out", "unreachable", "not-posted"])),
    httpStatus: z.nullable(z.int()),
    response: z
      .nullable(z.string())
      .check(z.describe("The first kilobyte of the response, or the error; null: its body could not be read.")),
    durationMilliseconds: z.nullable(z.number()),
  });
}

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
