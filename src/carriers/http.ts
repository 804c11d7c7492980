import { unreachedBecause } from "../domain/callbacks/edge-status.ts";
import { REASON_CHARACTERS } from "../domain/messages/receipt.ts";
import { describeError, describeFetchError } from "../platform/describe-error.ts";
import { readBeginning } from "../platform/read-beginning.ts";
import { USER_AGENT } from "../platform/user-agent.ts";
import type { Submission } from "./carrier.ts";
import { isFinal, type Meaning, reasonOf } from "./codes.ts";

/** Timeout of a submission. The run may wait for it after its batch, which is allowed 30 seconds. */
export const SUBMIT_TIMEOUT_MILLISECONDS = 20_000;

/** Bytes of a response to read: many times the size of a response about one message. */
const READ_BYTES = 64 * 1024;

/** A response with its body, or the reason for its absence. `unsent`: nothing was sent, because of our credentials or the platform. */
export type CarrierResponse =
  | { status: number; headers: Headers; body: string }
  | { status: null; reason: string; unsent?: "credentials" | "platform" };

/**
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests: the platform refuses the call, and makes no request.
 */
export function isOutOfSubrequests(error: unknown): boolean {
  return /Too many subrequests/i.test(describeError(error));
}

/** Posts once, without following redirects: following one would be a second submission. */
export async function post(
  url: string,
  init: { headers: Record<string, string>; body: BodyInit },
): Promise<CarrierResponse> {
  const headers = { "user-agent": USER_AGENT, ...init.headers };
  if (!isSendable(headers)) {
    const reason = "no header can carry the credentials: is there a line break in them?";
    return { status: null, reason, unsent: "credentials" };
  }
  try {
    const signal = AbortSignal.timeout(SUBMIT_TIMEOUT_MILLISECONDS);
    const response = await fetch(url, { ...init, headers, method: "POST", redirect: "manual", signal });
    return { status: response.status, headers: response.headers, body: await readBody(response) };
  } catch (error) {
    const reason = describeFetchError(error);
    return isOutOfSubrequests(error) ? { status: null, reason, unsent: "platform" } : { status: null, reason };
  }
}

/** Where the carrier has not taken the message, its status says so, even if the rest of its answer is lost. */
async function readBody(response: Response): Promise<string> {
  try {
    return await readBeginning(response, READ_BYTES);
  } catch (error) {
    if (response.status < 400) throw error;
    return "";
  }
}

/** fetch reports such a header like a connection reset. The error of Headers is not shown: it may quote a key. */
function isSendable(headers: RequestInit["headers"]): boolean {
  try {
    new Headers(headers);
    return true;
  } catch {
    return false;
  }
}

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** No permission, wrong credentials, no funds, or no such path (and so no such account). */
const UNAUTHORIZED = [401, 402, 403, 404];

const UNREACHED: Meaning = { about: "carrier", outcome: "later" };
const TOO_MANY: Meaning = { about: "account", outcome: "later" };
const ONCE_FIXED: Meaning = { about: "account", outcome: "once-fixed" };

/** What a code means that is about the message, and that is in no table. */
export const REFUSED: Meaning = { about: "text", outcome: "final" };

/**
 * Classifies a response.
 * @param code what the carrier's own code means; undefined: there is none, or it says nothing of the message
 */
export function classifyResponse(response: CarrierResponse, explanation: string, code?: Meaning): Submission {
  if (response.status === null) {
    const { reason, unsent } = response;
    if (unsent === "platform") return { kind: "later", reason, exhausted: true };
    if (unsent === "credentials") return { kind: "later", reason, failing: "account", unauthorized: true };
    return { kind: "unknown", reason, failing: "carrier" };
  }
  const { status, headers } = response;
  const unreached = unreachedBecause(status);
  const reason = (unreached ? `${explanation} (${unreached})` : explanation).slice(0, REASON_CHARACTERS);
  const meaning = meaningOf(status, code);
  if (!meaning || meaning.outcome === "unknown") return { kind: "unknown", reason, failing: "carrier" };
  if (isFinal(meaning)) return { kind: "refused", reason, ...reasonOf(meaning), ...aboutOf(meaning) };
  const later = { kind: "later", reason, failing: meaning.about } as const;
  return meaning.outcome === "once-fixed" ? { ...later, unauthorized: true } : { ...later, ...retryAfter(headers) };
}

const aboutOf = ({ about }: Meaning) => (about === "number" || about === "text" ? {} : { about });

/**
 * What an answer means, by its code unless that is final, and else by its status.
 * @returns undefined after 408, another 5xx or a redirect: the carrier may have the message
 */
function meaningOf(status: number, code: Meaning | undefined): Meaning | undefined {
  if (code && !isFinal(code)) return code;
  if (unreachedBecause(status)) return UNREACHED;
  if (status === 429) return TOO_MANY;
  if (UNAUTHORIZED.includes(status) && !code) return ONCE_FIXED;
  return status >= 400 && status < 500 && status !== 408 ? (code ?? REFUSED) : undefined;
}

export const LONGEST_PAUSE_SECONDS = 3600;

function retryAfter(headers: Headers): { retryAfterSeconds?: number } {
  const seconds = Number(headers.get("retry-after") ?? headers.get("x-ratelimit-reset") ?? Number.NaN);
  return seconds > 0 ? { retryAfterSeconds: Math.min(Math.ceil(seconds), LONGEST_PAUSE_SECONDS) } : {};
}
