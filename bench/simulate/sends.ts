// Pure. How the sends of one website reach its database: src/flows/store-sends.ts.
import { Fifo } from "./fifo.ts";
import { SERVICE, STATEMENTS, statementsOf } from "./model.ts";
import type { World } from "./world.ts";

export class Sends {
  readonly #world: World;
  readonly #website: number;
  /** When each that waits for the write under way arrived. */
  readonly #waiting = new Fifo<number>();
  #isWriting = false;
  /** Neither answered nor refused. */
  unanswered = 0;

  constructor(world: World, website: number) {
    this.#world = world;
    this.#website = website;
  }

  /** Time stands at its arrival at the object. The way there and back is the same for all: the world adds it. */
  arrive(): void {
    const { events, model } = this.#world;
    if (!model.isGrouped) {
      this.unanswered++;
      this.#store([events.now], () => {});
      return;
    }
    if (this.#waiting.length >= SERVICE.mostWaitingSends) {
      this.#world.refused++;
      return;
    }
    this.unanswered++;
    this.#waiting.add(events.now);
    if (!this.#isWriting) this.#storeNext();
  }

  #storeNext(): void {
    this.#isWriting = this.#waiting.length > 0;
    if (this.#isWriting) this.#store(this.#waiting.take(SERVICE.sendsAGroup), () => this.#storeNext());
  }

  #store(group: number[], then: () => void): void {
    this.#world.databaseOf(this.#website).call(true, statementsOf(STATEMENTS.send, group.length), () => {
      this.unanswered -= group.length;
      this.#world.stored(this.#website, group);
      then();
    });
  }
}
