import { Router } from "itty-router";
import { type Deps, log } from "./deps.ts";
import { RequestFailure } from "./domain/failure.ts";
import { REQUESTS_PER_SECOND } from "./domain/sliding-window.ts";
import type { ApiRequest } from "./http/api-request.ts";
import { receiveInboundHandler, receiveReceiptsHandler } from "./http/carrier-webhooks.ts";
import { FAULT, failureResponse, faultResponse, toAnswer } from "./http/errors.ts";
import { followLink } from "./http/follow-link.ts";
import { limitRate, requireClient, requireOperator, toSeconds } from "./http/guards.ts";
import { health, misconfiguredResponse } from "./http/health.ts";
import { messageStatus } from "./http/message-status.ts";
import { openApi } from "./http/openapi.ts";
import { changeClientHandler, createClientHandler, rotateClientHandler } from "./http/operator-clients.ts";
import { listDeadJobsHandler, putBackAllHandler, putBackHandler } from "./http/operator-dead-jobs.ts";
import { operatorHealth } from "./http/operator-health.ts";
import { getMessageHandler } from "./http/operator-messages.ts";
import { erasePersonHandler, getPersonHandler, listInboundHandler } from "./http/operator-people.ts";
import { reportHandler } from "./http/operator-reports.ts";
import {
  getWebsiteHandler,
  importSubscribersHandler,
  listWebsitesHandler,
  putWebsiteHandler,
} from "./http/operator-websites.ts";
import { logRequest, routeOf } from "./http/request-log.ts";
import { sendBulk } from "./http/send-bulk.ts";
import { sendMessage } from "./http/send-message.ts";
import { subscribe, unsubscribe } from "./http/subscribe.ts";
import { subscriptionStatus } from "./http/subscription-status.ts";
import { welcome } from "./http/welcome.ts";
import { describeError } from "./platform/describe-error.ts";

const router = Router<ApiRequest, [Deps]>({ catch: answerError, finally: [addHeaders] });

router
  .post("/text/message/send", requireClient("send"), limitRate, sendMessage)
  .post("/text/bulk/message/send", requireClient("send"), limitRate, sendBulk)
  .get("/text/message/status", requireClient("status"), limitRate, messageStatus)
  .post("/text/subscribe", requireClient("subscribe"), limitRate, subscribe)
  .post("/text/unsubscribe", requireClient("unsubscribe"), limitRate, unsubscribe)
  .post("/text/subscription/status", requireClient("subscription"), limitRate, subscriptionStatus)
  .get("/", welcome)
  .get("/openapi.json", openApi)
  .get("/health", health) // open: it says what fails, not why
  .get("/l/:code", followLink) // open: the code cannot be guessed
  .head("/l/:code", followLink)
  .get("/carriers/:carrier/receipts", receiveReceiptsHandler) // guarded by the carrier's signature or key
  .post("/carriers/:carrier/receipts", receiveReceiptsHandler)
  .get("/carriers/:carrier/inbound", receiveInboundHandler)
  .post("/carriers/:carrier/inbound", receiveInboundHandler)
  .get("/operator/websites", requireOperator, listWebsitesHandler)
  .put("/operator/websites/:websiteId", requireOperator, putWebsiteHandler)
  .get("/operator/websites/:websiteId", requireOperator, getWebsiteHandler)
  .post("/operator/websites/:websiteId/clients", requireOperator, createClientHandler)
  .post("/operator/websites/:websiteId/subscribers", requireOperator, importSubscribersHandler)
  .patch("/operator/clients/:clientId", requireOperator, changeClientHandler)
  .post("/operator/clients/:clientId/rotate", requireOperator, rotateClientHandler)
  .get("/operator/websites/:websiteId/inbound", requireOperator, listInboundHandler)
  .get("/operator/websites/:websiteId/people/:phone", requireOperator, getPersonHandler)
  .delete("/operator/websites/:websiteId/people/:phone", requireOperator, erasePersonHandler)
  .get("/operator/websites/:websiteId/report", requireOperator, reportHandler)
  .get("/operator/messages/:messageId", requireOperator, getMessageHandler)
  .get("/operator/health", requireOperator, operatorHealth)
  .get("/operator/dead-jobs", requireOperator, listDeadJobsHandler)
  .post("/operator/dead-jobs/put-back", requireOperator, putBackAllHandler)
  .post("/operator/dead-jobs/:jobId/put-back", requireOperator, putBackHandler);

/** itty-router writes the path "/" as "". */
export const routes = router.routes.map(
  ([method, path, handlers, name]) => [method, path, handlers, name || "/"] as const,
);

router.all("*", refuseUnknown);

/** Answers a request; whatever goes wrong is an answer too, wrong configuration included. */
export async function handleRequest(request: Request, makeDeps: () => Deps): Promise<Response> {
  const facts = { requestId: crypto.randomUUID(), logged: {} };
  const apiRequest = Object.assign(request, facts) as unknown as ApiRequest;
  // Its Host is no host, such as 127.0.0.999: Cloudflare's own servers let none through, workerd by itself does.
  if (!URL.canParse(request.url)) return addHeaders(failureResponse({ kind: "path-unknown" }), apiRequest);
  try {
    const deps = makeDeps();
    const started = deps.now();
    const response = await router.fetch(apiRequest, deps);
    logRequest(deps, apiRequest, response, deps.now() - started);
    return response;
  } catch (error) {
    const { requestId, method } = apiRequest;
    const isHealth = method === "GET" && new URL(request.url).pathname === "/health";
    const response = isHealth ? misconfiguredResponse() : faultResponse();
    const { status } = response;
    log("error", "configuration.wrong", { requestId, method, status, error: describeError(error) });
    return addHeaders(response, apiRequest);
  }
}

/** Nothing else has answered: a path that is known has been called with a wrong method. */
function refuseUnknown(request: ApiRequest, deps: Deps): never {
  const { pathname } = new URL(request.url);
  const allow = routes.filter(([, path]) => path.test(pathname)).map(([method]) => method);
  const hidden = pathname.startsWith("/operator") && deps.config.operatorToken === undefined;
  throw new RequestFailure(allow.length === 0 || hidden ? { kind: "path-unknown" } : { kind: "method-wrong", allow });
}

function answerError(error: unknown, request: ApiRequest, deps: Deps): Response {
  const isExpected = error instanceof RequestFailure;
  request.logged = { ...request.logged, code: (isExpected ? toAnswer(error.failure) : FAULT).code };
  const fields = { requestId: request.requestId, route: routeOf(request), error: describeError(error) };
  if (!isExpected) {
    deps.log("error", "request.failed", fields);
    return faultResponse();
  }
  if (error.failure.kind === "store-unavailable") deps.log("error", "store.unavailable", fields);
  return failureResponse(error.failure);
}

/** The headers of every answer; those of the limit once the request has been counted. */
function addHeaders(response: Response, request: ApiRequest): Response {
  const { headers } = response;
  headers.set("x-request-id", request.requestId);
  headers.set("cache-control", "no-store");
  headers.set("x-content-type-options", "nosniff");
  if (request.admission) {
    const { remaining, resetMilliseconds } = request.admission;
    headers.set("ratelimit-policy", `"website";q=${REQUESTS_PER_SECOND};w=1`);
    headers.set("ratelimit", `"website";r=${remaining};t=${toSeconds(resetMilliseconds)}`);
  }
  return response;
}
