import * as z from "zod/mini";
import { EVENT_TYPES } from "../../domain/callback.ts";
import { MESSAGE_STATUSES } from "../../domain/message.ts";
import { reasonSchema } from "../../domain/reason.ts";
import { readClicks } from "../../platform/store/links.ts";
import { readEvents, readMessage, type StoredEvent } from "../../platform/store/read-message.ts";
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
    retryAt: z.nullable(time),
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

/** GET /operator/messages/:messageId */
export const getMessageHandler: Handler = async (request, deps) => {
  const messageId = toStoredId(request.params.messageId ?? "");
  const [found, events, clicks] = await Promise.all([
    readMessage(deps.db, messageId),
    readEvents(deps.db, messageId),
    readClicks(deps.db, messageId),
  ]);
  const message = requireFound(found, "message");
  const answer: Message = {
    ...message,
    acceptedAt: toTime(message.acceptedAt),
    updatedAt: toTime(message.updatedAt),
    claimedAt: toTime(message.claimedAt),
    retryAt: toTime(message.retryAt),
    clicks: { ...clicks, firstAt: toTime(clicks.firstAt) },
    events: events.map(eventView),
    callbacks: events.flatMap(callbackViews),
  };
  return Response.json(answer);
};
