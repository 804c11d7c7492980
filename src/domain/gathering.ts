/** After this, the next to come leads too: the request that led may have been cut off. */
const ABANDONED_AFTER_MILLISECONDS = 1000;

/** Pure. What requests of one isolate leave at nearly the same time, so that it is dealt with together. */
export class Gathering<T> {
  #items: T[] = [];
  #since = 0;

  /**
   * @param now milliseconds since 1970
   * @returns whether the caller leads: it must take what has been gathered, soon
   */
  add(item: T, now: number): boolean {
    const leads = this.#items.length === 0 || now - this.#since > ABANDONED_AFTER_MILLISECONDS;
    if (leads) this.#since = now;
    this.#items.push(item);
    return leads;
  }

  take(): T[] {
    return this.#items.splice(0);
  }
}
