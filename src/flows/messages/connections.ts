/** Cloudflare allows an invocation of a Worker six connections at a time; a seventh waits. */
export const CONNECTIONS = 6;

/** Submissions and callbacks leave one for the queues and KV, which would wait behind carriers that do not answer. */
export const OUTBOUND_CONNECTIONS = CONNECTIONS - 1;

/** Counts the outbound connections of one invocation, including those of background work. */
export class Connections {
  readonly #most: number;
  #used = 0;

  constructor(most = OUTBOUND_CONNECTIONS) {
    this.#most = most;
  }

  /** A request that gets one of these has a connection at once: its timeout does not run while it waits for one. */
  get free(): number {
    return Math.max(0, this.#most - this.#used);
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#used += 1;
    try {
      return await work();
    } finally {
      this.#used -= 1;
    }
  }
}
