// Pure. Which of its callbacks a run posts and claims next, so that a slow endpoint leaves the others their connections.
import { alternate } from "../domain/chunk.ts";
import { homeOf } from "../domain/home.ts";
import type { ClaimedCallback, DueCallback } from "../platform/store/callbacks.ts";
import type { DueEvent } from "../platform/store/events.ts";
import { OUTBOUND_CONNECTIONS } from "./connections.ts";

/** The share of one endpoint among others in the connections of an invocation: a slow endpoint leaves the others theirs. */
const CONNECTIONS_AN_ENDPOINT = 3;

/** Small claims: when a run is cut off, nobody knows which of its claimed callbacks were posted. */
export const CLAIM_LIMITS = { most: 24, mostOfUrl: 4 * CONNECTIONS_AN_ENDPOINT };

/**
 * What a run claims before it knows the URLs: of each website in turn, as one website has few endpoints. The event SENDING of a
 * message goes before the others.
 */
export function firstToClaim(eventIds: DueEvent[]): { first: DueEvent[]; others: DueEvent[] } {
  const rank = (eventId: DueEvent) => (eventId.endsWith("_SENDING") ? 0 : 1);
  const inOrder = [...new Set(eventIds)].sort((one, other) => rank(one) - rank(other));
  const few = [...Map.groupBy(inOrder, homeOf).values()].map((own) => own.slice(0, CLAIM_LIMITS.mostOfUrl));
  const first = alternate(few).slice(0, CLAIM_LIMITS.most);
  const isFirst = new Set(first);
  return { first, others: inOrder.filter((eventId) => !isFirst.has(eventId)) };
}

interface Endpoint {
  /** In order of occurrence. */
  unclaimed: DueCallback[];
  posting: number;
  /** Claimed callbacks, including those being posted. */
  claimed: number;
  timedOut: boolean;
  /** Within this run: one that does not answer gets no more posts at a time than its share. */
  hasAnswered: boolean;
}

/** The callbacks of a run: unclaimed, ready to be posted, and being posted. */
export class CallbackSchedule {
  #ready: ClaimedCallback[] = [];
  readonly #posting = new Set<ClaimedCallback>();
  readonly #endpoints = new Map<string, Endpoint>();
  /** A run looks up the same few URLs for each of hundreds of callbacks. */
  readonly #byUrl = new Map<string, Endpoint>();

  addUnclaimed(callbacks: DueCallback[]): void {
    for (const callback of callbacks) this.#of(callback).unclaimed.push(callback);
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
    const isFree = first && this.#hasConnection(first);
    if (isFree && (!best || first.posting < this.#load(best))) return "claim";
    if (!best) return undefined;
    this.#ready.splice(this.#ready.indexOf(best), 1);
    this.#posting.add(best);
    this.#of(best).posting += 1;
    return best;
  }

  /** Whether an endpoint that has not answered yet may get more connections once it does. */
  get mayOpenUp(): boolean {
    const [endpoint] = this.#endpoints.values();
    return this.#isAlone && this.#posting.size > 0 && !endpoint?.hasAnswered && !endpoint?.timedOut;
  }

  /** Takes out the callbacks to claim next. */
  takeForClaim(): DueEvent[] {
    const taken: DueCallback[] = [];
    for (const { unclaimed, claimed } of this.#claimable()) {
      taken.push(...unclaimed.splice(0, Math.min(this.#room - taken.length, this.#mostClaimed - claimed)));
    }
    return taken.map(({ eventId }) => eventId);
  }

  ended(callback: ClaimedCallback, timedOut: boolean): void {
    const endpoint = this.#of(callback);
    this.#posting.delete(callback);
    endpoint.posting -= 1;
    endpoint.claimed -= 1;
    endpoint.timedOut ||= timedOut;
    endpoint.hasAnswered ||= !timedOut;
  }

  /** Takes out what is not posted, by whether its endpoint has timed out. */
  takeLeft(): { timedOut: DueEvent[]; others: DueEvent[] } {
    const unclaimed = [...this.#endpoints.values()].flatMap((endpoint) => endpoint.unclaimed.splice(0));
    const left = [...this.#ready.splice(0), ...unclaimed];
    const { timedOut = [], others = [] } = Object.groupBy(left, (callback) =>
      this.#of(callback).timedOut ? "timedOut" : "others",
    );
    return { timedOut: timedOut.map(({ eventId }) => eventId), others: others.map(({ eventId }) => eventId) };
  }

  /** All of them for an endpoint that has no other beside it. */
  get #mostClaimed(): number {
    return this.#isAlone ? CLAIM_LIMITS.most : CLAIM_LIMITS.mostOfUrl;
  }

  get #isAlone(): boolean {
    return this.#endpoints.size === 1;
  }

  #hasConnection({ posting, hasAnswered }: Endpoint): boolean {
    return posting < (this.#isAlone && hasAnswered ? OUTBOUND_CONNECTIONS : CONNECTIONS_AN_ENDPOINT);
  }

  /** How many more may be claimed now. */
  get #room(): number {
    return CLAIM_LIMITS.most - this.#ready.length - this.#posting.size;
  }

  /** Endpoints whose callbacks may be claimed now, those with the fewest connections first. */
  #claimable(): Endpoint[] {
    if (this.#room <= 0) return [];
    return [...this.#endpoints.values()]
      .filter(({ unclaimed, timedOut, claimed }) => unclaimed.length > 0 && !timedOut && claimed < this.#mostClaimed)
      .sort((one, other) => one.posting - other.posting);
  }

  #mayPost(callback: ClaimedCallback): boolean {
    const endpoint = this.#of(callback);
    return !endpoint.timedOut && this.#hasConnection(endpoint);
  }

  #load(callback: ClaimedCallback): number {
    return this.#of(callback).posting;
  }

  #of({ callbackUrl }: DueCallback | ClaimedCallback): Endpoint {
    const url = String(callbackUrl);
    const known = this.#byUrl.get(url);
    if (known) return known;
    const name = endpointOf(url);
    const endpoint = this.#endpoints.get(name) ?? {
      unclaimed: [],
      posting: 0,
      claimed: 0,
      timedOut: false,
      hasAnswered: false,
    };
    this.#endpoints.set(name, endpoint);
    this.#byUrl.set(url, endpoint);
    return endpoint;
  }
}

/** A stored URL may be invalid by a newer rule. The post reports that; here it must not throw and fail the whole batch. */
function endpointOf(callbackUrl: string): string {
  return URL.canParse(callbackUrl) ? new URL(callbackUrl).host : callbackUrl;
}
