// Pure. Messages that one isolate accepts at nearly the same time, so that they travel in one job.

/** How long a group is believed to be on its way. The request that was to queue it may have been cut off. */
const LOST_AFTER_MILLISECONDS = 1000;

export class DeliveryGroup {
  #messageIds: string[] = [];
  #since = 0;

  /**
   * @param now milliseconds since 1970
   * @returns whether it is the caller who queues the group
   */
  join(messageIds: string[], now: number): boolean {
    const leads = this.#messageIds.length === 0 || now - this.#since > LOST_AFTER_MILLISECONDS;
    if (leads) this.#since = now;
    this.#messageIds.push(...messageIds);
    return leads;
  }

  take(): string[] {
    const messageIds = this.#messageIds;
    this.#messageIds = [];
    return messageIds;
  }
}
