// Pure. What an isolate remembers of its clients' requests until it is stored: coarse and bounded, so that a request costs nothing.

/** Why a request of a client was refused. */
export const CLIENT_REFUSALS = [
  "secret-malformed",
  "secret-wrong",
  "secret-replaced",
  "suspended",
  "operation-denied",
  "rate-exceeded",
] as const;

export type ClientRefusal = (typeof CLIENT_REFUSALS)[number];

/** A use is stored again after this, a refusal of the same cause after a minute. */
export const USED_AGAIN_MILLISECONDS = 600_000;
export const REFUSED_AGAIN_MILLISECONDS = 60_000;

/** Clients in one store. Half of the room is for ids that nobody has looked up, which may be no client's. */
export const MOST_REFUSED = 100;

/** Clients that an isolate knows to be stored. */
const MOST_TOLD = 1000;

export interface Uses {
  used: string[];
  refused: Record<string, ClientRefusal>;
}

export class ClientUses {
  /** When each was last taken. */
  readonly #told = new Map<string, number>();
  #used = new Set<string>();
  #refused = new Map<string, ClientRefusal>();
  #isWatched = false;

  used(clientId: string, now: number): void {
    if (this.#isNew(clientId, now, USED_AGAIN_MILLISECONDS)) this.#used.add(clientId);
  }

  refused(clientId: string, cause: ClientRefusal, now: number): void {
    const room = cause === "secret-malformed" ? MOST_REFUSED / 2 : MOST_REFUSED;
    if (this.#refused.size >= room || !this.#isNew(`${clientId} ${cause}`, now, REFUSED_AGAIN_MILLISECONDS)) return;
    this.#refused.set(clientId, cause);
  }

  #isNew(key: string, now: number, again: number): boolean {
    if (now - (this.#told.get(key) ?? Number.NEGATIVE_INFINITY) < again) return false;
    if (this.#told.size >= MOST_TOLD) this.#told.clear();
    this.#told.set(key, now);
    return true;
  }

  /** @returns whether somebody must take soon what there is: nobody has said so yet */
  watch(): boolean {
    const isFirst = !this.#isWatched && this.#used.size + this.#refused.size > 0;
    this.#isWatched ||= isFirst;
    return isFirst;
  }

  take(): Uses {
    const uses = { used: [...this.#used], refused: Object.fromEntries(this.#refused) };
    this.#used = new Set();
    this.#refused = new Map();
    this.#isWatched = false;
    return uses;
  }
}
