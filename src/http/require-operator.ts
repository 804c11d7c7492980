import type { Deps } from "../deps.ts";
import { RequestFailure } from "../domain/failure.ts";
import { FIRST_OPERATOR } from "../domain/operations/audit.ts";
import { readCookie } from "../domain/operations/session.ts";
import { readSession } from "../flows/operations/operator-sessions.ts";
import { findOperator } from "../flows/operations/operator-tokens.ts";
import { isPersonId, readPersonId } from "../platform/person-id.ts";
import { equalHashes, sha256Hex } from "../platform/secrets.ts";
import { type ApiRequest, addressOf, type Guard, isRead } from "./api-request.ts";
import { type Call, hasFiles, isForOperators } from "./call.ts";

/**
 * Lets through an operator: by OPERATOR_TOKEN, by a token of a name, or by the cookie of a session. Where no OPERATOR_TOKEN is set,
 * there is no such path.
 */
export const requireOperator: Guard = async (request, deps) => {
  requireOperatorToken(deps);
  const token = bearerOf(request);
  const cookie = token === undefined ? readCookie(request.headers.get("Cookie")) : undefined;
  if (cookie !== undefined) await requireSession(request, deps, cookie);
  else await requireToken(request, deps, token);
};

/** Refuses a viewer what is for operators. Then the ids of people become their numbers: no call has to know of them. */
export function requireRole(call: Call): Guard {
  return async (request, deps) => {
    const { role, query } = request;
    const isFile = hasFiles(call) && query.format !== undefined && query.format !== "json";
    const isRefused = role !== "operator" && (isForOperators(call) || isFile);
    if (isRefused) throw new RequestFailure({ kind: "viewer-denied" });
    await readPersonIds(request, deps);
  };
}

/** @throws RequestFailure path-unknown */
export function requireOperatorToken({ config }: Deps): string {
  if (config.operatorToken === undefined) throw new RequestFailure({ kind: "path-unknown" });
  return config.operatorToken;
}

function bearerOf({ headers }: ApiRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1];
}

async function requireToken(request: ApiRequest, deps: Deps, token: string | undefined): Promise<void> {
  if (token === undefined) {
    const message = "The header Authorization: Bearer <token of an operator> is missing.";
    throw new RequestFailure({ kind: "credentials-missing", message });
  }
  const hash = await sha256Hex(token);
  const isFirst = equalHashes(hash, await sha256Hex(requireOperatorToken(deps)));
  const operator = isFirst
    ? ({ name: FIRST_OPERATOR, role: "operator" } as const)
    : await findOperator(deps, token, hash, addressOf(request));
  if (operator === undefined) {
    const message = "This is no token of an operator, or it has ended.";
    throw new RequestFailure({ kind: "credentials-wrong", message });
  }
  Object.assign(request, { operator: operator.name, role: operator.role });
}

async function requireSession(request: ApiRequest, deps: Deps, cookie: string): Promise<void> {
  const session = await readSession(deps, cookie, addressOf(request));
  if (session === undefined) {
    const message = "The session has ended. Sign in again.";
    throw new RequestFailure({ kind: "credentials-wrong", message });
  }
  requireOwnOrigin(request);
  Object.assign(request, { operator: session.operator, role: session.role, session });
}

/** What a browser says of a request that no page of another origin has caused, and what says nothing. */
const OWN_SITES: (string | null)[] = ["same-origin", "none", "", null];

/**
 * A browser sends the cookie by itself. Sec-Fetch-Site tells which site has asked for it, and no other site can set X-Console without being
 * asked first (CORS), which is never granted. A GET or HEAD may be typed, and is refused to pages of other origins: some are in the audit log.
 * @throws RequestFailure origin-foreign
 */
export function requireOwnOrigin({ method, headers }: ApiRequest): void {
  const site = headers.get("Sec-Fetch-Site");
  const isOwn = isRead(method) ? OWN_SITES.includes(site) : site === "same-origin" && headers.get("X-Console") === "1";
  if (!isOwn) throw new RequestFailure({ kind: "origin-foreign" });
}

/** In the place of a number: in the path, or as `person` in the query. @throws RequestFailure resource-unknown */
async function readPersonIds(request: ApiRequest, { config }: Deps): Promise<void> {
  const read = async (personId: string) => {
    const phone = await readPersonId(personId, config.serviceKey ?? "");
    if (phone === undefined) throw new RequestFailure({ kind: "resource-unknown", what: "person" });
    return phone;
  };
  const { params, query } = request;
  for (const name of ["phone", "personId"]) {
    const given = params[name];
    if (given !== undefined && isPersonId(given)) params[name] = await read(given);
  }
  if (query.person) query.phone = await read(String(query.person));
}
