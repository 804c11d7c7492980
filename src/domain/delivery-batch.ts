// Pure. Collects messages that one isolate accepts at nearly the same time, so that they share a job.

/** After this, the next request queues the batch too: the request that began it may have been cut off. */
const ABANDONED_AFTER_MILLISECONDS = 1000;

export class DeliveryBatch {
  #messageIds: string[] = [];
  #since = 0;

  /**
   * @param now milliseconds since 1970
   * @returns whether the caller must queue the batch
   */
  add(messageIds: string[], now: number): boolean {
    const leads = this.#messageIds.length === 0 || now - this.#since > ABANDONED_AFTER_MILLISECONDS;
    if (leads) this.#since = now;
    this.#messageIds.push(...messageIds);
    return leads;
  }

  drain(): string[] {
    const messageIds = this.#messageIds;
    this.#messageIds = [];
    return messageIds;
  }
}
