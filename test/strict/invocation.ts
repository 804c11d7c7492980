import { LIMITS } from "./limits.ts";

export type Handler = "fetch" | "queue" | "scheduled";

/** What Cloudflare has ended: nothing of it goes on, and nobody hears of it. */
export class CutOffError extends Error {}

/** What a call takes of its invocation. */
export interface Use {
  what: "D1" | "KV" | "queue" | "object" | "assets" | "fetch" | "connect";
  /** Ends the wait for a connection. */
  signal?: AbortSignal | null | undefined;
}

/** Those that the limits page names. D1 has six of its own; a call of a Durable Object is not among them. */
const CONNECTING: Use["what"][] = ["KV", "queue", "fetch", "connect"];

/** One run of a handler, with its background work, and what Cloudflare counts of it. */
export class Invocation {
  readonly counts = { subrequests: 0, queries: 0, keyValueOperations: 0, rowsRead: 0, rowsWritten: 0 };
  /** Rejects when the invocation is cut off. */
  readonly cutOff: Promise<never>;
  readonly #cut = Promise.withResolvers<never>();
  readonly #connections = new Gate(LIMITS.connections.value);
  readonly #connectionsToD1 = new Gate(LIMITS.connectionsToD1.value);
  readonly now: () => number;
  readonly #refuse: (why: string) => void;
  readonly #deadlines: { at: number; why: string; isFault: boolean }[] = [];
  #running = 1;
  readonly #background: Promise<unknown>[] = [];

  /** @param refuse notes a limit that was passed */
  constructor(handler: Handler, now: () => number, refuse: (why: string) => void) {
    this.now = now;
    this.#refuse = refuse;
    this.cutOff = this.#cut.promise;
    this.cutOff.catch(() => {});
    if (handler !== "fetch") {
      const at = now() + LIMITS.runMilliseconds.value;
      this.#deadlines.push({ at, why: "a run takes longer than 15 minutes", isFault: true });
    }
  }

  /** The most connections that were open or waited for at one time. */
  get mostConnections(): number {
    return this.#connections.most;
  }

  /** While the handler or its background work runs. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** A trial has thousands of invocations, and looks at all of them thousands of times. */
  get hasBackground(): boolean {
    return this.#background.length > 0;
  }

  replace(): void {
    const at = this.now() + LIMITS.graceMilliseconds.value;
    this.#deadlines.push({ at, why: "a new version has arrived", isFault: false });
  }

  handlerEnded(): void {
    const at = this.now() + LIMITS.backgroundMilliseconds.value;
    this.#deadlines.push({ at, why: "waitUntil takes longer than 30 seconds", isFault: true });
    this.#running -= 1;
  }

  /** Work of waitUntil. */
  background(work: Promise<unknown>): void {
    this.#running += 1;
    const done = Promise.race([work, this.cutOff])
      .catch((error) => {
        if (!(error instanceof CutOffError)) throw error;
      })
      .finally(() => {
        this.#running -= 1;
      });
    done.catch(() => {});
    this.#background.push(done);
  }

  /** Waits for the background work. @throws what that has thrown */
  async settle(): Promise<void> {
    while (this.#background.length > 0) await this.#background.shift();
  }

  /** @throws Error as Cloudflare does. A call that is cut off never settles; what it has done stands. */
  async call<T>(use: Use, run: () => Promise<T>): Promise<T> {
    if (this.#isOver()) return forever();
    this.#charge(use);
    const leave = await this.#gate(use.what)?.enter(use.signal);
    try {
      if (this.#isOver()) return await forever();
      return await run();
    } finally {
      leave?.();
      if (this.#isOver()) await forever();
    }
  }

  #gate(what: Use["what"]): Gate | undefined {
    if (what === "D1") return this.#connectionsToD1;
    return CONNECTING.includes(what) ? this.#connections : undefined;
  }

  #isOver(): boolean {
    const over = this.#deadlines.find(({ at }) => this.now() > at);
    if (!over) return false;
    // A call that nothing waits for any longer ends with its invocation.
    if (over.isFault && this.isRunning) this.#refuse(over.why);
    this.#cut.reject(new CutOffError(over.why));
    return true;
  }

  #charge({ what }: Use): void {
    const { counts } = this;
    counts.subrequests += 1;
    if (what === "D1") counts.queries += 1;
    if (what === "KV") counts.keyValueOperations += 1;
    const isOutside = what === "fetch" || what === "connect";
    const isOver =
      counts.subrequests > LIMITS.subrequests.value ||
      (what === "D1" && counts.queries > LIMITS.queriesPerInvocation.value) ||
      (what === "KV" && counts.keyValueOperations > LIMITS.keyValueOperations.value);
    if (!isOver) return;
    const message = `Too many ${isOutside ? "subrequests" : "API requests"} by single Worker invocation.`;
    this.#refuse(message);
    throw new Error(message);
  }
}

/** Lets so many in at a time, in the order of their coming. */
export class Gate {
  /** In it, or waiting for it, at one time. */
  most = 0;
  readonly #places: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
    this.#free = places;
  }

  /** @returns what gives the place back. @throws the reason of the signal, which ends the wait */
  async enter(signal?: AbortSignal | null): Promise<() => void> {
    this.most = Math.max(this.most, this.#places - this.#free + this.#waiting.length + 1);
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    return () => this.#leave();
  }

  #wait(signal: AbortSignal | null | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(enter);
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

function forever(): Promise<never> {
  return new Promise(() => {});
}
