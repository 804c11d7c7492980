import { DurableObject } from "cloudflare:workers";
import { type Admission, SlidingWindow } from "../domain/sliding-window.ts";

/** The limit of one website, named by its id. A deploy restarts it with an empty window. */
export class RateLimiter extends DurableObject<Env> {
  readonly #window = new SlidingWindow();

  admit(): Admission {
    return this.#window.admit(Date.now());
  }
}

export type RateLimiterNamespace = DurableObjectNamespace<RateLimiter>;

/** Calls the objects. One per isolate; it remembers refusals, so that a flood does not reach the objects. */
export class RateGate {
  readonly #limiter: RateLimiterNamespace;
  readonly #options: DurableObjectNamespaceGetDurableObjectOptions;
  /** By website: the time until which its object surely refuses (this isolate's clock, milliseconds). */
  readonly #refusedUntil = new Map<string, number>();

  /** @param location where objects are made that do not exist yet; left out, near the first request of the website */
  constructor(limiter: RateLimiterNamespace, location?: DurableObjectLocationHint) {
    this.#limiter = limiter;
    this.#options = location === undefined ? {} : { locationHint: location };
  }

  /**
   * Calls the website's object, unless a refusal still holds. That time counts from before the call, so it ends no later
   * than the object's own: a request that the object might admit always reaches it.
   */
  async admit(websiteId: string, now: () => number): Promise<Admission> {
    const start = now();
    const until = this.#refusedUntil.get(websiteId);
    if (until !== undefined) {
      if (start < until) return { admitted: false, remaining: 0, resetMilliseconds: until - start };
      this.#refusedUntil.delete(websiteId);
    }
    const admission = await this.#limiter.getByName(websiteId, this.#options).admit();
    if (!admission.admitted) this.#refusedUntil.set(websiteId, start + admission.resetMilliseconds);
    return admission;
  }
}
