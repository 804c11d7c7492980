import type { AttemptOutcome } from "../domain/callbacks/callback.ts";
import { validateCallbackUrl } from "../domain/callbacks/callback-url.ts";
import { describeFetchError } from "./describe-error.ts";
import { readBeginning } from "./read-beginning.ts";
import { USER_AGENT } from "./user-agent.ts";

export const CALLBACK_TIMEOUT_MILLISECONDS = 10_000;

/** Bytes of the response kept for the operator. */
const KEPT_BYTES = 1024;

export interface PostResult {
  outcome: AttemptOutcome;
  httpStatus: number | null;
  /** The beginning of the response body, or the error; null: the body cannot be read. */
  response: string | null;
}

/** Answered 2xx, in time. */
export const isTaken = ({ outcome, httpStatus }: PostResult) =>
  outcome === "answered" && httpStatus !== null && httpStatus < 300;

/**
 * Posts JSON once, without following redirects. Closes the connection after 10 seconds or 1 KB of response. Never throws.
 * The URL is validated again, since today's rule may be stricter than the one it was stored under. Loopback was checked
 * then: only that check knew whether the service itself runs there.
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
      headers: { "content-type": "application/json", "user-agent": USER_AGENT, ...headers },
      body,
      redirect: "manual",
      signal: abort.signal,
    });
    httpStatus = answer.status;
    return { outcome: "answered", httpStatus, response: await readBeginning(answer, KEPT_BYTES) };
  } catch (error) {
    if (!abort.signal.aborted) {
      // The endpoint has the event, and has said so. A fault in the rest of its answer changes nothing.
      if (httpStatus !== null) return { outcome: "answered", httpStatus, response: null };
      return { outcome: "unreachable", httpStatus, response: describeFetchError(error) };
    }
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
