import type { Deps } from "../deps.ts";
import { networkOf } from "../domain/address.ts";
import { CLIENT_ID } from "../domain/client.ts";
import type { LogFields } from "../log.ts";
import { type ApiRequest, addressOf } from "./api-request.ts";
import { ERROR_CODES, type ErrorKind } from "./error-codes.ts";

/** The route parameters that neither identify a person nor open a link. */
const SHOWN_PARAMETERS = ["websiteId", "clientId", "messageId", "jobId", "carrier"];

/** The pattern of the route, never the path: that may hold a number or the code of a link. null: no route. */
export function routeOf({ route }: ApiRequest): string | null {
  return route === undefined || route === "*" ? null : route || "/";
}

/**
 * The one line of a request. Of requests that anyone can make in any number, the first of a kind in a minute has a line, with
 * the network that it came from, and how many there were has another, once the next minute has begun.
 */
export function logRequest(deps: Deps, request: ApiRequest, { status }: Response, milliseconds: number): void {
  for (const { kind, count } of deps.requestCounts.take(deps.now()))
    deps.log("info", "requests.counted", { ...kind, count });
  const kind = countedAs(request, status);
  if (kind && !deps.requestCounts.add(kind)) return;
  const network = kind ? networkOf(addressOf(request)) : "";
  deps.log(status >= 500 ? "error" : "info", "request", {
    requestId: request.requestId,
    method: request.method,
    route: routeOf(request),
    ...clientFields(request),
    ...(status < 400 ? parameterFields(request) : {}),
    ...request.logged,
    status,
    milliseconds,
    ...(network === "" ? {} : { network }),
  });
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
const OPEN_ROUTES = new Set<unknown>(["/", "/health", "/openapi.json"]);

/** @returns undefined for a request that has a line of its own */
function countedAs(request: ApiRequest, status: number): LogFields | undefined {
  const route = routeOf(request);
  const { code } = request.logged;
  const isCounted =
    REFUSED_CODES.has(code) || (route === LINK_ROUTE && status >= 400) || (OPEN_ROUTES.has(route) && status === 200);
  if (!isCounted || status >= 500) return undefined;
  const { websiteId } = request.client ?? {};
  return { route, status, ...(code ? { code } : {}), ...(websiteId ? { websiteId } : {}) };
}

const LINK_ROUTE = "/l/:code";

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
