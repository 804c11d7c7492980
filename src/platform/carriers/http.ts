import { describeError } from "../describe-error.ts";
import { readBeginning } from "../read-beginning.ts";
import type { Submission } from "./carrier.ts";

/** How long a carrier may take to answer a submission: it may be waited for after its batch, which is allowed 30 seconds. */
export const SUBMIT_TIMEOUT_MILLISECONDS = 20_000;

/** How much of an answer is read: many times what a carrier says of one message. */
const READ_BYTES = 64 * 1024;

/** How much of it is kept: the outcomes of a job's messages are stored as one value, and queued as one message. */
const REASON_CHARACTERS = 300;

/** An answer with its body, or why there is none. `isUnsent`: the request could not even be made. */
export type CarrierResponse =
  | { status: number; headers: Headers; body: string }
  | { status: null; reason: string; isUnsent?: boolean };

/** Asks once, and follows no redirect: following one is a second submission. */
export async function post(
  url: string,
  init: { headers: Record<string, string>; body: BodyInit },
): Promise<CarrierResponse> {
  try {
    // A key that no header can carry, such as one with a line break in it: fetch would say so no differently than of a reset.
    new Headers(init.headers);
  } catch (error) {
    return { status: null, reason: describeError(error), isUnsent: true };
  }
  try {
    const signal = AbortSignal.timeout(SUBMIT_TIMEOUT_MILLISECONDS);
    const response = await fetch(url, { ...init, method: "POST", redirect: "manual", signal });
    return { status: response.status, headers: response.headers, body: await readBeginning(response, READ_BYTES) };
  } catch (error) {
    return { status: null, reason: describeError(error) };
  }
}

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The carrier does not know us, does not let us, or has no such path (and so no such account): it has taken nothing. */
const UNAUTHORIZED = [401, 403, 404];

/**
 * What every carrier's answer means that is none of its own cases. 521, 523 and 530 are Cloudflare's own: no connection
 * to the carrier was made. 408, 5xx, redirects and no answer at all leave open whether it has the message.
 * @param isAboutMessage the carrier's own code says so: then no status is about our credentials
 */
export function classifyResponse(response: CarrierResponse, explanation: string, isAboutMessage = false): Submission {
  if (response.status === null) {
    const { reason, isUnsent } = response;
    if (isUnsent) return { kind: "later", reason, failing: true, unauthorized: true };
    return { kind: "unknown", reason, failing: true };
  }
  const { status } = response;
  const reason = explanation.slice(0, REASON_CHARACTERS);
  if (UNAUTHORIZED.includes(status) && !isAboutMessage) {
    return { kind: "later", reason, failing: true, unauthorized: true };
  }
  if (status === 429 || status === 521 || status === 523 || status === 530) {
    const seconds = retryAfterSeconds(response.headers);
    return { kind: "later", reason, failing: true, ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }) };
  }
  if (status >= 400 && status < 500 && status !== 408) return { kind: "refused", reason };
  return { kind: "unknown", reason, failing: true };
}

const LONGEST_PAUSE_SECONDS = 3600;

function retryAfterSeconds(headers: Headers): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? headers.get("x-ratelimit-reset") ?? Number.NaN);
  return seconds > 0 ? Math.min(Math.ceil(seconds), LONGEST_PAUSE_SECONDS) : undefined;
}
