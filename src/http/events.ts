import * as z from "zod";
import type { Deps } from "../deps.ts";
import { ATTEMPT_OUTCOMES, callbackFields, callbackSchemas } from "../domain/callbacks/callback.ts";
import { type FieldError, RequestFailure } from "../domain/failure.ts";
import { readEventCursor, toEventCursor } from "../platform/event-cursor.ts";
import { type FeedEvent, readFeed } from "../store/callbacks/event-feed.ts";
import { type ApiRequest, clientOf } from "./api-request.ts";
import { call, inQuery, ok, type Resource } from "./call.ts";
import { MESSAGE_ID, PHONE, SEND_BY_PHONE, TIME } from "./examples.ts";
import { inLimit, limitFault, readLimit } from "./limit-parameter.ts";
import { toTime } from "./time.ts";

const EVENTS_LIMIT = { fallback: 100, most: 1000 };

const callbackSchema = z
  .object({
    attemptedAt: z.iso.datetime().nullable(),
    outcome: z.enum(ATTEMPT_OUTCOMES).nullable(),
    httpStatus: z.int().nullable(),
  })
  .nullable()
  .describe(
    "Null: the event is not posted. `attemptedAt` null: not posted yet. `outcome` null after that: the post is under way, or was cut off.",
  );

export const eventsAnswerSchema = z.object({
  events: z.array(z.union(Object.values(callbackSchemas).map((schema) => schema.extend({ callback: callbackSchema })))),
  next: z
    .string()
    .describe(
      "The `after` of the next request. It is opaque, of a constant length, and valid until the operator replaces `SERVICE_KEY`.",
    ),
  more: z.boolean().describe("Whether other events are stored already."),
});

const list = call({
  id: "listEvents",
  method: "GET",
  path: "/text/events",
  tag: "Messages",
  summary: "Read the client's events",
  description:
    "Returns the body of each callback and its outcome, in the order in which the events were stored, for as long as they are kept. The list has events that are never posted, too. Reading changes nothing, and does not replace callbacks. New events always come after every cursor that you hold.",
  access: { client: "status" },
  database: "client",
  parameters: [
    inQuery("after", "The `next` of the answer before. Absent: from the oldest event on."),
    inLimit("The most events in the answer.", EVENTS_LIMIT),
  ],
  answers: [
    ok(eventsAnswerSchema, "The next events. There may be none.", {
      events: [
        {
          eventId: `${MESSAGE_ID}_DELIVERED`,
          eventType: "message.status",
          messageId: MESSAGE_ID,
          status: "DELIVERED",
          reason: null,
          occurredAt: TIME,
          phone: PHONE,
          sendPurpose: SEND_BY_PHONE.sendPurpose,
          callbackData: SEND_BY_PHONE.callbackData,
          callback: { attemptedAt: TIME, outcome: "answered", httpStatus: 200 },
        },
      ],
      next: "qvQdYBxO9mTq3kK0u8Jw1vXhZ2c7sLd9eGfJ3aKxPiWvQtYhBn1M6U5rEg",
      more: false,
    }),
  ],
  errors: ["fields-wrong"],
  run: async (request, deps) => {
    const client = clientOf(request);
    const { after, limit } = await readQuery(request, deps);
    const found = await readFeed(deps.db, client, after, limit + 1);
    const events = found.slice(0, limit);
    request.logged = { count: events.length };
    return Response.json({
      events: events.map(toView),
      next: await toEventCursor(client.clientId, events.at(-1)?.seq ?? after, deps.config.serviceKey ?? ""),
      more: found.length > limit,
    });
  },
});

export const events: Resource = { calls: [list], schemas: { Events: eventsAnswerSchema } };

function toView({ callback, event }: FeedEvent) {
  return {
    ...callbackFields(event),
    callback: callback && {
      attemptedAt: toTime(callback.attemptedAt),
      outcome: callback.outcome,
      httpStatus: callback.httpStatus,
    },
  };
}

/** @throws RequestFailure fields-wrong */
async function readQuery(request: ApiRequest, deps: Deps): Promise<{ after: number; limit: number }> {
  const after = await readCursor(request.query.after, clientOf(request).clientId, deps);
  const limit = readLimit(request.query.limit, EVENTS_LIMIT);
  const details: FieldError[] = [];
  if (after === undefined)
    details.push({ field: "after", message: "must be the `next` of an earlier answer to this client" });
  if (!limit) details.push(limitFault(EVENTS_LIMIT));
  if (after === undefined || !limit) throw new RequestFailure({ kind: "fields-wrong", details });
  return { after, limit };
}

type Given = string | string[] | undefined;

/** @returns the number of the last event that the client has read; 0: none */
async function readCursor(given: Given, clientId: string, { config }: Deps): Promise<number | undefined> {
  if (given === undefined || given === "") return 0;
  return readEventCursor(clientId, String(given), config.serviceKey ?? "");
}
