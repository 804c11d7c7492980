// Who is signed in at Cloudflare Access is signed in to the console.
import type { Deps } from "../../deps.ts";
import { type AccessSettings, faultOfClaims, parseAccessToken } from "../../domain/operations/access-token.ts";
import type { ACCESS_FAULTS } from "../../domain/operations/session.ts";
import { KeysUnavailableError, verifyWith } from "../../platform/access-keys.ts";
import { describeError } from "../../platform/describe-error.ts";
import { findNamedOperator } from "../../store/operations/operator-tokens.ts";
import { beginSession, type SignedIn } from "./operator-sessions.ts";

type AccessFault = (typeof ACCESS_FAULTS)[number];

/** Whose token of Access it is. */
export type Visitor = { email: string } | { email: null; fault: AccessFault };

/** Reads the token of Access. @param requestId for the log */
export async function readVisitor(
  deps: Deps,
  settings: AccessSettings,
  jwt: string,
  requestId: string,
): Promise<Visitor> {
  const refuse = (cause: string, fault: AccessFault = "token-refused"): Visitor => {
    deps.log("warn", "access.refused", { requestId, cause });
    return { email: null, fault };
  };
  const token = parseAccessToken(jwt);
  if (!token) return refuse("malformed");
  const { keyId, claims, signature, signed } = token;
  try {
    const key = await deps.accessKeys.find(settings.issuer, keyId, deps.now());
    if (!key) return refuse("key-unknown");
    if (!(await verifyWith(key, signature, signed))) return refuse("signature-wrong");
  } catch (error) {
    if (!(error instanceof KeysUnavailableError)) throw error;
    return refuse(describeError(error), "keys-unavailable");
  }
  const fault = faultOfClaims(claims, settings, deps.now());
  return fault ? refuse(fault) : { email: (claims.email ?? "").toLowerCase() };
}

/**
 * A session of the operator whose name is the address, which lasts no longer than their token.
 * @returns undefined: there is no such operator
 */
export async function signInByAccess(deps: Deps, email: string, requestId: string): Promise<SignedIn | undefined> {
  const found = await findNamedOperator(deps.db, email, deps.now());
  return found && beginSession(deps, found, found.tokenHash, requestId);
}
