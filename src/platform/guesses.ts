// Lookups that missed for callers without known credentials, and the callers that guess too often.
import { LatestMap } from "../domain/latest-map.ts";

/** How long a lookup that missed is not repeated, because a client or a flood asks for the same again. */
export const MISSING_MILLISECONDS = 5000;

/** The period of GUESSES in wrangler.toml. A caller that is over the limit is refused for this time. */
export const REFUSED_MILLISECONDS = 10_000;

/** The latest so many are remembered: of what was looked up, and of callers. */
const MOST_REMEMBERED = 1000;

/** The part of Cloudflare's rate limiting binding that is used here. */
export interface Limit {
  limit(of: { key: string }): Promise<{ success: boolean }>;
}

/**
 * The lookups of one door, such as links. Only a miss counts, so many callers behind one address are never refused for their hits. Lookups
 * that are under way when a caller passes the limit are completed.
 */
export class Guesses {
  readonly #door: string;
  readonly #limit: Limit | undefined;
  /** Until when each is remembered: milliseconds since 1970. */
  readonly #missing = new LatestMap<string, number>(MOST_REMEMBERED);
  readonly #refused = new LatestMap<string, number>(MOST_REMEMBERED);

  /** @param limit counts for all isolates of a location. undefined: nobody is refused */
  constructor(door: string, limit: Limit | undefined) {
    this.#door = door;
    this.#limit = limit;
  }

  /** @returns undefined: it is to be looked up */
  judge(what: string, caller: string, now: number): "missing" | "refused" | undefined {
    if (now < (this.#missing.get(what) ?? 0)) return "missing";
    if (now < (this.#refused.get(caller) ?? 0)) return "refused";
    return undefined;
  }

  /** A look-up for the caller has found nothing. @throws Error when the limit does not answer */
  async missed(what: string, caller: string, now: number): Promise<void> {
    if (now < (this.#missing.get(what) ?? 0)) return;
    this.#missing.set(what, now + MISSING_MILLISECONDS);
    const outcome = await this.#limit?.limit({ key: `${this.#door} ${caller}` });
    if (outcome && !outcome.success) this.#refused.set(caller, now + REFUSED_MILLISECONDS);
  }
}
