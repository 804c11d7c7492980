/** Who asks at least this often meets the others that do. */
export const MEETING_MILLISECONDS = 1000;

interface Visit {
  websiteId: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Pure. Tells a website whether another one has come of late. */
export class Neighbors {
  #last: Visit | undefined;
  /** The last of any other website than that. */
  #other: Visit | undefined;

  /** @returns whether another website has come within twice the time of a meeting, and this website has now */
  come(websiteId: string, now: number): boolean {
    if (this.#last?.websiteId !== websiteId) this.#other = this.#last;
    this.#last = { websiteId, at: now };
    return this.#other !== undefined && now - this.#other.at < 2 * MEETING_MILLISECONDS;
  }
}
