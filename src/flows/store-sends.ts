import type { Deps } from "../deps.ts";
import { isStoreFull, isStoreRefused, isStoreUnavailable, isWebsitePaused, RequestFailure } from "../domain/failure.ts";
import { homeOf } from "../domain/home.ts";
import { describeError } from "../platform/describe-error.ts";
import { isFull } from "../platform/store/database-state.ts";
import { type Send, type StoredSend, storeSends } from "../platform/store/sends.ts";
import { inDatabaseOfHome } from "./places.ts";

/**
 * Stores single sends in one transaction, those of paused websites excepted. If that fails while the store works, each half gets its
 * own, and so on: one bad send fails alone. Never throws.
 * @returns the outcomes, in the given order
 */
export async function storeGroup(deps: Deps, sends: Send[]): Promise<StoredSend[]> {
  const websites = Map.groupBy(sends, ({ message }) => homeOf(message.messageId));
  const placed = [...websites].map(async ([home, some]) => {
    try {
      return { own: await inDatabaseOfHome(deps, home, some[0]?.database), some };
    } catch (error) {
      return { failed: toFailed(error), some };
    }
  });
  const outcomes = new Map<Send, StoredSend>();
  const open = new Map<string, { own: Deps; some: Send[] }>();
  for (const { own, failed, some } of await Promise.all(placed)) {
    if (failed) for (const send of some) outcomes.set(send, failed);
    else open.set(own.database, { own, some: [...(open.get(own.database)?.some ?? []), ...some] });
  }
  for (const { own, some } of open.values())
    for (const [index, stored] of (await storeIn(own, some)).entries()) outcomes.set(some[index] as Send, stored);
  return sends.map((send) => outcomes.get(send) as StoredSend);
}

async function storeIn(own: Deps, sends: Send[]): Promise<StoredSend[]> {
  try {
    return await storeWithinLimit(own, () => storeSends(own.db, own.now(), sends));
  } catch (error) {
    if (isStoreUnavailable(error) || sends.length === 1) return sends.map(() => toFailed(error));
  }
  const half = Math.ceil(sends.length / 2);
  return [...(await storeIn(own, sends.slice(0, half))), ...(await storeIn(own, sends.slice(half)))];
}

/**
 * Stores sends whose first route has not answered: it may have stored them, whatever this route says. Under their ids, they are stored
 * once. Never throws.
 * @returns the outcomes, in the given order; none of them is a refusal
 */
export async function storeAfterLoss(deps: Deps, sends: Send[]): Promise<StoredSend[]> {
  const stored = await storeGroup(deps, sends);
  return stored.map((one) => (one.kind === "failed" ? { ...one, isRefused: false, isFull: false } : one));
}

/**
 * Sheds load: what the store cannot take in time is refused at once.
 * @throws RequestFailure store-unavailable, store-full
 */
export async function storeWithinLimit<T>({ db, intake, now }: Deps, store: () => Promise<T>): Promise<T> {
  if (isFull(db, now())) throw new RequestFailure({ kind: "store-full" });
  if (!intake.begin()) throw new RequestFailure({ kind: "store-unavailable", isRefused: true });
  const beganAt = now();
  let outcome: "done" | "refused" | "failed" = "done";
  try {
    return await store();
  } catch (error) {
    outcome = isStoreRefused(error) ? "refused" : "failed";
    throw error;
  } finally {
    intake.end(beganAt, now(), outcome);
  }
}

function toFailed(error: unknown): StoredSend {
  return {
    kind: "failed",
    isUnavailable: isStoreUnavailable(error),
    isRefused: isStoreRefused(error),
    isFull: isStoreFull(error),
    isPaused: isWebsitePaused(error),
    error: describeError(error),
  };
}

interface Waiting {
  send: Send;
  settle(stored: StoredSend): void;
}

/** They take D1 some 20 milliseconds. */
const MOST_IN_A_GROUP = 500;

/** Sends that wait for the store. More than a second's worth are refused: they are certainly not stored. */
export const MOST_WAITING = { ofWebsite: 1000, ofDatabase: 5000 };

/** A group that has failed after so long says that the store is silent. */
const SILENT_MILLISECONDS = 5000;

/** Stores a group. Never throws. @returns the outcomes, in the given order */
export type Store = (deps: Deps, sends: Send[]) => Promise<StoredSend[]>;

/**
 * Groups single sends. A send is stored at once while fewer writes are under way than there may be. Others share the next one.
 */
export class SendGroups {
  #waiting: Waiting[] = [];
  readonly #storing = new Set<string>();
  readonly #store: Store;
  readonly #mostWaiting: number;
  readonly #mostWrites: () => number;
  #writes = 0;

  constructor(store: Store, mostWaiting: number, mostWrites = () => 1) {
    this.#store = store;
    this.#mostWaiting = mostWaiting;
    this.#mostWrites = mostWrites;
  }

  /** Never throws. @returns the outcomes, in the given order */
  async store(deps: Deps, sends: Send[]): Promise<StoredSend[]> {
    const outcomes = sends.map((send) => this.#wait(send));
    if (this.#writes < this.#mostWrites()) void this.#writeAll(deps);
    return Promise.all(outcomes);
  }

  async #wait(send: Send): Promise<StoredSend> {
    const error = "too many sends wait for the store";
    if (this.#waiting.length >= this.#mostWaiting)
      return { kind: "failed", isUnavailable: true, isRefused: true, error };
    const stored = Promise.withResolvers<StoredSend>();
    const { messageId } = send.message;
    this.#waiting.push({ send, settle: stored.resolve });
    this.#storing.add(messageId);
    try {
      return await stored.promise;
    } finally {
      this.#storing.delete(messageId);
    }
  }

  /** What comes now shares a transaction. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  isStoring(messageId: string): boolean {
    return this.#storing.has(messageId);
  }

  async #writeAll(deps: Deps): Promise<void> {
    this.#writes += 1;
    try {
      while (this.#waiting.length > 0) await this.#write(deps, this.#waiting.splice(0, MOST_IN_A_GROUP));
    } finally {
      this.#writes -= 1;
    }
  }

  async #write(deps: Deps, group: Waiting[]): Promise<void> {
    const beganAt = deps.now();
    const outcomes = await this.#store(
      deps,
      group.map(({ send }) => send),
    );
    for (const [index, { settle }] of group.entries()) settle(outcomes[index] as StoredSend);
    const isFailed = outcomes.every((outcome) => outcome.kind === "failed" && outcome.isUnavailable);
    if (isFailed && deps.now() - beganAt >= SILENT_MILLISECONDS) this.#refuseWaiting();
  }

  /** They are certainly not stored, and would wait for the store once more. The next to come tries it again. */
  #refuseWaiting(): void {
    const error = "the store was silent for the sends before this one";
    for (const { settle } of this.#waiting.splice(0))
      settle({ kind: "failed", isUnavailable: true, isRefused: true, error });
  }
}
