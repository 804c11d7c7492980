import * as z from "zod";
import { ATTEMPT_OUTCOMES } from "../domain/callbacks/callback.ts";
import { OWN_TEST_SECONDS, postOwnTestEvent } from "../flows/callbacks/post-test-event.ts";
import { CALLBACK_TIMEOUT_MILLISECONDS } from "../platform/callback-post.ts";
import { clientOf } from "./api-request.ts";
import { call, ok, type Resource } from "./call.ts";
import { MESSAGE_ID, TIME } from "./examples.ts";
import { toTime } from "./time.ts";

export const ownTestEventAnswerSchema = z.object({
  eventId: z.string().describe("`test_` and an id: the `webhook-id` of the post."),
  attemptedAt: z.iso.datetime(),
  outcome: z
    .enum(ATTEMPT_OUTCOMES)
    .describe("`answered`: the endpoint has answered, with any status. `not-posted`: `response` says why."),
  httpStatus: z
    .int()
    .nullable()
    .describe("The status that the endpoint answered, which should be a 2xx. A redirect is not followed."),
  response: z.string().nullable().describe("The beginning of what the endpoint answered, or what went wrong."),
  milliseconds: z.int().describe("From the post to the answer of the endpoint."),
});

const post = call({
  id: "testEndpoint",
  method: "POST",
  path: "/text/test-event",
  tag: "Messages",
  summary: "Post a test event to your endpoint",
  description: `Posts one event of the type \`test\` to the client's own callback URL, now, and returns the endpoint's response. The post is signed, ends after ${CALLBACK_TIMEOUT_MILLISECONDS / 1000} seconds and is checked like every callback, whatever the client's \`events\` are. The event is about no person, it is not stored, and \`GET /text/events\` does not list it. The request has no body. A client gets one test event in ${OWN_TEST_SECONDS} seconds: an earlier request is refused, and nothing is posted.`,
  access: { client: "status" },
  database: "client",
  answers: [
    ok(ownTestEventAnswerSchema, "The endpoint's answer, even if it is an error.", {
      eventId: `test_${MESSAGE_ID}`,
      attemptedAt: TIME,
      outcome: "answered",
      httpStatus: 401,
      response: "the signature is wrong",
      milliseconds: 85,
    }),
  ],
  errors: ["tests-exceeded"],
  run: async (request, deps) => {
    const { eventId, attemptedAt, outcome, httpStatus, response, durationMilliseconds } = await postOwnTestEvent(
      deps,
      clientOf(request),
    );
    request.logged = { eventId, outcome, httpStatus };
    return {
      eventId,
      attemptedAt: toTime(attemptedAt),
      outcome,
      httpStatus,
      response,
      milliseconds: durationMilliseconds,
    };
  },
});

export const ownTestEvent: Resource = { calls: [post], schemas: { OwnTestEvent: ownTestEventAnswerSchema } };
