import { Router } from "itty-router/Router";
import type { Deps } from "./deps.ts";
import type { Operation } from "./domain/clients/client.ts";
import { REQUESTS_PER_SECOND } from "./domain/clients/sliding-window.ts";
import { type Failure, RequestFailure } from "./domain/failure.ts";
import { nearestPath } from "./domain/operations/nearest-path.ts";
import { noteUse } from "./flows/clients/client-uses.ts";
import type { ApiRequest } from "./http/api-request.ts";
import { receiveInboundHandler, receiveReceiptsHandler } from "./http/carrier-webhooks.ts";
import { FAULT, failureResponse, faultResponse, toAnswer } from "./http/errors.ts";
import { listEventsHandler } from "./http/events.ts";
import { followLinkHandler } from "./http/follow-link.ts";
import { limitRate, refuseEarly, requireClient, requireOperator, toSeconds } from "./http/guards.ts";
import { healthHandler, misconfiguredResponse } from "./http/health.ts";
import { ofClient, ofClientInReplica, ofNamed } from "./http/in-database.ts";
import { messageStatusHandler } from "./http/message-status.ts";
import { messageStatusesHandler } from "./http/message-statuses.ts";
import { listAuditHandler } from "./http/operator/audit.ts";
import { tryCarrierHandler } from "./http/operator/carriers.ts";
import {
  changeClientHandler,
  createClientHandler,
  getClientHandler,
  rotateClientHandler,
} from "./http/operator/clients.ts";
import { listDatabasesHandler } from "./http/operator/databases.ts";
import { listDeadJobsHandler, putBackDeadJobHandler, putBackDeadJobsHandler } from "./http/operator/dead-jobs.ts";
import { cancelWaitingMessagesHandler, holdMessagesHandler, releaseMessagesHandler } from "./http/operator/holds.ts";
import { listInboundHandler, listWithoutEffectHandler } from "./http/operator/inbound.ts";
import { findMessagesHandler, getMessageHandler } from "./http/operator/messages.ts";
import { abortMoveHandler, getMoveHandler, moveWebsiteHandler } from "./http/operator/moves.ts";
import {
  erasePersonEverywhereHandler,
  erasePersonHandler,
  exportPersonHandler,
  exportPersonOfWebsiteHandler,
  findPersonHandler,
  getPersonHandler,
  removeEmailHandler,
} from "./http/operator/people.ts";
import { getReportHandler, getReportOfAllHandler } from "./http/operator/reports.ts";
import { getMetricsHandler, getServiceStateHandler } from "./http/operator/service-state.ts";
import { importSubscribersHandler, undoImportHandler } from "./http/operator/subscribers.ts";
import {
  createOperatorTokenHandler,
  endOperatorTokenHandler,
  listOperatorTokensHandler,
} from "./http/operator/tokens.ts";
import { getWebsiteHandler, listWebsitesHandler, putWebsiteHandler } from "./http/operator/websites.ts";
import { logRequest, routeOf } from "./http/request-log.ts";
import { answerSandboxError } from "./http/sandbox-error.ts";
import { securityTxtHandler } from "./http/security-txt.ts";
import { sendMessagesHandler } from "./http/send-bulk.ts";
import { sendMessageHandler } from "./http/send-message.ts";
import { openapiHandler } from "./http/serve-openapi.ts";
import { subscribeHandler, unsubscribeHandler } from "./http/subscribe.ts";
import { subscriptionStatusHandler } from "./http/subscription-status.ts";
import { welcomeHandler } from "./http/welcome.ts";
import { log } from "./log.ts";
import { describeError } from "./platform/describe-error.ts";

/** The guards of a client's call. A send is counted by what stores it. */
const asClient = (operation: Operation) => [requireClient(operation), limitRate, answerSandboxError] as const;

const router = Router<ApiRequest, [Deps]>({ catch: answerError, finally: [addHeaders] });

