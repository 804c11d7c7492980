import * as z from "zod";
import { ATTEMPT_OUTCOMES } from "../domain/callbacks/callback.ts";
import { CLIENT_REFUSALS } from "../domain/clients/client-uses.ts";
import { REFUSED_KEPT, REFUSED_ONCE_MILLISECONDS } from "../domain/clients/refused-request.ts";
import { RequestFailure } from "../domain/failure.ts";
import { readLatestPosts } from "../store/callbacks/event-feed.ts";
import { readClient } from "../store/clients/client-uses.ts";
import { listRefusedRequests } from "../store/clients/refused-requests.ts";
import { clientOf } from "./api-request.ts";
import { call, ok, type Resource } from "./call.ts";
import { MESSAGE_ID, TIME } from "./examples.ts";
import { inLimit, limitFault, readLimit } from "./limit-parameter.ts";
import { toTime } from "./time.ts";

const LIMIT = { fallback: 20, most: REFUSED_KEPT };

export const requestsAnswerSchema = z.object({
  refused: z
    .array(
      z.object({
        requestId: z.string().describe("As it was answered; the operator of the service finds it in the log."),
        at: z.iso.datetime(),
        method: z.string(),
        path: z.string(),
        status: z.int(),
        code: z.int(),
        message: z.string().describe("Numbers and addresses of people are masked."),
        details: z.array(z.object({ field: z.string(), message: z.string() })).describe("The first five."),
      }),
    )
    .describe("The latest requests that were refused (4xx) after the credentials were checked, the newest first."),
  lastCredentialsRefused: z
    .object({ at: z.iso.datetime(), cause: z.enum(CLIENT_REFUSALS) })
    .nullable()
    .describe(
      "The last request with this client id that was refused by its credentials, its grants or the limit. It is stored at most once a minute for each cause.",
    ),
  callbacks: z
    .array(
      z.object({
        eventId: z.string(),
        attemptedAt: z.iso.datetime(),
        outcome: z.enum(ATTEMPT_OUTCOMES).nullable().describe("Null: the post is under way, or was cut off."),
        httpStatus: z.int().nullable(),
        response: z.string().nullable().describe("The beginning of what the endpoint answered."),
        milliseconds: z.int().nullable(),
      }),
    )
    .describe("The latest posts to the client's endpoint, the newest first, among its last 1,000 events."),
});

const list = call({
  id: "listRequests",
  method: "GET",
  path: "/text/requests",
  tag: "Messages",
  summary: "See what was refused, and what was posted",
  description: `For the developers of a client. Returns the last refused requests of the client, and the last posts to its endpoint. If requests to one path are refused with the same code again and again, about one in ${REFUSED_ONCE_MILLISECONDS / 1000} seconds is kept; at most ${REFUSED_KEPT} are, for seven days. A refused request is listed a moment after its answer. \`GET /text/events\` has every event.`,
  access: { client: "status" },
  database: "client",
  parameters: [inLimit("The most entries in each list.", LIMIT)],
  answers: [
    ok(requestsAnswerSchema, "There may be none.", {
      refused: [
        {
          requestId: "5f0f7a4e-3c1d-4b0a-9a53-0d6a3f0c7f11",
          at: TIME,
          method: "POST",
          path: "/text/message/send",
          status: 400,
          code: 40001,
          message: "A field is wrong: text.",
          details: [{ field: "text", message: "is missing" }],
        },
      ],
      lastCredentialsRefused: null,
      callbacks: [
        {
          eventId: `${MESSAGE_ID}_DELIVERED`,
          attemptedAt: TIME,
          outcome: "answered",
          httpStatus: 500,
          response: "upstream connect error",
          milliseconds: 118,
        },
      ],
    }),
  ],
  errors: ["fields-wrong"],
  run: async (request, deps) => {
    const client = clientOf(request);
    const limit = readLimit(request.query.limit, LIMIT);
    if (!limit) throw new RequestFailure({ kind: "fields-wrong", details: [limitFault(LIMIT)] });
    const [refused, posts, known] = await Promise.all([
      listRefusedRequests(deps.db, client.clientId, limit),
      readLatestPosts(deps.db, client, limit),
      readClient(deps.db, client.clientId, deps.now()),
    ]);
    const last = known?.lastRefusal ?? null;
    return {
      refused: refused.map(({ refusedAt, ...request }) => ({
        ...request,
        at: toTime(refusedAt),
        status: Math.floor(request.code / 100),
      })),
      lastCredentialsRefused: last && { at: toTime(last.at), cause: last.cause },
      callbacks: posts.map(({ eventId, callback }) => ({
        eventId,
        attemptedAt: toTime(callback.attemptedAt ?? 0),
        outcome: callback.outcome,
        httpStatus: callback.httpStatus,
        response: callback.response,
        milliseconds: callback.durationMilliseconds,
      })),
    };
  },
});

export const requests: Resource = { calls: [list], schemas: { Requests: requestsAnswerSchema } };
