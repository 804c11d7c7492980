import type { Deps } from "../../deps.ts";
import { SESSION_SECONDS, USE_STEP_MILLISECONDS } from "../../domain/operations/session.ts";
import { sha256Hex } from "../../platform/secrets.ts";
import { findSession, insertSession, noteSessionUse, type Session } from "../../store/operations/operator-sessions.ts";
import type { Operator } from "../../store/operations/operator-tokens.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { lookUpSecret, makeSecret } from "./operator-secrets.ts";
import { findOperator } from "./operator-tokens.ts";

export interface SignedIn {
  operator: Operator;
  /** The value of the cookie, of which only the hash is stored. */
  secret: string;
}

/**
 * @returns undefined: it is not the token of a name, or has ended
 * @throws RequestFailure guesses-exceeded
 */
export async function signIn(
  deps: Deps,
  token: string,
  { address, requestId }: { address: string; requestId: string },
): Promise<SignedIn | undefined> {
  const tokenHash = await sha256Hex(token);
  const operator = await findOperator(deps, token, tokenHash, address);
  return operator && beginSession(deps, operator, tokenHash, requestId);
}

/** @param tokenHash of the token with which the session ends */
export async function beginSession(
  deps: Deps,
  { name, role }: Operator,
  tokenHash: string,
  requestId: string,
): Promise<SignedIn> {
  const secret = makeSecret(deps, "session");
  const now = deps.now();
  const session = {
    sessionId: deps.newId(),
    secretHash: await sha256Hex(secret),
    tokenHash,
    endsAt: now + SESSION_SECONDS * 1000,
  };
  await insertSession(deps.db, { operator: name, requestId }, session, now);
  return { operator: { name, role }, secret };
}

/**
 * Whose session it is.
 * @param secret the value of the cookie
 * @throws RequestFailure guesses-exceeded
 */
export async function readSession(deps: Deps, secret: string, address: string): Promise<Session | undefined> {
  const hash = await sha256Hex(secret);
  const now = deps.now();
  const session = await lookUpSecret(deps, "session", { secret, hash, address }, () => findSession(deps.db, hash, now));
  if (session && now - session.usedAt >= USE_STEP_MILLISECONDS) {
    const { sessionId } = session;
    const note = () => noteSessionUse(deps.db, sessionId, now);
    deps.waitUntil(unlessItFails(deps, "session.use-not-noted", {}, note));
  }
  return session;
}