router
  .post("/text/message/send", requireClient("send"), refuseEarly, answerSandboxError, sendMessageHandler)
  .post("/text/bulk/message/send", ...asClient("send"), ofClient(sendMessagesHandler))
  .get("/text/message/status", ...asClient("status"), ofClientInReplica(messageStatusHandler))
  .post("/text/message/statuses", ...asClient("status"), ofClientInReplica(messageStatusesHandler))
  .get("/text/events", ...asClient("status"), ofClient(listEventsHandler))
  .post("/text/subscribe", ...asClient("subscribe"), ofClient(subscribeHandler))
  .post("/text/unsubscribe", ...asClient("unsubscribe"), ofClient(unsubscribeHandler))
  .post("/text/subscription/status", ...asClient("subscription"), ofClientInReplica(subscriptionStatusHandler))
  .get("/", welcomeHandler)
  .get("/openapi.json", openapiHandler)
  .get("/.well-known/security.txt", securityTxtHandler)
  .get("/health", healthHandler) // open: it says what fails, not why
  .get("/l/:code", followLinkHandler) // open: the code cannot be guessed
  .head("/l/:code", followLinkHandler)
  .get("/carriers/:carrier/receipts", receiveReceiptsHandler) // guarded by the carrier's signature or key
  .post("/carriers/:carrier/receipts", receiveReceiptsHandler)
  .get("/carriers/:carrier/inbound", receiveInboundHandler)
  .post("/carriers/:carrier/inbound", receiveInboundHandler)
  .get("/operator/websites", requireOperator, listWebsitesHandler)
  .put("/operator/websites/:websiteId", requireOperator, putWebsiteHandler)
  .get("/operator/websites/:websiteId", requireOperator, ofNamed(getWebsiteHandler))
  .post("/operator/websites/:websiteId/clients", requireOperator, ofNamed(createClientHandler))
  .post("/operator/websites/:websiteId/hold", requireOperator, ofNamed(holdMessagesHandler))
  .post("/operator/websites/:websiteId/release", requireOperator, ofNamed(releaseMessagesHandler))
  .post("/operator/websites/:websiteId/cancel", requireOperator, ofNamed(cancelWaitingMessagesHandler))
  .post("/operator/websites/:websiteId/subscribers", requireOperator, ofNamed(importSubscribersHandler))
  .post("/operator/imports/:importId/undo", requireOperator, undoImportHandler)
  .get("/operator/clients/:clientId", requireOperator, ofNamed(getClientHandler))
  .patch("/operator/clients/:clientId", requireOperator, ofNamed(changeClientHandler))
  .post("/operator/clients/:clientId/rotate", requireOperator, ofNamed(rotateClientHandler))
  .get("/operator/websites/:websiteId/inbound", requireOperator, ofNamed(listInboundHandler))
  .get("/operator/inbound/without-effect", requireOperator, listWithoutEffectHandler)
  .get("/operator/websites/:websiteId/people/:phone", requireOperator, ofNamed(getPersonHandler))
  .get("/operator/websites/:websiteId/people/:phone/export", requireOperator, ofNamed(exportPersonOfWebsiteHandler))
  .delete("/operator/websites/:websiteId/people/:phone", requireOperator, ofNamed(erasePersonHandler))
  .delete("/operator/websites/:websiteId/people/:phone/email", requireOperator, ofNamed(removeEmailHandler))
  .get("/operator/websites/:websiteId/report", requireOperator, ofNamed(getReportHandler))
  .get("/operator/report", requireOperator, getReportOfAllHandler)
  .get("/operator/people/:phone", requireOperator, findPersonHandler)
  .get("/operator/people/:phone/export", requireOperator, exportPersonHandler)
  .delete("/operator/people/:phone", requireOperator, erasePersonEverywhereHandler)
  .get("/operator/messages", requireOperator, findMessagesHandler)
  .get("/operator/messages/:messageId", requireOperator, ofNamed(getMessageHandler))
  .get("/operator/health", requireOperator, getServiceStateHandler)
  .get("/operator/databases", requireOperator, listDatabasesHandler)
  .post("/operator/websites/:websiteId/move", requireOperator, moveWebsiteHandler)
  .get("/operator/websites/:websiteId/move", requireOperator, getMoveHandler)
  .post("/operator/websites/:websiteId/move/abort", requireOperator, abortMoveHandler)
  .get("/operator/metrics", requireOperator, getMetricsHandler)
  .post("/operator/carriers/:carrier/try", requireOperator, tryCarrierHandler)
  .get("/operator/dead-jobs", requireOperator, listDeadJobsHandler)
  .post("/operator/dead-jobs/put-back", requireOperator, putBackDeadJobsHandler)
  .post("/operator/dead-jobs/:jobId/put-back", requireOperator, putBackDeadJobHandler)
  .get("/operator/tokens", requireOperator, listOperatorTokensHandler)
  .post("/operator/tokens", requireOperator, createOperatorTokenHandler)
  .delete("/operator/tokens/:name", requireOperator, endOperatorTokenHandler)
  .get("/operator/audit", requireOperator, listAuditHandler);

