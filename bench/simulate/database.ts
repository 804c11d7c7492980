// Pure. One database: a thread that takes its calls in order, some milliseconds away.
import { Thread } from "../workers/edge/thread.ts";
import type { Events } from "./events.ts";
import type { Price } from "./model.ts";

export class Database {
  readonly thread = new Thread();
  readonly #events: Events;
  readonly #price: Price;

  constructor(events: Events, price: Price) {
    this.#events = events;
    this.#price = price;
  }

  /**
   * All calls are as far away, so they come in the order in which they are made, and the end of each is known at once.
   * @param statements milliseconds besides the price of the call
   * @param then when the answer is back
   * @returns how long the thread works on it
   */
  call(isWriting: boolean, statements: number, then: () => void): number {
    const { writingCall, readingCall, network } = this.#price;
    const service = statements + (isWriting ? writingCall : readingCall);
    this.#events.at(this.thread.take(this.#events.now + network, service) + network, then);
    return service;
  }
}
