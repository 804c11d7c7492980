/** @import { EventPage, FeedEvent } from "./types.js" */

/**
 * The events of a client, in the order in which they were stored, each once: `for await (const event of feed)`. Also those that the
 * endpoint has missed. It ends behind the newest event, or with `follow` never.
 */
export class EventFeed {
  #readPage;
  #waitForMore;

  /**
   * @param {string | undefined} after
   * @param {(after: string | undefined) => Promise<EventPage>} readPage
   * @param {(() => Promise<void>) | undefined} waitForMore
   */
  constructor(after, readPage, waitForMore) {
    /**
     * Behind the last page whose events you have all processed; undefined: before the oldest event. Keep it, and give it as `after` the
     * next time. You may then see again some events of the page in which you stopped: know them by their `eventId`.
     * @type {string | undefined}
     */
    this.cursor = after;
    this.#readPage = readPage;
    this.#waitForMore = waitForMore;
  }

  /** @returns {AsyncGenerator<FeedEvent, void, undefined>} */
  async *[Symbol.asyncIterator]() {
    for (;;) {
      const page = await this.#readPage(this.cursor);
      yield* page.events;
      this.cursor = page.next;
      if (page.more) continue;
      if (this.#waitForMore === undefined) return;
      await this.#waitForMore();
    }
  }
}
