// What a call of a binding costs here in time, and what it counts as.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "./clock.ts";
import { Connections } from "./connections.ts";
import { type Made, noneMade, type PlatformCounts } from "./counts.ts";
import type { EdgeSettings } from "./settings.ts";
import { Thread } from "./thread.ts";

/** What is under way: its calls count as its own, and share its connections. */
interface Invocation {
  made: Made;
  connections: Connections;
}

/** What the statements of one call cost, together. */
export type Meta = Pick<D1Meta, "duration" | "rows_read" | "rows_written">;

/** How long objects have had something under way. An object's time counts once, however many calls share it. */
interface Activity {
  calls: number;
  since: number;
}

export class Platform {
  readonly #settings: EdgeSettings;
  readonly #clock: Clock;
  readonly #invocations = new AsyncLocalStorage<Invocation>();
  readonly #threads = new Map<string, Thread>();
  readonly #objects = new WeakMap<object, { connections: Connections; activity: Activity }>();
  #made = new Map<string, Made>();
  #objectMilliseconds = 0;
  /** The clock may stand still until the first invocation. */
  #countsFrom: number | undefined;

  constructor(settings: EdgeSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @param kind such as the path of a request */
  invoke<T>(kind: string, work: () => T): T {
    const made = this.#count(kind);
    return this.#invocations.run({ made, connections: this.#newConnections() }, work);
  }

  /** A call that has come to an object: all of its calls share one context, and so its connections. */
  invokeObject<T>(kind: string, object: object, work: () => T): T {
    const { connections, activity } = this.#objectOf(object);
    // A method that another one calls is no call to the object.
    if (this.#invocations.getStore()?.connections === connections) return work();
    const made = this.#count(kind);
    if (activity.calls++ === 0) activity.since = this.#clock.now;
    const end = () => {
      if (--activity.calls === 0) this.#objectMilliseconds += this.#clock.now - activity.since;
    };
    return this.#invocations.run({ made, connections }, () => finallyDo(work, end));
  }

  /** A call waits for its turn on the thread of the database, which works as long as the price says and the statements take. */
  async callDatabase<T>(name: string, run: () => Promise<T>, readMetas: (result: T) => Meta[]): Promise<T> {
    const { made, connections } = this.#current();
    const { network, readingCall } = this.#settings;
    return connections.during(async () => {
      await this.#clock.wait(network);
      const thread = this.#threadOf(name);
      made.d1Calls++;
      try {
        const result = await run();
        const service = this.#countStatements(made, readMetas(result));
        await this.#waitUntil(thread.take(this.#clock.now, service) + network);
        return result;
      } catch (error) {
        made.busyMilliseconds += readingCall;
        await this.#waitUntil(thread.take(this.#clock.now, readingCall) + network);
        throw error;
      }
    });
  }

  /** @returns how long the thread works on them. A call that changes no row has nothing to make durable: it costs as reading. */
  #countStatements(made: Made, metas: Meta[]): number {
    const sum = (name: keyof Meta) => metas.reduce((total, meta) => total + meta[name], 0);
    const isWriting = sum("rows_written") > 0;
    const service = sum("duration") + (isWriting ? this.#settings.writingCall : this.#settings.readingCall);
    made.rowsRead += sum("rows_read");
    made.rowsWritten += sum("rows_written");
    if (isWriting) made.writingCalls++;
    made.busyMilliseconds += service;
    return service;
  }

  async callObject<T>(run: () => Promise<T>): Promise<T> {
    this.#current().made.objectCalls++;
    return this.#overNetwork(run);
  }

  callQueue<T>(run: () => Promise<T>): Promise<T> {
    const { made, connections } = this.#current();
    made.queueCalls++;
    return connections.during(() => this.#overNetwork(run));
  }

  callNamespace<T>(kind: "kvReads" | "kvWrites", run: () => Promise<T>): Promise<T> {
    const { made, connections } = this.#current();
    made[kind]++;
    return connections.during(run);
  }

  /** A connection counts until the headers of the answer have come: then fetch has resolved. */
  fetch(run: () => Promise<Response>): Promise<Response> {
    const { made, connections } = this.#current();
    made.fetches++;
    return connections.during(run);
  }

  /** What was counted since the last time; the counts begin anew. */
  takeCounts(): PlatformCounts {
    const until = this.#clock.now;
    const from = this.#countsFrom ?? until;
    const counts = {
      from,
      until,
      made: Object.fromEntries(this.#made),
      databases: Object.fromEntries(
        [...this.#threads].map(([name, thread]) => [name, thread.readCounts(from, until)] as const),
      ),
      objectMilliseconds: this.#objectMilliseconds,
    };
    this.#made = new Map();
    this.#objectMilliseconds = 0;
    this.#countsFrom = until;
    return counts;
  }

  async #overNetwork<T>(run: () => Promise<T>): Promise<T> {
    await this.#clock.wait(this.#settings.network);
    try {
      return await run();
    } finally {
      await this.#clock.wait(this.#settings.network);
    }
  }

  #waitUntil(time: number): Promise<void> {
    return this.#clock.wait(time - this.#clock.now);
  }

  #count(kind: string): Made {
    const made = this.#made.get(kind) ?? noneMade();
    this.#made.set(kind, made);
    made.invocations++;
    return made;
  }

  #current(): Invocation {
    const invocation = this.#invocations.getStore();
    if (!invocation) throw new Error("a binding was called outside of any invocation");
    return invocation;
  }

  #threadOf(name: string): Thread {
    const thread = this.#threads.get(name) ?? new Thread();
    this.#threads.set(name, thread);
    return thread;
  }

  #objectOf(object: object) {
    const known = this.#objects.get(object) ?? {
      connections: this.#newConnections(),
      activity: { calls: 0, since: 0 },
    };
    this.#objects.set(object, known);
    return known;
  }

  #newConnections(): Connections {
    return new Connections(this.#settings.connections);
  }
}

/** Ends work that may be a promise. Work that is no promise does not become one. */
function finallyDo<T>(work: () => T, end: () => void): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end) as T;
  end();
  return result;
}
