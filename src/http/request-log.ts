import type { Deps } from "../deps.ts";
import { CLIENT_ID } from "../domain/client.ts";
import type { ApiRequest } from "./api-request.ts";

/** The route parameters that neither identify a person nor open a link. */
const SHOWN_PARAMETERS = ["websiteId", "clientId", "messageId", "jobId", "carrier"];

/** The pattern of the route, never the path: that may hold a number or the code of a link. null: no route. */
export function routeOf({ route }: ApiRequest): string | null {
  return route === undefined || route === "*" ? null : route || "/";
}

/** The one line of a request. */
export function logRequest(deps: Deps, request: ApiRequest, { status }: Response, milliseconds: number): void {
  deps.log(status >= 500 ? "error" : "info", "request", {
    requestId: request.requestId,
    method: request.method,
    route: routeOf(request),
    ...clientFields(request),
    ...(status < 400 ? parameterFields(request) : {}),
    ...request.logged,
    status,
    milliseconds,
  });
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
