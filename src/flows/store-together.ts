import type { Deps } from "../deps.ts";
import { describeError } from "../platform/describe-error.ts";
import type { Send, StoredSend } from "../platform/store/sends.ts";
import { type Store, storeAfterLoss, storeGroup } from "./store-sends.ts";

/** A website that asks this often meets the others that send at the same time. */
const MEETING_MILLISECONDS = 1000;

/** About as long as a transaction takes: two that come within it might have shared one. */
const TRANSACTION_MILLISECONDS = 20;

/** What `#gain` is an average of. */
const VISITS = 32;
/** Below, the way through the object costs as much as the transactions that it saves. */
const LEAST_GAIN = 0.25;
/** Of a trial that has failed so little is left after some 50 further visits. */
const NO_GAIN = 0.05;

/** Pure. Whether the websites of a database send so often at the same time that sharing transactions pays. */
export class Meetings {
  #visitor = "";
  /** In milliseconds since 1970, as `#metAt`. */
  #visitedAt = 0;
  /** When a website last came right after another. */
  #metAt = 0;
  /** The share of visits, of late, that joined the transaction of another. */
  #gain = 0;

  /** Websites that meet try it: those that keep apart join nothing. */
  visit(websiteId: string, isJoining: boolean, now: number): void {
    this.#gain += (Number(isJoining) - this.#gain) / VISITS;
    if (this.#visitor !== websiteId && now - this.#visitedAt < TRANSACTION_MILLISECONDS) {
      this.#metAt = now;
      if (this.#gain < NO_GAIN) this.#gain = 1;
    }
    this.#visitor = websiteId;
    this.#visitedAt = now;
  }

  pay(now: number): boolean {
    return this.#gain >= LEAST_GAIN && now - this.#metAt < 2 * MEETING_MILLISECONDS;
  }
}

/** Of one website at a time: an object takes some thousand calls a second, those of all websites. What waits shares the next. */
const MOST_CALLS = 8;

/**
 * Stores the sends of one website through the object of its database, which groups them with those of other websites: a
 * transaction of D1 takes nearly as long for one send as for many, and D1 runs one at a time. A website that sends alone stores
 * its sends itself. Each second it asks whether it still is alone: its sends do not wait for the answer.
 */
export class TogetherWithOthers {
  #asksAt = 0;
  #isAlone = true;

  /** What the object of the database groups need not wait here as well. */
  readonly mostWrites = () => (this.#isAlone ? 1 : MOST_CALLS);

  readonly store: Store = async (deps, sends) => {
    if (this.#isAlone) {
      if (deps.now() >= this.#asksAt) void this.#ask(deps, sends, []);
      return storeGroup(deps, sends);
    }
    return (await this.#ask(deps, sends, sends)) ?? storeAfterLoss(deps, sends);
  };

  /**
   * @param given what the object is to store of the sends that are at hand
   * @returns undefined when the object fails: under their ids, the sends are stored once
   */
  async #ask(deps: Deps, [first]: Send[], given: Send[]): Promise<StoredSend[] | undefined> {
    const { database, message } = first as Send;
    // Until the answer comes, nobody asks again.
    this.#asksAt = deps.now() + MEETING_MILLISECONDS;
    try {
      const { stored, isShared } = await deps.limiter.storeTogether(database, message.websiteId, given);
      this.#isAlone = !isShared;
      return stored;
    } catch (error) {
      deps.log("error", "database-object.failed", { database, count: given.length, error: describeError(error) });
      this.#isAlone = true;
      return undefined;
    }
  }
}