/** A base URL that ends in a slash makes paths that begin with two. They are the same paths, with the same guards. */
for (const route of router.routes) route[1] = new RegExp(route[1].source.replace(/^\^\\\/(?!\*)/, "^\\/+"));

/** itty-router writes the path "/" as "". */
export const routes = router.routes.map(
  ([method, path, handlers, name]) => [method, path, handlers, name || "/"] as const,
);

/** The paths of clients, and those that tell of them. */
const PUBLIC_PATHS = [...new Set(routes.map(([, , , path]) => path))].filter((path) =>
  /^\/(text\/|health$|openapi)/.test(path),
);

router.all("*", refuseUnknown);

/** Answers a request; whatever goes wrong is an answer too, wrong configuration included. */
export async function handleRequest(request: Request, makeDeps: () => Deps): Promise<Response> {
  const facts = { requestId: crypto.randomUUID(), logged: {} };
  const apiRequest = Object.assign(request, facts) as unknown as ApiRequest;
  // Its Host is no host, such as 127.0.0.999: Cloudflare's own servers let none through, workerd by itself does.
  if (!URL.canParse(request.url))
    return addHeaders(failureResponse({ kind: "path-unknown" }, facts.requestId, 0), apiRequest);
  try {
    const deps = makeDeps();
    const started = deps.now();
    const response = await router.fetch(apiRequest, deps);
    logRequest(deps, apiRequest, response, deps.now() - started);
    if (apiRequest.client) noteUse(deps, apiRequest.client);
    return response;
  } catch (error) {
    const { requestId, method } = apiRequest;
    const isHealth = method === "GET" && /^\/+health\/*$/.test(new URL(request.url).pathname);
    const response = isHealth ? misconfiguredResponse() : faultResponse(requestId);
    const { status } = response;
    log("error", "configuration.wrong", { requestId, method, status, error: describeError(error) });
    return addHeaders(response, apiRequest);
  }
}

/** Nothing else has answered: a path that is known has been called with a wrong method. */
function refuseUnknown(request: ApiRequest, deps: Deps): never {
  const { pathname } = new URL(request.url);
  const allow = routes.filter(([, path]) => path.test(pathname)).map(([method]) => method);
  const hidden = /^\/+operator/.test(pathname) && deps.config.operatorToken === undefined;
  const isUnknown = allow.length === 0 || hidden;
  throw new RequestFailure(
    isUnknown ? { kind: "path-unknown" } : { kind: "method-wrong", given: request.method, allow },
  );
}

/** Whoever says that there is no such path: what is named depends on the path alone, and so does not tell what is hidden. */
function failureOf(error: unknown, request: ApiRequest): Failure | undefined {
  if (!(error instanceof RequestFailure)) return undefined;
  const { failure } = error;
  if (failure.kind !== "path-unknown") return failure;
  return { ...failure, nearest: nearestPath(new URL(request.url).pathname, PUBLIC_PATHS) };
}

function answerError(error: unknown, request: ApiRequest, deps: Deps): Response {
  const failure = failureOf(error, request);
  request.logged = { ...request.logged, code: (failure ? toAnswer(failure, 0) : FAULT).code };
  const { requestId } = request;
  const fields = { requestId, route: routeOf(request), error: describeError(error) };
  const cause = failure && "because" in failure ? failure.because.kind : failure?.kind;
  if (cause === undefined || cause === "fault") deps.log("error", "request.failed", fields);
  if (cause === "store-unavailable") deps.log("error", "store.unavailable", fields);
  return failure ? failureResponse(failure, requestId, deps.random()) : faultResponse(requestId);
}

/** The headers of every answer; those of the limit once the request has been counted. */
function addHeaders(response: Response, request: ApiRequest): Response {
  const { headers } = response;
  headers.set("x-request-id", request.requestId);
  headers.set("cache-control", "no-store");
  headers.set("x-content-type-options", "nosniff");
  const ignored = request.ignored?.header;
  if (response.ok && ignored) headers.set("ignored-fields", ignored);
  if (request.admission) {
    const { remaining, resetMilliseconds } = request.admission;
    headers.set("ratelimit-policy", `"website";q=${REQUESTS_PER_SECOND};w=1`);
    headers.set("ratelimit", `"website";r=${remaining};t=${toSeconds(resetMilliseconds)}`);
  }
  return response;
}
