import { DurableObject } from "cloudflare:workers";
import { Refusals } from "../domain/refusals.ts";
import { RequestLimit } from "../domain/request-limit.ts";
import type { Admission } from "../domain/sliding-window.ts";

/** What an isolate says when it asks. The version before says nothing. */
interface Ask {
  /** See RequestLimit. */
  unasked?: number;
}

/** The limit of one website, named by its id. A deploy restarts it with an empty window. */
export class RateLimiter extends DurableObject<Env> {
  readonly #limit = new RequestLimit();

  admit({ unasked = 0 }: Ask = {}): Admission {
    return this.#limit.admit(Date.now(), unasked);
  }
}

export type RateLimiterNamespace = DurableObjectNamespace<RateLimiter>;

/** A late answer: a call that took longer has waited for others. */
const LATE_MILLISECONDS = 500;

const MOST_REMEMBERED = 1000;

/** Of an overloaded object nobody knows more than that it needs a rest. */
const OVERLOADED: Admission = { admitted: false, remaining: 0, resetMilliseconds: 1000 };

/** Calls the objects. One per isolate; it remembers refusals, so that a flood does not reach the objects. */
export class RateGate {
  readonly #limiter: RateLimiterNamespace;
  readonly #random: () => number;
  /** By website. */
  readonly #refusals = new Map<string, Refusals>();

  constructor(limiter: RateLimiterNamespace, random: () => number = Math.random) {
    this.#limiter = limiter;
    this.#random = random;
  }

  /**
   * Calls the website's object, unless a refusal still holds. An overloaded object is a refusal.
   * @throws any other error of the object
   */
  async admit(websiteId: string, now: () => number): Promise<Admission> {
    const asked = now();
    const refusals = this.#recall(websiteId, asked);
    const wait = refusals?.refuse(asked);
    if (wait !== undefined) return { admitted: false, remaining: 0, resetMilliseconds: wait };
    try {
      const admission = await this.#limiter.getByName(websiteId).admit({ unasked: refusals?.takeUnasked() ?? 0 });
      this.#remember(websiteId, asked, now(), admission);
      return admission;
    } catch (error) {
      if ((error as { overloaded?: unknown } | null)?.overloaded === true) return this.#rest(websiteId, now());
      throw error;
    }
  }

  /**
   * The object has not answered in time. After a recent refusal it is taken for overloaded: it is behind with a flood.
   * @returns a refusal, or undefined when nothing is known against the website
   */
  afterSilence(websiteId: string, now: number): Admission | undefined {
    return this.#recall(websiteId, now) && this.#rest(websiteId, now);
  }

  #recall(websiteId: string, now: number): Refusals | undefined {
    const refusals = this.#refusals.get(websiteId);
    if (refusals?.isRecent(now)) return refusals;
    this.#refusals.delete(websiteId);
    return undefined;
  }

  #remember(websiteId: string, asked: number, now: number, admission: Admission): void {
    if (admission.admitted) this.#refusals.get(websiteId)?.answered(asked, now, admission);
    else if (now - asked > LATE_MILLISECONDS) this.#rest(websiteId, now);
    else this.#of(websiteId).answered(asked, now, admission);
  }

  #rest(websiteId: string, now: number): Admission {
    this.#of(websiteId).overloaded(now, this.#random());
    return OVERLOADED;
  }

  #of(websiteId: string): Refusals {
    const refusals = this.#refusals.get(websiteId) ?? new Refusals(this.#random());
    const oldest = this.#refusals.keys().next();
    if (this.#refusals.size >= MOST_REMEMBERED && !oldest.done) this.#refusals.delete(oldest.value);
    this.#refusals.set(websiteId, refusals);
    return refusals;
  }
}
