import type { Deps } from "../deps.ts";
import { CLIENT_ID, CLIENT_SECRET, type Credentials, type Operation } from "../domain/clients/client.ts";
import type { ClientRefusal } from "../domain/clients/client-uses.ts";
import type { Admission } from "../domain/clients/sliding-window.ts";
import { type Failure, RequestFailure } from "../domain/failure.ts";
import { noteMalformed, noteRefusal } from "../flows/clients/client-uses.ts";
import { countMiss } from "../flows/clients/count-miss.ts";
import type { Counting } from "../flows/messages/accept-message.ts";
import { describeError } from "../platform/describe-error.ts";
import { LIMITER_MILLISECONDS } from "../platform/rate-limiter.ts";
import { equalHashes, sha256Hex } from "../platform/secrets.ts";
import { SilenceError, withinTime } from "../platform/time-limit.ts";
import { type ApiRequest, addressOf, clientOf, type Guard } from "./api-request.ts";

/** Lets a client through that has the right credentials and has been granted the operation. */
export function requireClient(operation: Operation): Guard {
  return async (request, deps) => {
    const clientId = issuedHeader(request, "X-Client-ID", CLIENT_ID);
    const secret = issuedSecret(request, deps, clientId);
    const access = { secretHash: await sha256Hex(secret), operation };
    const client = await authenticate(deps, { clientId, hash: access.secretHash, address: addressOf(request) });
    requireGrant(deps, client, operation);
    Object.assign(request, { client, access });
  };
}

function requireGrant(deps: Deps, client: Credentials, operation: Operation): void {
  if (client.suspended) throw refused(deps, client, "suspended", { kind: "client-suspended" });
  if (!client.operations.includes(operation))
    throw refused(deps, client, "operation-denied", { kind: "operation-denied", operation });
}

/** The client's page shows the cause. */
function refused(deps: Deps, client: Credentials, cause: ClientRefusal, failure: Failure): RequestFailure {
  noteRefusal(deps, client, cause);
  return new RequestFailure(failure);
}

function issuedSecret(request: ApiRequest, deps: Deps, clientId: string): string {
  try {
    return issuedHeader(request, "X-Client-Secret", CLIENT_SECRET);
  } catch (error) {
    noteMalformed(deps, clientId, addressOf(request));
    throw error;
  }
}

interface Given {
  clientId: string;
  /** The hash of the secret. */
  hash: string;
  address: string;
}

/** How long a wrong secret and an unknown client wait alike: KV takes longer to find a value than to find none. */
const REFUSAL_MILLISECONDS = 100;

async function authenticate(deps: Deps, { clientId, hash, address }: Given): Promise<Credentials> {
  const now = deps.now();
  // A wrong secret always costs one read and two comparisons, whether or not this isolate knows the client. So the time does not tell
  // which clients exist, and a new secret works before the cache has it.
  const known = deps.credentials.known(clientId, now);
  const isKnown = judgeSecret(known?.credentials ?? NOBODY, hash, now) === "right" && known !== undefined;
  if (isKnown && known.isCurrent) return known.credentials;
  const { clients } = deps.guesses;
  // A client that this isolate has let in before is no guess.
  const judged = isKnown ? undefined : clients.judge(clientId + hash, address, now);
  if (judged === "refused") throw new RequestFailure({ kind: "guesses-exceeded" });
  const refusalDue = scheduler.wait(REFUSAL_MILLISECONDS);
  const stored = judged === "missing" ? null : await deps.credentials.read(clientId);
  const verdict = judgeSecret(stored ?? NOBODY, hash, now);
  const isRight = verdict === "right" && stored !== null;
  // The cache also gets the client whose known secret has just stopped working: the next request with it counts as a guess.
  if (stored && (isRight || isKnown)) deps.credentials.keep(stored, now);
  if (!isRight) {
    if (judged === undefined) countMiss(deps, clients, clientId + hash, address);
    await refusalDue;
    throw stored ? wrongSecret(deps, stored, verdict) : new RequestFailure(WRONG);
  }
  return stored;
}

const WRONG: Failure = {
  kind: "credentials-wrong",
  message:
    "There is no client with this X-Client-ID, or the X-Client-Secret is not its own. Compare both with what the operator gave you.",
};

function wrongSecret(deps: Deps, client: Credentials, verdict: Verdict): RequestFailure {
  return refused(deps, client, verdict === "replaced" ? "secret-replaced" : "secret-wrong", WRONG);
}

