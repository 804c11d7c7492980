import * as z from "zod/mini";
import { EVENT_TYPES } from "../../domain/callback.ts";
import { MESSAGE_STATUSES } from "../../domain/message.ts";
import { reasonSchema } from "../../domain/reason.ts";
import { readClicks } from "../../platform/store/links.ts";
import { readEvents, readMessage, type StoredEvent, type StoredMessage } from "../../platform/store/read-message.ts";
import { type Handler, toStoredId } from "../api-request.ts";
import { toTime } from "../time.ts";
import type { Answers } from "./answers.ts";
import { requireFound } from "./params.ts";

export function messageAnswers() {
  const time = z.iso.datetime();
  const status = z.enum(MESSAGE_STATUSES);
  const event = z.object({
    eventId: z.string(),
    eventType: z.enum(EVENT_TYPES),
    status: z.optional(status).check(z.describe("Of message.status.")),
    occurredAt: time,
  });
  const callback = z.object({
    eventId: z.string(),
    attemptedAt: z.nullable(time),
    outcome: z.nullable(z.enum(["answered", "timed-out", "unreachable", "not-posted"])),
    httpStatus: z.nullable(z.int()),
    response: z.nullable(z.string()).check(z.describe("The first kilobyte of the response, or the error.")),
    durationMilliseconds: z.nullable(z.number()),
  });
  const message = z.object({
    messageId: z.uuid(),
    websiteId: z.string(),
    clientId: z.string(),
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
    clicks: z.object({ people: z.int(), robots: z.int(), firstAt: z.nullable(time) }),
    events: z.array(event),
    callbacks: z.array(callback),
  });
  return { OperatorMessage: message };
}

export type MessageAnswers = Answers<typeof messageAnswers>;
type Message = MessageAnswers["OperatorMessage"];

function eventView({ eventId, status, occurredAt }: StoredEvent): Message["events"][number] {
  const about = { eventId, occurredAt: toTime(occurredAt) };
  return status === null
    ? { ...about, eventType: "message.clicked" }
    : { ...about, eventType: "message.status", status };
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

/** GET /operator/messages/:messageId */
export const getMessageHandler: Handler = async (request, deps) => {
  const messageId = toStoredId(request.params.messageId ?? "");
  const [found, events, clicks] = await Promise.all([
    readMessage(deps.db, messageId),
    readEvents(deps.db, messageId),
    readClicks(deps.db, messageId),
  ]);
  const { isHeld, ...message } = requireFound(found, "message");
  const now = deps.now();
  const answer: Message = {
    ...message,
    acceptedAt: toTime(message.acceptedAt),
    updatedAt: toTime(message.updatedAt),
    claimedAt: toTime(message.claimedAt),
    retryAt: message.retryAt !== null && message.retryAt > now ? toTime(message.retryAt) : null,
    waits: waitsView({ ...message, isHeld }, now),
    clicks: { ...clicks, firstAt: toTime(clicks.firstAt) },
    events: events.map(eventView),
    callbacks: events.flatMap(callbackViews),
  };
  return Response.json(answer);
};
