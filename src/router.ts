import { Router } from "itty-router";
import { type Deps, log } from "./deps.ts";
import { RequestFailure } from "./domain/failure.ts";
import { REQUESTS_PER_SECOND } from "./domain/sliding-window.ts";
import type { ApiRequest } from "./http/api-request.ts";
import { receiveInboundHandler, receiveReceiptsHandler } from "./http/carrier-webhooks.ts";
import { failureResponse, faultResponse } from "./http/errors.ts";
import { followLink } from "./http/follow-link.ts";
import { limitRate, requireClient, requireOperator, toSeconds } from "./http/guards.ts";
import { messageStatus } from "./http/message-status.ts";
import { openApi } from "./http/openapi.ts";
import { changeClientHandler, createClientHandler, rotateClientHandler } from "./http/operator-clients.ts";
import { getMessageHandler } from "./http/operator-messages.ts";
import { erasePersonHandler, getPersonHandler, listInboundHandler } from "./http/operator-people.ts";
import { reportHandler } from "./http/operator-reports.ts";
import {
  getWebsiteHandler,
  importSubscribersHandler,
  listWebsitesHandler,
  putWebsiteHandler,
} from "./http/operator-websites.ts";
import { sendBulk } from "./http/send-bulk.ts";
import { sendMessage } from "./http/send-message.ts";
import { subscribe, unsubscribe } from "./http/subscribe.ts";
import { subscriptionStatus } from "./http/subscription-status.ts";
import { describeError } from "./platform/describe-error.ts";

const router = Router<ApiRequest, [Deps]>({ catch: answerError, finally: [addHeaders] });

router
  .post("/text/message/send", requireClient("send"), limitRate, sendMessage)
  .post("/text/bulk/message/send", requireClient("send"), limitRate, sendBulk)
  .get("/text/message/status", requireClient("status"), limitRate, messageStatus)
  .post("/text/subscribe", requireClient("subscribe"), limitRate, subscribe)
  .post("/text/unsubscribe", requireClient("unsubscribe"), limitRate, unsubscribe)
  .post("/text/subscription/status", requireClient("subscription"), limitRate, subscriptionStatus)
  .get("/openapi.json", openApi)
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
  .get("/operator/messages/:messageId", requireOperator, getMessageHandler);

export const routes = [...router.routes];

router.all("*", refuseUnknown);

/** Answers a request; whatever goes wrong is an answer too, wrong configuration included. */
export async function handleRequest(request: Request, makeDeps: () => Deps): Promise<Response> {
  const apiRequest = Object.assign(request, { requestId: crypto.randomUUID() }) as unknown as ApiRequest;
  try {
    return await router.fetch(apiRequest, makeDeps());
  } catch (error) {
    log("error", "configuration.wrong", { requestId: apiRequest.requestId, error: describeError(error) });
    return addHeaders(faultResponse(), apiRequest);
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
  const fields = { requestId: request.requestId, path: new URL(request.url).pathname, error: describeError(error) };
  if (!(error instanceof RequestFailure)) {
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
