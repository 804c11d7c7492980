import type { Deps } from "../../deps.ts";
import { RequestFailure } from "../../domain/failure.ts";
import { CHECK_CHARACTERS, RANDOM_BYTES } from "../../domain/operations/operator-token.ts";
import { SESSION_SECONDS, splitSecret, USE_STEP_MILLISECONDS } from "../../domain/operations/session.ts";
import { Hmac } from "../../platform/hmac.ts";
import { equalHashes, sha256Hex } from "../../platform/secrets.ts";
import { findSession, insertSession, noteSessionUse, type Session } from "../../store/operations/operator-sessions.ts";
import type { Operator } from "../../store/operations/operator-tokens.ts";
import { countMiss } from "../clients/count-miss.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { findOperator } from "./operator-tokens.ts";

/** Who cannot make it cannot have a session looked up. */
function checkOf({ config }: Deps, random: string): string {
  return new Hmac(config.linkKey).sign(`operator session ${random}`).toHex().slice(0, CHECK_CHARACTERS);
}

interface SignedIn {
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
  if (operator === undefined) return undefined;
  const random = deps.randomBytes(RANDOM_BYTES).toHex();
  const secret = `s_${random}${checkOf(deps, random)}`;
  const now = deps.now();
  const session = {
    sessionId: deps.newId(),
    secretHash: await sha256Hex(secret),
    tokenHash,
    endsAt: now + SESSION_SECONDS * 1000,
  };
  await insertSession(deps.db, { operator: operator.name, requestId }, session, now);
  return { operator, secret };
}

/**
 * Whose session it is. As of a token, nothing that is found is kept: a session that is ended is refused from the next call on.
 * @param secret the value of the cookie
 * @throws RequestFailure guesses-exceeded
 */
export async function readSession(deps: Deps, secret: string, address: string): Promise<Session | undefined> {
  const parts = splitSecret(secret);
  if (!parts || !equalHashes(parts.check, checkOf(deps, parts.random))) return undefined;
  const now = deps.now();
  const hash = await sha256Hex(secret);
  const { operators } = deps.guesses;
  const judged = operators.judge(hash, address, now);
  if (judged === "refused") throw new RequestFailure({ kind: "guesses-exceeded" });
  if (judged === "missing") return undefined;
  const session = await findSession(deps.db, hash, now);
  if (session === undefined) countMiss(deps, operators, hash, address);
  else if (now - session.usedAt >= USE_STEP_MILLISECONDS) {
    const { sessionId } = session;
    const note = () => noteSessionUse(deps.db, sessionId, now);
    deps.waitUntil(unlessItFails(deps, "session.use-not-noted", {}, note));
  }
  return session;
}
