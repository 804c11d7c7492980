import { unreachedBecause } from "../domain/callbacks/edge-status.ts";
import { REASON_CHARACTERS } from "../domain/messages/receipt.ts";
import { describeError, describeFetchError } from "../platform/describe-error.ts";
import { readBeginning } from "../platform/read-beginning.ts";
import { USER_AGENT } from "../platform/user-agent.ts";
import type { Submission } from "./carrier.ts";

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

/** Wrong credentials, no permission, or no such path (and so no such account): the carrier has not taken the message. */
const UNAUTHORIZED = [401, 403, 404];

/**
 * Classifies a response by its HTTP status, after the carrier's own cases. After 408, another 5xx, a redirect or no response,
 * the carrier may have the message.
 * @param isAboutMessage the carrier's own code is about the message: then no status is about our credentials
 */
export function classifyResponse(response: CarrierResponse, explanation: string, isAboutMessage = false): Submission {
  if (response.status === null) {
    const { reason, unsent } = response;
    if (unsent === "platform") return { kind: "later", reason, exhausted: true };
    if (unsent === "credentials") return { kind: "later", reason, failing: true, unauthorized: true };
    return { kind: "unknown", reason, failing: true };
  }
  const { status } = response;
  const unreached = unreachedBecause(status);
  const reason = (unreached ? `${explanation} (${unreached})` : explanation).slice(0, REASON_CHARACTERS);
  if (UNAUTHORIZED.includes(status) && !isAboutMessage) {
    return { kind: "later", reason, failing: true, unauthorized: true };
  }
  if (status === 429 || unreached) {
    const seconds = retryAfterSeconds(response.headers);
    return { kind: "later", reason, failing: true, ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }) };
  }
  if (status >= 400 && status < 500 && status !== 408) return { kind: "refused", reason };
  return { kind: "unknown", reason, failing: true };
}

export const LONGEST_PAUSE_SECONDS = 3600;

function retryAfterSeconds(headers: Headers): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? headers.get("x-ratelimit-reset") ?? Number.NaN);
  return seconds > 0 ? Math.min(Math.ceil(seconds), LONGEST_PAUSE_SECONDS) : undefined;
}
