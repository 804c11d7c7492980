import type { Deps } from "../deps.ts";
import { CLIENT_ID } from "../domain/client.ts";
import type { LogFields } from "../log.ts";
import type { ApiRequest } from "./api-request.ts";
import { ERROR_CODES, type ErrorKind } from "./error-codes.ts";

/** The route parameters that neither identify a person nor open a link. */
const SHOWN_PARAMETERS = ["websiteId", "clientId", "messageId", "importId", "jobId", "carrier"];

/** The pattern of the route, never the path: that may hold a number or the code of a link. null: no route. */
export function routeOf({ route }: ApiRequest): string | null {
  return route === undefined || route === "*" ? null : route || "/";
}

/** How long after a counted request its count is written, if no other follows. */
const COUNTED_AFTER_MILLISECONDS = 20_000;

/**
 * The one line of a request. Of receipts, whose messages tell what they said, and of requests that anyone can make in any number,
 * only the first of a kind in a minute has a line; the others are counted in one.
 */
export function logRequest(deps: Deps, request: ApiRequest, { status }: Response, milliseconds: number): void {
  const { requestCounts } = deps;
  logCounts(deps, requestCounts.take(deps.now()));
  const kind = countedAs(request, status);
  if (kind && !requestCounts.add(kind)) {
    const takeLast = requestCounts.watch(deps.now());
    if (takeLast) deps.later(COUNTED_AFTER_MILLISECONDS, () => logCounts(deps, takeLast()));
    return;
  }
  deps.log(status >= 500 ? "error" : "info", "request", {
    requestId: request.requestId,
    method: request.method,
    route: routeOf(request),
    ...(request.operator ? { operator: request.operator } : {}),
    ...clientFields(request),
    ...(status < 400 ? parameterFields(request) : {}),
    ...request.logged,
    status,
    milliseconds,
  });
}

function logCounts(deps: Deps, counts: { kind: LogFields; count: number }[]): void {
  for (const { kind, count } of counts) deps.log("info", "requests.counted", { ...kind, count });
}

/** Refused before any work was done for them. */
const REFUSED: ErrorKind[] = [
  "path-unknown",
  "method-wrong",
  "credentials-missing",
  "credentials-wrong",
  "guesses-exceeded",
  "client-suspended",
  "operation-denied",
  "signature-wrong",
  "rate-exceeded",
];
const REFUSED_CODES = new Set<unknown>(REFUSED.map((kind) => ERROR_CODES[kind]));

/** Answered to anyone. */
const OPEN_ROUTES = new Set<unknown>(["/", "/health", "/openapi.json", "/.well-known/security.txt"]);

/** @returns its kind; undefined for a request that has a line of its own */
function countedAs(request: ApiRequest, status: number): LogFields | undefined {
  const route = routeOf(request);
  const { code } = request.logged;
  const isCounted =
    REFUSED_CODES.has(code) ||
    (route === LINK_ROUTE && status >= 400) ||
    ((route === RECEIPTS_ROUTE || OPEN_ROUTES.has(route)) && status === 200);
  if (!isCounted || status >= 500) return undefined;
  const { websiteId } = request.client ?? {};
  const { carrier } = status === 200 ? request.params : {};
  return {
    route,
    status,
    ...(code ? { code } : {}),
    ...(websiteId ? { websiteId } : {}),
    ...(carrier ? { carrier } : {}),
  };
}

const LINK_ROUTE = "/l/:code";
const RECEIPTS_ROUTE = "/carriers/:carrier/receipts";

/** The website of a client that was let through; the client id also of one that was not, if it has the form of one. */
function clientFields({ client, headers }: ApiRequest) {
  const clientId = headers.get("X-Client-ID") ?? "";
  return {
    ...(client ? { websiteId: client.websiteId } : {}),
    ...(CLIENT_ID.test(clientId) ? { clientId } : {}),
  };
}

/** Only values that were found: unknown ones are arbitrary input. */
function parameterFields({ params }: ApiRequest) {
  return Object.fromEntries(SHOWN_PARAMETERS.flatMap((name) => (params[name] ? [[name, params[name]]] : [])));
}
