import { validateCallbackUrl } from "../domain/callback-url.ts";
import { describeError } from "./describe-error.ts";
import { readBeginning } from "./read-beginning.ts";
import type { CallbackOutcome } from "./store/rows.ts";

export const CALLBACK_TIMEOUT_MILLISECONDS = 10_000;

/** How much of what comes back is kept for the operator. */
export const KEPT_BYTES = 1024;

export interface PostResult {
  outcome: CallbackOutcome;
  httpStatus: number | null;
  /** The beginning of the body that came back, or what went wrong. */
  response: string;
}

/**
 * Posts JSON once. A redirect is not followed, and after 10 seconds, or 1 KB of answer, the connection is closed.
 * Whatever happens is a result: it never throws. The URL is held to the rule of today, which may be stricter than the one
 * it was stored under; loopback is left to the check at that time, which knew whether the service itself runs there.
 */
export async function postOnce(url: string, body: string, headers: Record<string, string>): Promise<PostResult> {
  const fault = validateCallbackUrl(url, true);
  if (fault) return { outcome: "not-posted", httpStatus: null, response: `the callback URL ${fault}` };
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), CALLBACK_TIMEOUT_MILLISECONDS);
  let httpStatus: number | null = null;
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "Textgate", ...headers },
      body,
      redirect: "manual",
      signal: abort.signal,
    });
    httpStatus = answer.status;
    return { outcome: "answered", httpStatus, response: await readBeginning(answer, KEPT_BYTES) };
  } catch (error) {
    if (!abort.signal.aborted) return { outcome: "unreachable", httpStatus, response: describeError(error) };
    return {
      outcome: "timed-out",
      httpStatus,
      response: `no whole answer in ${CALLBACK_TIMEOUT_MILLISECONDS / 1000} s`,
    };
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}
