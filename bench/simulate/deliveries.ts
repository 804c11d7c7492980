// Pure. The runs of a database's deliveries: src/flows/deliver-messages.ts. A message is known by its website alone.
import { Consumers } from "./consumers.ts";
import { OUTSIDE, SERVICE, STATEMENTS, statementsOf } from "./model.ts";
import type { World } from "./world.ts";

interface Run {
  ids: number[];
  next: number;
  startedAt: number;
  /** Submitted, and not recorded yet. */
  before: number[];
  claim: number;
  /** Gives its consumer to the next batch. */
  free(): void;
}

export class Deliveries {
  readonly consumers: Consumers;
  readonly #world: World;
  readonly #home: number;

  constructor(world: World, home: number, mostRuns: number) {
    this.#world = world;
    this.#home = home;
    this.consumers = new Consumers(mostRuns, (ids, free) => this.#start(ids, free));
  }

  #start(ids: number[], free: () => void): void {
    const run = { ids, next: 0, startedAt: this.#world.events.now, before: [], claim: SERVICE.firstClaim, free };
    if (ids.length <= SERVICE.firstClaim) this.#claim(run);
    else this.#call(false, statementsOf(STATEMENTS.find, ids.length), () => this.#claim(run));
  }

  #claim(run: Run): void {
    const { events } = this.#world;
    const ids = run.ids.slice(run.next, run.next + run.claim);
    run.next += ids.length;
    const began = events.now;
    this.#call(true, statementsOf(STATEMENTS.claim, ids.length + run.before.length), () => {
      this.#world.queueCallbacks(run.before);
      run.before = ids;
      const submitting = Math.ceil(ids.length / SERVICE.connections) * OUTSIDE.carrier;
      events.after(submitting, () => this.#submitted(run, began));
    });
  }

  #submitted(run: Run, began: number): void {
    const { events } = this.#world;
    const submitted = run.before;
    events.after(OUTSIDE.sentAfter, () => this.#world.queueReceipts(submitted, false));
    events.after(OUTSIDE.deliveredAfter, () => this.#world.queueReceipts(submitted, true));
    run.claim = events.now - began <= SERVICE.fastMilliseconds ? SERVICE.fastClaim : SERVICE.firstClaim;
    const isOver = events.now - run.startedAt > SERVICE.deliveryRunMilliseconds;
    if (run.next < run.ids.length && !isOver) this.#claim(run);
    else this.#end(run);
  }

  #end(run: Run): void {
    this.#world.queueDeliveries(run.ids.slice(run.next));
    this.#call(true, statementsOf(STATEMENTS.claim, run.before.length), () => {
      this.#world.queueCallbacks(run.before);
      run.free();
    });
  }

  #call(isWriting: boolean, statements: number, then: () => void): void {
    this.#world.database(this.#home).call(isWriting, statements, then);
  }
}
