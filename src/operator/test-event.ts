import { postTestEvent, TEST_EVENTS_A_MINUTE } from "../flows/callbacks/post-test-event.ts";
import { authorOf } from "../http/api-request.ts";
import { ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID } from "../http/examples.ts";
import { findClient } from "../store/clients/clients.ts";
import { testEventAnswers } from "./answers/clients.ts";
import { operatorCall } from "./operator-call.ts";
import { CLIENT, requireClientId, requireFound } from "./params.ts";

const post = operatorCall({
  id: "postTestEvent",
  method: "POST",
  path: "/operator/clients/:clientId/test-event",
  tag: "Clients",
  summary: "Post a test event to a client's endpoint",
  description: `Posts one event of the type \`test\` to the callback URL, now, and answers what came back. It is signed, cut off and checked as every callback is, whatever the client's \`events\`, and nothing of a real person is in it. It is not stored, and not in \`GET /text/events\`. At most ${TEST_EVENTS_A_MINUTE} a minute and client.`,
  database: "named",
  parameters: [CLIENT],
  answers: [
    ok(testEventAnswers.TestEvent, "The response of the endpoint.", {
      ...{ eventId: `test_${MESSAGE_ID}`, outcome: "answered", httpStatus: 204, response: "" },
      durationMilliseconds: 85,
    }),
  ],
  errors: ["resource-unknown", "tests-exceeded"],
  command: {
    name: "test-event",
    next: ({ outcome, httpStatus, durationMilliseconds }) =>
      isTaken(httpStatus)
        ? `Taken: ${httpStatus} in ${durationMilliseconds} ms.`
        : `Not taken: ${httpStatus ?? outcome} after ${durationMilliseconds} ms. \`change-client --callback-url\` sets another endpoint.`,
    hasProblem: ({ httpStatus }) => !isTaken(httpStatus),
  },
  run: async (request, deps) => {
    const clientId = requireClientId(request);
    const client = requireFound(await findClient(deps.db, clientId), "client");
    const { attemptedAt: _, ...answer } = await postTestEvent(deps, authorOf(request), client);
    const { eventId, outcome, httpStatus } = answer;
    request.logged = { websiteId: client.websiteId, clientId: client.clientId, eventId, outcome, httpStatus };
    return answer;
  },
});

const isTaken = (httpStatus: number | null) => httpStatus !== null && httpStatus >= 200 && httpStatus < 300;

export const testEvent: Resource = { calls: [post], schemas: testEventAnswers };
