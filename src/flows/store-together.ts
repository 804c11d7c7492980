import type { Deps } from "../deps.ts";
import { MEETING_MILLISECONDS } from "../domain/neighbors.ts";
import { describeError } from "../platform/describe-error.ts";
import type { StoredTogether } from "../platform/rate-limiter.ts";
import { FIRST } from "../platform/store/directory.ts";
import type { Send, StoredSend } from "../platform/store/sends.ts";
import { type Store, storeGroup } from "./store-sends.ts";

/**
 * Stores the sends of one website through the object of its database, which groups them with those of other websites: a
 * transaction of D1 takes nearly as long for one send as for many, and D1 runs one at a time. A website that sends alone stores
 * its sends itself, and asks again each second.
 */
export class TogetherWithOthers {
  #aloneUntil = 0;

  readonly store: Store = async (deps, sends) => {
    if (deps.now() < this.#aloneUntil) return storeGroup(deps, sends);
    const answer = await ask(deps, sends);
    const isLeft = (stored: StoredSend | undefined) => !stored || (stored.kind === "failed" && stored.isMoved);
    const left = sends.filter((_, index) => isLeft(answer?.stored[index]));
    if (!answer?.isShared || left.length > 0) this.#aloneUntil = deps.now() + MEETING_MILLISECONDS;
    if (left.length === 0) return answer?.stored ?? [];
    const own = await storeGroup(deps, left);
    return sends.map((send, index) => own[left.indexOf(send)] ?? (answer?.stored[index] as StoredSend));
  };
}

/** @returns undefined when the object fails: under their ids, the sends are stored once */
async function ask(deps: Deps, sends: Send[]): Promise<StoredTogether | undefined> {
  const database = sends[0]?.database ?? FIRST;
  try {
    return (await deps.limiter.storeTogether(database, sends)) ?? undefined;
  } catch (error) {
    deps.log("error", "database-object.failed", { database, count: sends.length, error: describeError(error) });
    return undefined;
  }
}
