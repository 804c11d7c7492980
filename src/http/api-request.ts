import type { IRequestStrict } from "itty-router";
import type { Deps } from "../deps.ts";
import type { Credentials, Operation } from "../domain/clients/client.ts";
import type { RefusedRequest } from "../domain/clients/refused-request.ts";
import type { Admission } from "../domain/clients/sliding-window.ts";
import type { IgnoredFields } from "../domain/messages/ignored-fields.ts";
import type { Author } from "../domain/operations/audit.ts";
import type { Role } from "../domain/operations/operator-token.ts";
import type { LogFields } from "../log.ts";
import type { Session } from "../store/operations/operator-sessions.ts";

/** A request on its way through the guards, with what each has found out. */
export type ApiRequest = IRequestStrict & {
  /** Answered as X-Request-Id, and logged. */
  requestId: string;
  /** What its line in the log says beside what every line says: handlers add ids and counts. */
  logged: LogFields;
  /** Set by requireOperator: the name of the token. */
  operator?: string;
  /** Set by requireOperator: what the token may do. */
  role?: Role;
  /** Set by requireOperator where it was let in by the cookie of the console. */
  session?: Session;
  /** Set by requireClient. */
  client?: Credentials;
  /** Set by requireClient: what a later change of the client is held against. */
  access?: { secretHash: string; operation: Operation };
  /** Set where an error is answered. */
  refusal?: Pick<RefusedRequest, "code" | "message" | "details">;
  /** Set where the fields of a JSON body are read. */
  ignored?: IgnoredFields;
  /** Set where the request is counted: limitRate, refuseEarly, or the handler of a send. */
  admission?: Admission | undefined;
};

/** Answers, or lets the next handler of the route do so. */
export type Guard = (request: ApiRequest, deps: Deps) => Promise<void> | void;

/** Answers. */
export type Handler = (request: ApiRequest, deps: Deps) => Promise<Response> | Response;

/** HEAD is GET without a body. */
export const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** An id as it is stored: people and systems pass UUIDs on in capitals, and with white space around them. */
export function toStoredId(given: string): string {
  return given.trim().toLowerCase();
}

/** The operator that requireOperator has let through. */
export function authorOf({ operator, requestId }: ApiRequest): Author {
  if (operator === undefined) throw new Error("the route has no requireOperator");
  return { operator, requestId };
}

/** The client that requireClient has let through. */
export function clientOf(request: ApiRequest): Credentials {
  if (!request.client) throw new Error("the route has no requireClient");
  return request.client;
}

/**
 * The address of the caller as Cloudflare sees it; '' where there is no Cloudflare. Of IPv6 the network of 64 bits, within which a
 * caller has any number of addresses: its first groups, as short as they are written.
 */
export function addressOf(request: ApiRequest): string {
  const [beginning = ""] = (request.headers.get("CF-Connecting-IP") ?? "").split("::");
  return beginning.split(":").slice(0, 4).join(":");
}

/**
 * Like addressOf, but the network of 48 bits of an IPv6 address: a provider may give one customer all of its 65,536 networks of 64.
 */
export function networkOf(request: ApiRequest): string {
  return addressOf(request).split(":").slice(0, 3).join(":");
}

/** The distinct ids of a list as they are stored, in the order of first appearance, each with the form in which it was given first. */
export function distinctIds(given: readonly string[]): Map<string, string> {
  const forms = new Map<string, string>();
  for (const id of given) if (!forms.has(toStoredId(id))) forms.set(toStoredId(id), id);
  return forms;
}
