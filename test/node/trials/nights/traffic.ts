import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../harness/service.ts";
import { Load } from "../crash/load.ts";
import type { PlannedRequest } from "../crash/plan.ts";

/** A client that sends single texts at a steady pace, each with a key, until it is stopped. */
export class Traffic {
  readonly load: Load;
  readonly #name: string;
  #isOver = false;
  #running: Promise<void>;

  constructor(client: Client, name: string, numbers: number[], everyMilliseconds: number) {
    this.#name = name;
    const started = performance.now();
    let turn = 0;
    this.load = new Load({
      client,
      ready: async () => {
        const due = started + everyMilliseconds * turn++;
        await wait(Math.max(0, due - performance.now()));
      },
      onSent: () => {},
    });
    this.#running = this.load.run(this.#requests(numbers));
    this.#running.catch(() => {});
  }

  *#requests(numbers: number[]): Generator<PlannedRequest> {
    for (const number of numbers) {
      if (this.#isOver) return;
      yield { kind: "keyed", key: `${this.#name}-${number}`, messages: [number], repeats: false };
    }
  }

  /** Each text that was begun is answered. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  get messageIds(): string[] {
    return [...this.load.sent.values()].flatMap(({ messageId }) => messageId ?? []);
  }
}