function issuedHeader(request: ApiRequest, name: string, form: RegExp): string {
  const value = (request.headers.get(name) ?? "").trim();
  if (form.test(value)) return value;
  const length = name === "X-Client-ID" ? 32 : 64;
  const message =
    value === "" ? `The header ${name} is missing.` : `The header ${name} must be ${length} lower-case hex characters.`;
  throw new RequestFailure({ kind: "credentials-missing", message });
}

/** Compared with in place of a client that is unknown. No secret has this hash. */
const NOBODY: Pick<Credentials, "secretHash" | "oldSecret"> = { secretHash: "0".repeat(64), oldSecret: null };

/** `replaced`: by a rotation, and no longer valid. */
type Verdict = "right" | "replaced" | "wrong";

/** Both secrets are compared, always. */
function judgeSecret({ secretHash, oldSecret }: typeof NOBODY, hash: string, now: number): Verdict {
  const isCurrent = equalHashes(secretHash, hash);
  const isOld = equalHashes(oldSecret?.hash ?? NOBODY.secretHash, hash);
  if (isCurrent) return "right";
  if (!isOld || oldSecret === null) return "wrong";
  return now < oldSecret.until ? "right" : "replaced";
}

/** How long the isolate still waits, after its answer, for an object that was too slow: a late refusal is remembered. */
const LATE_MILLISECONDS = 1000;

/**
 * Counts the request against the limit of its website. A counter that fails, or is silent, lets it through. The object also
 * knows changes of clients that KV has not spread yet.
 */
export const limitRate: Guard = async (request, deps) => {
  const answer = await askLimiter(request, deps);
  if (!answer) return;
  if (!("newer" in answer)) return applyAdmission(request, deps, answer);
  requireNewer(request, deps, answer.newer);
  return limitRate(request, deps);
};

/** @returns undefined when the object fails, and nothing is known against the website */
async function askLimiter(request: ApiRequest, deps: Deps) {
  const client = clientOf(request);
  const { websiteId } = client;
  const asking = deps.limiter.admit(websiteId, deps.now, client);
  try {
    return await withinTime(LIMITER_MILLISECONDS, asking);
  } catch (error) {
    if (error instanceof SilenceError) {
      deps.waitUntil(withinTime(LATE_MILLISECONDS, asking).catch(() => {}));
      const refusal = deps.limiter.afterSilence(websiteId, deps.now());
      if (refusal) return refusal;
    }
    const { requestId } = request;
    deps.log("error", "rate-limiter.failed", { requestId, websiteId, error: describeError(error) });
    return undefined;
  }
}

/** Checks a request again against a later state of its client: an earlier state let it through. */
function requireNewer(request: ApiRequest, deps: Deps, client: Credentials): void {
  deps.credentials.keep(client, deps.now());
  const { access } = request;
  if (!access) throw new Error("the route has no requireClient");
  const verdict = judgeSecret(client, access.secretHash, deps.now());
  if (verdict !== "right") throw wrongSecret(deps, client, verdict);
  requireGrant(deps, client, access.operation);
  request.client = client;
}

/** Refuses a send while an earlier refusal still holds, without a call of the object. The object counts all other sends. */
export const refuseEarly: Guard = (request, deps) => {
  const refusal = deps.limiter.refusal(clientOf(request).websiteId, deps.now());
  if (refusal) applyAdmission(request, deps, refusal);
};

/** How a send is counted by the object that stores it. */
export function countingOf(request: ApiRequest, deps: Deps): Counting {
  return {
    client: () => clientOf(request),
    renew: (newer) => requireNewer(request, deps, newer),
    admit: (admission) => applyAdmission(request, deps, admission),
  };
}

/** @throws RequestFailure rate-exceeded */
function applyAdmission(request: ApiRequest, deps: Deps, admission: Admission): void {
  request.admission = admission;
  const { admitted, resetMilliseconds } = admission;
  if (admitted) return;
  const failure: Failure = { kind: "rate-exceeded", retryAfterSeconds: toSeconds(resetMilliseconds) };
  throw refused(deps, clientOf(request), "rate-exceeded", failure);
}

/** Whole seconds for a header. The window's last millisecond does not make a second of its own. */
export function toSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil((milliseconds - 1) / 1000));
}
