// Pure. The refused requests that this isolate has counted, and that the store does not have yet.
import { dayNumber } from "../day.ts";
import { REFUSED_ONCE_MILLISECONDS } from "./refused-request.ts";

/** How many requests of a website were refused on a day with a code. */
export interface RefusalCount {
  /** Since 1970, UTC. */
  day: number;
  /** See docs/errors.md. */
  code: number;
  requests: number;
}

/** Days that are kept and shown, with today. */
export const REFUSAL_DAYS = 30;

/** A website, and the binding of its database. */
interface Place {
  websiteId: string;
  database: string;
}

interface Own extends Place {
  /** The first that is not stored: milliseconds since 1970. */
  since: number;
  counts: Map<string, RefusalCount>;
}

export class RefusalTally {
  readonly #websites = new Map<string, Own>();

  add({ websiteId, database }: Place, code: number, now: number): void {
    const own = this.#websites.get(websiteId) ?? { websiteId, database, since: now, counts: new Map() };
    this.#websites.set(websiteId, own);
    const day = dayNumber(now);
    const count = own.counts.get(`${day} ${code}`) ?? { day, code, requests: 0 };
    own.counts.set(`${day} ${code}`, { ...count, requests: count.requests + 1 });
  }

  /** What is counted of a website, which the caller stores. */
  take(websiteId: string): RefusalCount[] {
    const counts = [...(this.#websites.get(websiteId)?.counts.values() ?? [])];
    this.#websites.delete(websiteId);
    return counts;
  }

  /** The websites of which something has waited for ten seconds. */
  due(now: number): Place[] {
    return [...this.#websites.values()].filter(({ since }) => now - since >= REFUSED_ONCE_MILLISECONDS);
  }
}
