import type { Deps } from "../deps.ts";
import { CLIENT_ID } from "../domain/clients/client.ts";
import type { ApiRequest } from "./api-request.ts";
import { ERROR_CODES, type ErrorKind } from "./error-codes.ts";

/** The route parameters that neither identify a person nor open a link. */
const SHOWN_PARAMETERS = ["websiteId", "clientId", "messageId", "importId", "jobId", "carrier"];

/** The pattern of the route, never the path: that may hold a number or the code of a link. null: no route. */
export function routeOf({ route }: ApiRequest): string | null {
  return route === undefined || route === "*" ? null : route || "/";
}

/** Receipts, and requests that anyone can make in any number: one in so many has a line. */
export const SAMPLED = 100;

/** The one line of a request. `sampled`: how many requests the line represents. */
export function logRequest(deps: Deps, request: ApiRequest, { status }: Response, milliseconds: number): void {
  const isSampled = isSampledRequest(request, status);
  if (isSampled && deps.random() >= 1 / SAMPLED) return;
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
    ...(isSampled ? { sampled: SAMPLED } : {}),
  });
}

/** Refused before any work was done for them. */
export const REFUSED: ErrorKind[] = [
  "path-unknown",
  "method-wrong",
  "credentials-missing",
  "credentials-wrong",
  "guesses-exceeded",
  "client-suspended",
  "operation-denied",
  "signature-wrong",
  "rate-exceeded",
  "daily-limit-reached",
];
const REFUSED_CODES = new Set<unknown>(REFUSED.map((kind) => ERROR_CODES[kind]));

/** Answered to anyone. */
const OPEN_ROUTES = new Set<unknown>(["/", "/health", "/openapi.json", "/.well-known/security.txt"]);
const LINK_ROUTE = "/l/:code";
/** The page of a message tells what its receipts said. */
const RECEIPTS_ROUTES = new Set<unknown>(["/carriers/:carrier/receipts", "/carriers/:carrier/:account/receipts"]);

function isSampledRequest(request: ApiRequest, status: number): boolean {
  const route = routeOf(request);
  if (status >= 500) return false;
  if (REFUSED_CODES.has(request.logged.code)) return true;
  if (route === LINK_ROUTE) return status >= 400;
  return status === 200 && (RECEIPTS_ROUTES.has(route) || OPEN_ROUTES.has(route));
}

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
