import { SANDBOX } from "../carriers/sandbox.ts";
import { type Failure, failField } from "../domain/failure.ts";
import { findWebsite } from "../store/clients/websites.ts";
import { type ApiRequest, clientOf } from "./api-request.ts";
import { faultOf, toAnswer, toResponse } from "./errors.ts";
import { limitRate } from "./guards.ts";
import { ofClient } from "./in-database.ts";
import { routeOf } from "./request-log.ts";

/** The errors that a client may ask for; "fault" has no failure. */
const FAILURES: Record<string, (request: ApiRequest) => Failure | "fault"> = {
  "42900": () => ({ kind: "rate-exceeded", retryAfterSeconds: 1 }),
  "50000": () => "fault",
  "50300": ({ headers }) => ({ kind: "store-unavailable", isKeyed: headers.has("Idempotency-Key") }),
};

export const SANDBOX_ERRORS = Object.keys(FAILURES);

/**
 * Answers a request of a website of the sandbox with the error that its header Sandbox-Error names. It counts against the limit,
 * and nothing is stored. For any other website, the header is an unknown one.
 */
export const answerSandboxError = ofClient(async (request, deps) => {
  const given = request.headers.get("Sandbox-Error")?.trim();
  if (!given) return undefined;
  const website = await findWebsite(deps.db, clientOf(request).websiteId);
  if (website?.carrier !== SANDBOX) return undefined;
  if (!request.admission) await limitRate(request, deps);
  const failure = Object.hasOwn(FAILURES, given) ? FAILURES[given]?.(request) : undefined;
  if (!failure) failField("Sandbox-Error", `must be one of ${SANDBOX_ERRORS.join(", ")}`);
  request.logged = { code: Number(given), isSandboxError: true };
  if (failure !== "fault" && failure.kind === "rate-exceeded")
    request.admission = { admitted: false, remaining: 0, resetMilliseconds: failure.retryAfterSeconds * 1000 };
  const answer = failure === "fault" ? faultOf(routeOf(request)) : toAnswer(failure, deps.random());
  return toResponse(
    { ...answer, message: `${answer.message} (Asked for by the header Sandbox-Error.)` },
    request.requestId,
  );
});
