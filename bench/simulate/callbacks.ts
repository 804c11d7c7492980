// Pure. The runs of a database's callbacks: src/flows/post-callbacks.ts. A callback is known by its website alone.
import { Consumers } from "./consumers.ts";
import { OUTSIDE, SERVICE, STATEMENTS, statementsOf } from "./model.ts";
import type { World } from "./world.ts";

interface Run {
  ids: number[];
  next: number;
  /** Posted, and not recorded yet. */
  before: number[];
  /** Gives its consumer to the next batch. */
  free(): void;
}

export class Callbacks {
  readonly consumers: Consumers;
  readonly #world: World;
  readonly #home: number;

  constructor(world: World, home: number, mostBatches: number) {
    this.#world = world;
    this.#home = home;
    this.consumers = new Consumers(mostBatches, (ids, free) =>
      this.#claim({ ids, next: 0, before: [], free: this.#afterWait(free) }),
    );
  }

  /** Slower runs go on without their consumer. */
  #afterWait(free: () => void): () => void {
    let isFree = false;
    const once = () => {
      if (isFree) return;
      isFree = true;
      free();
    };
    this.#world.events.after(SERVICE.callbackWaitMilliseconds, once);
    return once;
  }

  #claim(run: Run): void {
    const { events } = this.#world;
    const ids = run.ids.slice(run.next, run.next + SERVICE.callbacksAClaim);
    run.next += ids.length;
    const statements = statementsOf(STATEMENTS.claim, ids.length + run.before.length);
    this.#call(statements, () => {
      this.#world.through += run.before.length;
      run.before = ids;
      const posting = Math.ceil(ids.length / SERVICE.connections) * OUTSIDE.endpoint;
      events.after(posting, () => (run.next < run.ids.length ? this.#claim(run) : this.#end(run)));
    });
  }

  #end({ before, free }: Run): void {
    this.#call(statementsOf(STATEMENTS.claim, before.length), () => {
      this.#world.through += before.length;
      free();
    });
  }

  #call(statements: number, then: () => void): void {
    this.#world.database(this.#home).call(true, statements, then);
  }
}
