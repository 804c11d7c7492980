import { authorOf } from "../http/api-request.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { deleteSession, listSessions } from "../store/operations/operator-sessions.ts";
import { sessionAnswers } from "./answers/operators.ts";
import { operatorCall } from "./operator-call.ts";
import { requireFound } from "./params.ts";

const list = operatorCall({
  id: "listOperatorSessions",
  method: "GET",
  path: "/operator/sessions",
  tag: "Operators",
  summary: "List who is signed in to the console",
  description: "The latest first. A session ends after 12 hours, when somebody ends it, or with its token.",
  answers: [
    ok(sessionAnswers.OperatorSessionList, "Every session that has not ended.", {
      sessions: [
        {
          ...{ sessionId: MESSAGE_ID, operator: "ada", role: "operator", createdAt: TIME, lastUsedAt: TIME },
          ...{ expiresAt: "2026-11-22T00:00:00.000Z", isThis: false },
        },
      ],
    }),
  ],
  command: { name: "sessions" },
  run: async ({ session }, deps) => {
    const now = deps.now();
    const found = await listSessions(deps.db, now);
    const sessions = found.map(({ sessionId, operator, role, createdAt, usedAt, endsAt }) => {
      const isThis = sessionId === session?.sessionId;
      return {
        ...{ sessionId, operator, role, isThis },
        createdAt: toTime(createdAt),
        lastUsedAt: toTime(isThis ? now : usedAt),
        expiresAt: toTime(endsAt),
      };
    });
    return { sessions };
  },
});

const end = operatorCall({
  id: "endOperatorSession",
  method: "DELETE",
  path: "/operator/sessions/:sessionId",
  tag: "Operators",
  summary: "End a session of the console",
  description:
    "The session is refused everywhere from the next request on. To keep its operator out, revoke the token.",
  parameters: [inPath("sessionId", "As listed.", MESSAGE_ID)],
  answers: [ok(sessionAnswers.EndedOperatorSession, "It is ended.", { sessionId: MESSAGE_ID, operator: "ada" })],
  errors: ["resource-unknown"],
  command: {
    name: "end-session",
    next: ({ operator }) =>
      `The session of ${operator} has ended. The token is still valid: \`end-token ${operator}\` revokes it.`,
  },
  run: async (request, deps) => {
    const sessions = await listSessions(deps.db, deps.now());
    const session = requireFound(
      sessions.find(({ sessionId }) => sessionId === request.params.sessionId),
      "session",
    );
    const { sessionId, operator } = session;
    requireFound(await deleteSession(deps.db, authorOf(request), session, deps.now()), "session");
    return { sessionId, operator };
  },
});

export const sessions: Resource = { calls: [list, end], schemas: sessionAnswers };
