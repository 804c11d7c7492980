import { callbackFields, EVENT_TYPES } from "../domain/callbacks/callback.ts";
import { failField, readTogether } from "../domain/failure.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { inQuery, ok, type Resource, timeInQuery } from "../http/call.ts";
import { MESSAGE_ID, PHONE, SEND_BY_PHONE, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { CALLBACK_STATES, type FoundEvent, findEvents } from "../store/callbacks/event-feed.ts";
import { findClient } from "../store/clients/clients.ts";
import { type ClientEvent, clientEventAnswers } from "./answers/client-events.ts";
import { operatorCall } from "./operator-call.ts";
import { CLIENT, PAGE, readChoice, readTime, requireClientId, requireFound } from "./params.ts";

const EVENT = {
  ...{ eventId: `${MESSAGE_ID}_DELIVERED`, eventType: "message.status", occurredAt: TIME, messageId: MESSAGE_ID },
  ...{ sendPurpose: SEND_BY_PHONE.sendPurpose, status: "DELIVERED", reason: null, phone: PHONE },
  callback: {
    ...{ attemptedAt: TIME, outcome: "answered", httpStatus: 503, response: "down for a minute" },
    durationMilliseconds: 85,
  },
} satisfies ClientEvent;

const list = operatorCall({
  id: "listClientEvents",
  method: "GET",
  path: "/operator/clients/:clientId/events",
  tag: "Clients",
  summary: "List the events of a client, and what its endpoint answered",
  description:
    "Newest first, 100 per page, for as long as events are kept. One page looks through at most 10,000 events, so it may have fewer, or none, and `next` all the same: `lookedBackTo` says how far it has looked.",
  database: "named",
  parameters: [
    CLIENT,
    inQuery("type", "The type of the event.", { enum: [...EVENT_TYPES] }),
    inQuery(
      "callback",
      "What has become of its callback. `taken`: answered 2xx. `failed`: anything else came of its one post. `waiting`: it is due. `none`: it is not posted.",
      { enum: [...CALLBACK_STATES] },
    ),
    timeInQuery("until", "Events before this time, or before this day."),
    inQuery("cursor", "The `next` of the page before."),
  ],
  answers: [ok(clientEventAnswers.ClientEvents, "One page.", { events: [EVENT], next: null, lookedBackTo: null })],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "events",
    next: ({ events: { length }, lookedBackTo }) =>
      lookedBackTo && `${length || "None"} of the events since ${lookedBackTo}. Older ones are not looked at yet.`,
  },
  run: async (request, deps) => {
    const search = readTogether({
      eventType: () => readChoice(request, "type", EVENT_TYPES),
      callback: () => readChoice(request, "callback", CALLBACK_STATES),
      until: () => readTime(request, "until", Number.MAX_SAFE_INTEGER),
      before: () => readCursor(request),
    });
    const client = requireFound(await findClient(deps.db, requireClientId(request)), "client");
    const { events, next } = await findEvents(deps.db, client, search, PAGE);
    request.logged = { clientId: client.clientId, found: events.length };
    return {
      events: events.map(eventView),
      next: next && String(next.seq),
      lookedBackTo: toTime(next?.occurredAt ?? null),
    };
  },
});

function readCursor({ query }: ApiRequest): number {
  const cursor = String(query.cursor ?? "");
  if (cursor === "") return Number.MAX_SAFE_INTEGER;
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : failField("cursor", "must be the `next` of an earlier page");
}

const OF_NO_MESSAGE = { messageId: null, sendPurpose: null, status: null, reason: null };

function eventView({ event, callback, occurredAt }: FoundEvent): ClientEvent {
  const { eventId, eventType } = event;
  const { messageId, sendPurpose, status, reason } = "body" in event ? OF_NO_MESSAGE : event;
  const { phone = null, from = phone }: Record<string, unknown> = callbackFields(event);
  return {
    ...{ eventId, eventType, occurredAt: toTime(occurredAt), messageId, sendPurpose, status, reason },
    phone: from === null ? null : String(from),
    callback: callback && { ...callback, attemptedAt: toTime(callback.attemptedAt) },
  };
}

export const clientEvents: Resource = { calls: [list], schemas: clientEventAnswers };
