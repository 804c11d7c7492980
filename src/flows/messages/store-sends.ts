import type { Deps } from "../../deps.ts";
import { isStoreUnavailable } from "../../domain/failure.ts";
import { isOver, takeTexts } from "../../domain/messages/daily-limit.ts";
import { mayGo, type RefusedSend, type Send, type StoredSend } from "../../domain/messages/send.ts";
import type { KeptCount } from "../../platform/kept-count.ts";
import { requireRoom } from "../../store/databases/database-state.ts";
import { isRefused } from "../../store/messages/insert-messages.ts";
import { storeSends } from "../../store/messages/sends.ts";
import { toFailed } from "./unstored-sends.ts";

/**
 * Stores single sends of a website in one transaction. If the transaction fails while the store works, each half gets its own, and so
 * on: one bad send fails alone. Never throws. Queues nothing: the answer of an object may be lost, and a text must not go out before
 * somebody has decided what its client is told.
 * @param sends at least one
 * @returns the outcomes, in the given order
 */
export async function storeGroup(deps: Deps, sends: Send[]): Promise<StoredSend[]> {
  try {
    requireRoom(deps.db, deps.now());
    return await storeSends(deps.db, deps.now(), sends);
  } catch (error) {
    if (isStoreUnavailable(error) || sends.length === 1) return sends.map(() => toFailed(error));
  }
  const half = Math.ceil(sends.length / 2);
  return [...(await storeGroup(deps, sends.slice(0, half))), ...(await storeGroup(deps, sends.slice(half)))];
}

interface Waiting {
  send: Send;
  settle(stored: StoredSend | RefusedSend): void;
}

/** D1 takes about 20 milliseconds for them. */
export const MOST_IN_A_GROUP = 500;

/** Sends that wait for the store. What comes beyond is refused: it is certainly not stored. */
export const MOST_WAITING = 1000;

/** If a group fails after this time, the store does not answer. */
const SILENT_MILLISECONDS = 5000;

/** Groups the single sends of a website. One is stored at once while no write is under way; those that come meanwhile share the next. */
export class SendGroups {
  readonly #texts: KeptCount;
  #waiting: Waiting[] = [];
  /** Ids of messages. */
  readonly #storing = new Set<string>();
  #isWriting = false;

  constructor(texts: KeptCount) {
    this.#texts = texts;
  }

  /** Never throws. */
  async store(deps: Deps, send: Send): Promise<StoredSend | RefusedSend> {
    if (this.#waiting.length >= MOST_WAITING) return refused("too many sends wait for the store");
    const { promise, resolve: settle } = Promise.withResolvers<StoredSend | RefusedSend>();
    const { messageId } = send.message;
    this.#waiting.push({ send, settle });
    this.#storing.add(messageId);
    if (!this.#isWriting) void this.#writeAll(deps);
    try {
      return await promise;
    } finally {
      this.#storing.delete(messageId);
    }
  }

  isStoring(messageId: string): boolean {
    return this.#storing.has(messageId);
  }

  async #writeAll(deps: Deps): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#waiting.length > 0) await this.#write(deps, this.#waiting.splice(0, MOST_IN_A_GROUP));
    } finally {
      this.#isWriting = false;
    }
  }

  async #write(deps: Deps, group: Waiting[]): Promise<void> {
    const beganAt = deps.now();
    const sends = group.map(({ send }) => send);
    const outcomes = await this.#storeWithinLimit(deps, sends);
    for (const [index, { settle }] of group.entries()) settle(outcomes[index] as StoredSend | RefusedSend);
    const isFailed = outcomes.some((outcome) => outcome.kind === "failed" && outcome.isUnavailable);
    if (isFailed && deps.now() - beganAt >= SILENT_MILLISECONDS) this.#refuseWaiting();
  }

  /**
   * Counts the texts towards the daily limit before they are stored, and gives back those that then cost nothing. Those beyond the limit are
   * answered after the others are stored: whoever looks for the message that one of them repeats finds it.
   */
  async #storeWithinLimit(deps: Deps, sends: Send[]): Promise<(StoredSend | RefusedSend)[]> {
    const now = deps.now();
    const counted = sends.map(({ message, dailyLimit }) =>
      typeof dailyLimit !== "number" || isRefused(message) ? null : takeTexts(this.#texts, 1, dailyLimit, now),
    );
    this.#texts.keep();
    const within = sends.filter((_, index) => !isOver(counted[index]));
    const stored = within.length === 0 ? [] : await storeGroup(deps, within);
    const outcomes = counted.map((taken) => {
      if (isOver(taken)) return { kind: "over-limit" as const, overLimit: taken };
      const outcome = stored.shift() as StoredSend;
      if (taken && !mayGo(outcome)) this.#texts.giveBack(taken.minute, taken.texts);
      return outcome;
    });
    this.#texts.keep();
    return outcomes;
  }

  /** They are certainly not stored, and would wait for the store once more. The next to come tries it again. */
  #refuseWaiting(): void {
    for (const { settle } of this.#waiting.splice(0))
      settle(refused("the store was silent for the sends before this one"));
  }
}

const refused = (error: string): StoredSend => ({ kind: "failed", isUnavailable: true, isRefused: true, error });
