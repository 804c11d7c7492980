import { describeError } from "../describe-error.ts";
import type { Submission } from "./carrier.ts";

/** How long a carrier may take to answer a submission: it may be waited for after its batch, which is allowed 30 seconds. */
export const SUBMIT_TIMEOUT_MILLISECONDS = 20_000;

/** An answer with its body, or why there is none. */
export type Answer = { status: number; headers: Headers; body: string } | { status: null; reason: string };

/** Asks once, and follows no redirect: following one is a second submission. */
export async function ask(url: string, init: RequestInit): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(SUBMIT_TIMEOUT_MILLISECONDS);
    const answer = await fetch(url, { ...init, redirect: "manual", signal });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
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

/**
 * What every carrier's answer means that is none of its own cases. 521, 523 and 530 are Cloudflare's own: no connection
 * to the carrier was made. 408, 5xx, redirects and no answer at all leave open whether it has the message.
 */
export function commonSubmission(answer: Answer, reason: string): Submission {
  if (answer.status === null) return { kind: "unknown", reason: answer.reason, failing: true };
  const { status } = answer;
  if (status === 429 || status === 521 || status === 523 || status === 530) {
    const seconds = retryAfterSeconds(answer.headers);
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
