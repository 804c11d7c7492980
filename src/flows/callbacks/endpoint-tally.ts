import { describeStatus } from "../../domain/callbacks/edge-status.ts";
import { isTaken, type PostResult } from "../../platform/callback-post.ts";
import type { ClaimedCallback } from "../../store/callbacks/callbacks.ts";
import type { EndpointResult } from "../../store/callbacks/failing-endpoints.ts";

/** How the callbacks of a run ended, by client. */
export class EndpointTally {
  readonly #results = new Map<string, EndpointResult>();

  add({ clientId, callbackUrl }: ClaimedCallback, result: PostResult): void {
    const { outcome, httpStatus, response } = result;
    const host = callbackUrl === null ? undefined : URL.parse(callbackUrl)?.host;
    if (host === undefined) return;
    const cause = outcome === "answered" ? describeStatus(httpStatus) : `${outcome}: ${response}`;
    const before = this.#results.get(clientId) ?? { hasSucceeded: false, failures: 0, cause: "" };
    const now = isTaken(result) ? { hasSucceeded: true, failures: 0 } : { failures: before.failures + 1, cause };
    this.#results.set(clientId, { ...before, ...now, clientId, host });
  }

  /** The results so far, which the caller stores with the outcomes. */
  take(): EndpointResult[] {
    const results = [...this.#results.values()];
    this.#results.clear();
    return results;
  }
}
