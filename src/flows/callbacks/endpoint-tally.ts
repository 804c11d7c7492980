import { describeStatus } from "../../domain/callbacks/edge-status.ts";
import { isTaken } from "../../platform/callback-post.ts";
import type { CallbackRecord, ClaimedCallback } from "../../store/callbacks/callbacks.ts";
import type { EndpointResult } from "../../store/callbacks/failing-endpoints.ts";

const NONE = {
  hasSucceeded: false,
  failures: 0,
  cause: "",
  taken: 0,
  failed: 0,
  totalMilliseconds: 0,
  slowestMilliseconds: 0,
};

/** How the callbacks of a run ended, by client. */
export class EndpointTally {
  readonly #results = new Map<string, EndpointResult>();

  add({ clientId, callbackUrl }: ClaimedCallback, result: CallbackRecord): void {
    const { outcome, httpStatus, response, durationMilliseconds } = result;
    const host = callbackUrl === null ? undefined : URL.parse(callbackUrl)?.host;
    if (host === undefined) return;
    const cause = outcome === "answered" ? describeStatus(httpStatus) : `${outcome}: ${response}`;
    const before = this.#results.get(clientId) ?? NONE;
    const now = isTaken(result) ? { hasSucceeded: true, failures: 0 } : { failures: before.failures + 1, cause };
    const posts = {
      taken: before.taken + (isTaken(result) ? 1 : 0),
      failed: before.failed + (isTaken(result) ? 0 : 1),
      totalMilliseconds: before.totalMilliseconds + durationMilliseconds,
      slowestMilliseconds: Math.max(before.slowestMilliseconds, durationMilliseconds),
    };
    this.#results.set(clientId, { ...before, ...now, ...posts, clientId, host });
  }

  /** The results so far, which the caller stores with the outcomes. */
  take(): EndpointResult[] {
    const results = [...this.#results.values()];
    this.#results.clear();
    return results;
  }
}
