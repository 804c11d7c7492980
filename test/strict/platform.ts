import { AsyncLocalStorage } from "node:async_hooks";
import { type Handler, Invocation, type Use } from "./invocation.ts";

/** How many calls may wait at the database, and at an object, before one more is refused as `overloaded`. No number is documented. */
const UNLIMITED = { database: Number.POSITIVE_INFINITY, object: Number.POSITIVE_INFINITY };

/** The limits of Cloudflare, for the Worker that the tests run: see limits.ts. */
class StrictPlatform {
  readonly longestQueue = { ...UNLIMITED };
  /** Since the world began. */
  readonly invocations: Invocation[] = [];
  /** When a key of KV was last written: milliseconds since 1970. */
  readonly keyWrites = new Map<string, number>();
  /** What GUESSES has counted of each key, in its present period. */
  readonly guesses = new Map<string, { period: number; count: number }>();
  /** What an earlier one has left running is nobody's fault now. */
  #world = 0;
  readonly #refusals = new Set<string>();
  readonly #current = new AsyncLocalStorage<Invocation>();
  /** A test that puts its own in place of ours, and takes it away later, brings ours back. */
  readonly #inners = new WeakMap<typeof fetch, typeof fetch>();
  #fetch: { own: typeof fetch; inner: typeof fetch; users: number } | undefined;

  /** Forgets what an earlier world has left. */
  reset(): void {
    Object.assign(this.longestQueue, UNLIMITED);
    this.#world += 1;
    this.#refusals.clear();
    this.invocations.length = 0;
    this.keyWrites.clear();
    this.guesses.clear();
    globalThis.fetch = this.#inners.get(globalThis.fetch) ?? globalThis.fetch;
    this.#fetch = undefined;
  }

  /** Runs a handler as Cloudflare does. @throws CutOffError when it was cut off */
  async invoke<T>(handler: Handler, now: () => number, work: (invocation: Invocation) => Promise<T>): Promise<T> {
    const world = this.#world;
    const invocation = new Invocation(handler, now, (why) => {
      if (world === this.#world) this.refuse(why);
    });
    this.invocations.push(invocation);
    const release = this.#holdFetch();
    try {
      return await this.#current.run(invocation, () => Promise.race([work(invocation), invocation.cutOff]));
    } finally {
      release();
      invocation.handlerEnded();
    }
  }

  /** Goes on with work after the handler of the present invocation has ended. @returns false outside of one */
  background(work: Promise<unknown>): boolean {
    const release = this.#holdFetch();
    void work.finally(release).catch(() => {});
    this.#current.getStore()?.background(work);
    return this.#current.getStore() !== undefined;
  }

  /** A deploy, or an update of the runtime: what runs now is cut off when its time is over. */
  newVersion(): void {
    for (const invocation of this.invocations) if (invocation.isRunning) invocation.replace();
  }

  /** A call of the present invocation. What a test asks outside of one counts for none. */
  call<T>(use: Use, run: () => Promise<T>): Promise<T> {
    const invocation = this.#current.getStore();
    return invocation ? invocation.call(use, run) : run();
  }

  /** The time of the present invocation. */
  get now(): number | undefined {
    return this.#current.getStore()?.now();
  }

  get counts(): Invocation["counts"] | undefined {
    return this.#current.getStore()?.counts;
  }

  /** Notes what passed a limit: it fails the test, unless the test takes it. */
  refuse(why: string): void {
    this.#refusals.add(why);
  }

  takeRefusals(): string[] {
    const refusals = [...this.#refusals];
    this.#refusals.clear();
    return refusals;
  }

  /** While an invocation runs, `fetch` counts for it, be it a test's own or not. */
  #holdFetch(): () => void {
    const held = this.#fetch ?? this.#replaceFetch();
    held.users += 1;
    return () => {
      held.users -= 1;
      if (held.users > 0 || this.#fetch !== held) return;
      if (globalThis.fetch === held.own) globalThis.fetch = held.inner;
      this.#fetch = undefined;
    };
  }

  #replaceFetch() {
    const inner = this.#inners.get(globalThis.fetch) ?? globalThis.fetch;
    // A mock under it is still one: a test that answers otherwise meanwhile changes that, and puts no other over ours.
    const own = new Proxy(inner, {
      apply: (_target, _this, [input, init]: Parameters<typeof fetch>) =>
        this.call({ what: "fetch", signal: init?.signal }, async () => inner(input, init)),
    });
    globalThis.fetch = own;
    this.#inners.set(own, inner);
    this.#fetch = { own, inner, users: 0 };
    return this.#fetch;
  }
}

export const platform = new StrictPlatform();
