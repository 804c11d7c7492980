import type { Deps } from "../deps.ts";
import { describeError } from "../platform/describe-error.ts";
import type { StoredTogether } from "../platform/rate-limiter.ts";
import { FIRST } from "../platform/store/directory.ts";
import type { Send, StoredSend } from "../platform/store/sends.ts";
import { type SendGroups, type Store, storeGroup } from "./store-sends.ts";

/** A website that asks this often meets the others that send at the same time. */
const MEETING_MILLISECONDS = 1000;

/** What `#gain` is an average of. */
const VISITS = 32;
/** Below, the way through the object costs as much as the transactions that it saves. */
const LEAST_GAIN = 0.25;
/** Of a trial that has failed so little is left after some 50 further visits. */
const NO_GAIN = 0.05;

/** Pure. Whether the websites of a database send so often at the same time that sharing transactions pays. */
export class Meetings {
  #visitor = "";
  /** When a website last came while the sends of another were stored: milliseconds since 1970. */
  #metAt = 0;
  /** The share of visits, of late, that joined the transaction of another. */
  #gain = 0;

  /** Websites that meet try it: those that keep apart join nothing. */
  visit(websiteId: string, { isIdle, isWaiting }: Pick<SendGroups, "isIdle" | "isWaiting">, now: number): void {
    this.#gain += (Number(isWaiting) - this.#gain) / VISITS;
    if (!isIdle && this.#visitor !== websiteId) {
      this.#metAt = now;
      if (this.#gain < NO_GAIN) this.#gain = 1;
    }
    this.#visitor = websiteId;
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
 * its sends itself, and asks again each second.
 */
export class TogetherWithOthers {
  #aloneUntil = 0;
  #isAlone = true;

  /** What the object of the database groups need not wait here as well. */
  readonly mostWrites = () => (this.#isAlone ? 1 : MOST_CALLS);

  readonly store: Store = async (deps, sends) => {
    if (deps.now() < this.#aloneUntil) return storeGroup(deps, sends);
    const answer = await ask(deps, sends);
    const isLeft = (stored: StoredSend) => stored.kind === "failed" && stored.isMoved;
    this.#isAlone = !answer?.isShared || answer.stored.some(isLeft);
    if (answer && !this.#isAlone) return answer.stored;
    this.#aloneUntil = deps.now() + MEETING_MILLISECONDS;
    if (!answer) return storeGroup(deps, sends);
    const left = sends.filter((_, index) => isLeft(answer.stored[index] as StoredSend));
    const own = left.length > 0 ? await storeGroup(deps, left) : [];
    return answer.stored.map((stored) => (isLeft(stored) ? (own.shift() as StoredSend) : stored));
  };
}

/** @returns undefined when the object fails: under their ids, the sends are stored once */
async function ask(deps: Deps, sends: Send[]): Promise<StoredTogether | undefined> {
  const database = sends[0]?.database ?? FIRST;
  try {
    return await deps.limiter.storeTogether(database, sends);
  } catch (error) {
    deps.log("error", "database-object.failed", { database, count: sends.length, error: describeError(error) });
    return undefined;
  }
}
