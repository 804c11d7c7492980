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

/** Until when the object of a website surely refuses (this isolate's clock), so that a flood does not reach it. */
const refusedUntil = new Map<string, number>();

/**
 * Asks the website's object, unless it has refused and the time that it named has not come. The time counts from before
 * the call, so it ends no later than the object's own: what it might admit is always asked.
 */
export async function admitRequest(
  limiter: RateLimiterNamespace,
  websiteId: string,
  now: () => number,
): Promise<Admission> {
  const start = now();
  const until = refusedUntil.get(websiteId);
  if (until !== undefined) {
    if (start < until) return { admitted: false, remaining: 0, resetMilliseconds: until - start };
    refusedUntil.delete(websiteId);
  }
  const admission = await limiter.getByName(websiteId).admit();
  if (!admission.admitted) refusedUntil.set(websiteId, start + admission.resetMilliseconds);
  return admission;
}
