import { Router } from "itty-router/Router";
import { CALLS } from "./calls.ts";
import type { Deps } from "./deps.ts";
import { REQUESTS_PER_SECOND } from "./domain/clients/sliding-window.ts";
import { type Failure, RequestFailure } from "./domain/failure.ts";
import { nearestPath } from "./domain/operations/nearest-path.ts";
import { noteRefusal, noteRefusedRequest, noteUse, storeCountedRefusals } from "./flows/clients/client-uses.ts";
import { adviseCall } from "./http/advise-call.ts";
import { type ApiRequest, type Guard, isRead } from "./http/api-request.ts";
import { noteUnknownQuery } from "./http/body.ts";
import type { Call } from "./http/call.ts";
import { failureResponse, faultOf, faultResponse, toAnswer, toResponse } from "./http/errors.ts";
import { limitRate, refuseEarly, requireClient, toSeconds } from "./http/guards.ts";
import { misconfiguredResponse } from "./http/health.ts";
import { inItsDatabase } from "./http/in-database.ts";
import { recordLookUps } from "./http/look-ups.ts";
import { maskFor } from "./http/mask-answer.ts";
import { logRequest, routeOf } from "./http/request-log.ts";
import { requireOperator, requireRole } from "./http/require-operator.ts";
import { answerSandboxError } from "./http/sandbox-error.ts";
import { log } from "./log.ts";
import { describeError } from "./platform/describe-error.ts";

/** What a request passes before it is answered. A carrier's call is guarded by the carrier's signature or key, in its handler. */
function guardsOf(call: Call): Guard[] {
  const { access, isCountedWhenStored } = call;
  if (access === "operator") return [requireOperator, requireRole(call), ...recordLookUps(call)];
  if (access === "open" || access === "carrier") return [];
  return [requireClient(access.client), isCountedWhenStored ? refuseEarly : limitRate, answerSandboxError as Guard];
}

const router = Router<ApiRequest, [Deps]>({ catch: answerError, finally: [addHeaders] });

for (const call of CALLS) {
  const method = call.method.toLowerCase() as "get" | "head" | "post" | "put" | "patch" | "delete";
  router[method](call.path, ...guardsOf(call), maskFor(call, noteUnknownQuery(call, inItsDatabase(call))));
}

/** A base URL that ends in a slash makes paths that begin with two. They are the same paths, with the same guards. */
for (const route of router.routes) route[1] = new RegExp(route[1].source.replace(/^\^\\\/(?!\*)/, "^\\/+"));

/** A path that is written out is no value of a parameter: `find` in `/operator/people/find` is nobody's number. */
const WRITTEN_OUT = CALLS.map(({ path }) => path).filter((path) => path.length > 1 && !path.includes(":"));
for (const route of router.routes) {
  const others = WRITTEN_OUT.filter((path) => path !== route[3] && route[1].test(path));
  const except = others.map((path) => `(?!^\\/+${path.slice(1)}\\/*$)`).join("");
  route[1] = new RegExp(except + route[1].source);
}

/** itty-router writes the path "/" as "". */
export const routes = router.routes.map(
  ([method, path, handlers, name]) => [method, path, handlers, name || "/"] as const,
);

/**
 * HEAD is answered as GET, by the same guards and handler: addHeaders leaves the body out. A carrier's GET has an effect, so it has no HEAD. A
 * call that has a HEAD of its own comes first.
 */
const READ = new Set(
  CALLS.flatMap(({ method, access, path }) => (method === "GET" && access !== "carrier" ? path : [])),
);
for (const [method, path, handlers, name] of routes)
  if (method === "GET" && READ.has(name)) router.routes.push(["HEAD", path, handlers, name]);

const ALLOWED = router.routes.map(([method, path]) => ({ method, path }));

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
    const { client, access, refusal } = apiRequest;
    if (client && access) noteUse(deps, client, access.secretHash);
    // A store that fails is not asked for more.
    if (client && refusal && response.status < 500) {
      const { requestId, method } = apiRequest;
      const path = routeOf(apiRequest) ?? "";
      noteRefusedRequest(deps, client, {
        requestId,
        method,
        path,
        refusedAt: started,
        ...refusal,
      });
    }
    storeCountedRefusals(deps);
    return response;
  } catch (error) {
    const { requestId, method } = apiRequest;
    const isHealth = isRead(method) && /^\/+health\/*$/.test(new URL(request.url).pathname);
    const response = isHealth ? misconfiguredResponse() : faultResponse(requestId);
    const { status } = response;
    log("error", "configuration.wrong", { requestId, method, status, error: describeError(error) });
    return addHeaders(response, apiRequest);
  }
}

/** Nothing else has answered: a path that is known has been called with a wrong method. */
function refuseUnknown(request: ApiRequest, deps: Deps): never {
  const { pathname } = new URL(request.url);
  const allow = [...new Set(ALLOWED.flatMap(({ method, path }) => (path.test(pathname) ? method : [])))];
  const hidden = /^\/+(operator|console)/.test(pathname) && deps.config.operatorToken === undefined;
  const isUnknown = allow.length === 0 || hidden;
  throw new RequestFailure(
    isUnknown ? { kind: "path-unknown" } : { kind: "method-wrong", given: request.method, allow },
  );
}

/** Whoever says that there is no such path: what is named depends on the path alone, and so does not tell what is hidden. */
function failureOf(error: unknown, request: ApiRequest): Failure | undefined {
  if (!(error instanceof RequestFailure)) return undefined;
  const { failure } = error;
  if (failure.kind === "fields-wrong") {
    return { ...failure, details: adviseCall(failure.details, request.ignored, routeOf(request), CALLS) };
  }
  if (failure.kind !== "path-unknown") return failure;
  return { ...failure, nearest: nearestPath(new URL(request.url).pathname, PUBLIC_PATHS) };
}

function answerError(error: unknown, request: ApiRequest, deps: Deps): Response {
  const failure = failureOf(error, request);
  const answer = failure ? toAnswer(failure, deps.random()) : faultOf(routeOf(request));
  const { code, message, details = [] } = answer;
  request.logged = { ...request.logged, code };
  request.refusal = { code, message, details };
  const { requestId } = request;
  const fields = { requestId, route: routeOf(request), error: describeError(error) };
  const cause = failure && "because" in failure ? failure.because.kind : failure?.kind;
  if (cause === undefined || cause === "fault" || cause === "outcome-unknown")
    deps.log("error", "request.failed", fields);
  if (cause === "store-unavailable") deps.log("error", "store.unavailable", fields);
  if (cause === "daily-limit-reached" && request.client) noteRefusal(deps, request.client, cause);
  return toResponse(answer, requestId);
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
  return request.method === "HEAD" ? withoutBody(response) : response;
}

function withoutBody(response: Response): Response {
  // What streams its rows reads no more of them.
  void response.body?.cancel();
  return new Response(null, response);
}
