// Pure. Which of its callbacks a run posts and claims next, so that a slow endpoint leaves the others their connections.
import type { ClaimedCallback, DueCallback } from "../platform/store/callbacks.ts";
import type { DueEvent } from "../platform/store/events.ts";

/** The share of one endpoint in the connections of an invocation: a slow endpoint leaves the others theirs. */
const CONNECTIONS_AN_ENDPOINT = 3;

/** Small claims: when a run is cut off, nobody knows which of its claimed callbacks were posted. */
export const CLAIM_LIMITS = { most: 20, mostOfUrl: 4 * CONNECTIONS_AN_ENDPOINT };

interface Endpoint {
  posting: number;
  /** Claimed callbacks, including those being posted. */
  claimed: number;
  timedOut: boolean;
}

/** The callbacks of a run: unclaimed, ready to be posted, and being posted. */
export class CallbackSchedule {
  #unclaimed: DueCallback[] = [];
  #ready: ClaimedCallback[] = [];
  readonly #posting = new Set<ClaimedCallback>();
  readonly #endpoints = new Map<string, Endpoint>();

  addUnclaimed(callbacks: DueCallback[]): void {
    this.#unclaimed.push(...callbacks);
  }

  addClaimed(callbacks: ClaimedCallback[]): void {
    this.#ready.push(...callbacks);
    for (const callback of callbacks) this.#of(callback).claimed += 1;
  }

  /**
   * The next callback to post, at the endpoint that has the fewest connections. "claim": others should be claimed first.
   * undefined: none may be posted before another post ends.
   */
  next(): ClaimedCallback | "claim" | undefined {
    const messages = new Set([...this.#posting].map(({ messageId }) => messageId));
    let best: ClaimedCallback | undefined;
    for (const callback of this.#ready) {
      // The events of a message are posted in their order.
      const isFirst = !messages.has(callback.messageId);
      messages.add(callback.messageId);
      if (isFirst && this.#mayPost(callback) && (!best || this.#load(callback) < this.#load(best))) best = callback;
    }
    const [first] = this.#claimable();
    if (first && (!best || this.#load(first) < this.#load(best))) return "claim";
    if (!best) return undefined;
    this.#ready.splice(this.#ready.indexOf(best), 1);
    this.#posting.add(best);
    this.#of(best).posting += 1;
    return best;
  }

  /** Takes out the callbacks to claim next. */
  takeForClaim(): DueEvent[] {
    const chosen = new Set<DueCallback>();
    const claimable = this.#claimable();
    const added = new Map<Endpoint, number>();
    for (const callback of claimable) {
      if (chosen.size === CLAIM_LIMITS.most - this.#ready.length - this.#posting.size) break;
      const endpoint = this.#of(callback);
      const count = added.get(endpoint) ?? 0;
      if (endpoint.claimed + count >= CLAIM_LIMITS.mostOfUrl) continue;
      added.set(endpoint, count + 1);
      chosen.add(callback);
    }
    this.#unclaimed = this.#unclaimed.filter((callback) => !chosen.has(callback));
    return [...chosen].map(({ eventId }) => eventId);
  }

  ended(callback: ClaimedCallback, timedOut: boolean): void {
    const endpoint = this.#of(callback);
    this.#posting.delete(callback);
    endpoint.posting -= 1;
    endpoint.claimed -= 1;
    endpoint.timedOut ||= timedOut;
  }

  /** Takes out what is not posted, by whether its endpoint has timed out. */
  takeLeft(): { timedOut: DueEvent[]; others: DueEvent[] } {
    const left = [...this.#ready.splice(0), ...this.#unclaimed.splice(0)];
    const { timedOut = [], others = [] } = Object.groupBy(left, (callback) =>
      this.#of(callback).timedOut ? "timedOut" : "others",
    );
    return { timedOut: timedOut.map(({ eventId }) => eventId), others: others.map(({ eventId }) => eventId) };
  }

  /** Unclaimed callbacks that may be claimed now, those of the endpoints with the fewest connections first. */
  #claimable(): DueCallback[] {
    if (this.#ready.length + this.#posting.size >= CLAIM_LIMITS.most) return [];
    const open = this.#unclaimed.filter((callback) => {
      const { timedOut, claimed } = this.#of(callback);
      return !timedOut && claimed < CLAIM_LIMITS.mostOfUrl;
    });
    return open.sort((one, other) => this.#load(one) - this.#load(other));
  }

  #mayPost(callback: ClaimedCallback): boolean {
    const { timedOut, posting } = this.#of(callback);
    return !timedOut && posting < CONNECTIONS_AN_ENDPOINT;
  }

  #load(callback: DueCallback | ClaimedCallback): number {
    return this.#of(callback).posting;
  }

  #of({ callbackUrl }: DueCallback | ClaimedCallback): Endpoint {
    const name = endpointOf(String(callbackUrl));
    const endpoint = this.#endpoints.get(name) ?? { posting: 0, claimed: 0, timedOut: false };
    this.#endpoints.set(name, endpoint);
    return endpoint;
  }
}

/** A stored URL may be invalid by a newer rule. The post reports that; here it must not throw and fail the whole batch. */
function endpointOf(callbackUrl: string): string {
  return URL.canParse(callbackUrl) ? new URL(callbackUrl).host : callbackUrl;
}
