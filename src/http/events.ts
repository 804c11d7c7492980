import * as z from "zod";
import { ATTEMPT_OUTCOMES, callbackFields, callbackSchemas } from "../domain/callbacks/callback.ts";
import { type FieldError, RequestFailure } from "../domain/failure.ts";
import { sha256Hex } from "../platform/secrets.ts";
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
  next: z.string().describe("The `after` of the next request."),
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
      next: "4711-1-0123456789abcdef",
      more: false,
    }),
  ],
  errors: ["fields-wrong"],
  run: async (request, deps) => {
    const client = clientOf(request);
    const { after, limit } = await readQuery(request, client.clientId);
    const found = await readFeed(deps.db, client, after, limit + 1);
    const events = found.slice(0, limit);
    request.logged = { count: events.length };
    return Response.json({
      events: events.map(toView),
      next: await toCursor(client.clientId, events.at(-1)?.seq ?? after),
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
async function readQuery(request: ApiRequest, clientId: string): Promise<{ after: number; limit: number }> {
  const after = await readCursor(request.query.after, clientId);
  const limit = readLimit(request.query.limit, EVENTS_LIMIT);
  const details: FieldError[] = [];
  if (after === undefined)
    details.push({ field: "after", message: "must be the `next` of an earlier answer to this client" });
  if (!limit) details.push(limitFault(EVENTS_LIMIT));
  if (after === undefined || !limit) throw new RequestFailure({ kind: "fields-wrong", details });
  return { after, limit };
}

type Given = string | string[] | undefined;

const CURSOR = /^(\d{1,15})-[0-9a-f]{16}$/;

/** @returns the number of the last event that the client has read; 0: none */
async function readCursor(given: Given, clientId: string): Promise<number | undefined> {
  if (given === undefined || given === "") return 0;
  const [, seq] = CURSOR.exec(String(given)) ?? [];
  if (seq === undefined) return undefined;
  return (await toCursor(clientId, Number(seq))) === given ? Number(seq) : undefined;
}

/** The cursor of another client, or one that was changed by mistake, is refused: it would skip events without a word. */
async function toCursor(clientId: string, seq: number): Promise<string> {
  const check = await sha256Hex(`events ${clientId} ${seq}`);
  return `${seq}-${check.slice(0, 16)}`;
}
