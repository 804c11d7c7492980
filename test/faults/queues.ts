import type { Deps } from "../../src/deps.ts";
import type { Job } from "../../src/domain/messages/job.ts";
import { QUEUE_RETRIES } from "../../src/domain/messages/retry-policy.ts";
import { consume } from "../../src/queue.ts";
import { checkedDelay, deliverBatch } from "../batch.ts";
import { strictQueue } from "../strict/bindings.ts";
import { platform } from "../strict/platform.ts";

const NAMES = ["receipts", "messages", "bulk", "messages-dead", "callbacks"] as const;

type Name = (typeof NAMES)[number];

export interface Entry {
  queue: Name;
  body: unknown;
  /** When it is to be delivered: milliseconds since 1970. */
  at: number;
  /** Deliveries, the next one included. */
  attempts: number;
}

const DEAD_LETTER_QUEUES: Partial<Record<Name, Name>> = {
  messages: "messages-dead",
  bulk: "messages-dead",
  receipts: "messages-dead",
};
const BATCH_MESSAGES = 100;

/** The queues as Cloudflare keeps them: with their limits, redeliveries and dead letters. */
export class PlatformQueues {
  entries: Entry[] = [];
  /** What was delivered in vain as often as it is delivered, and has no dead-letter queue. */
  readonly dead: Entry[] = [];
  readonly messages = this.#producer<Job>("messages");
  readonly bulk = this.#producer<Job>("bulk");
  readonly callbacks = this.#producer<string[]>("callbacks");
  readonly receipts = this.#producer<Job>("receipts");
  readonly #now: () => number;
  #held: Entry[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  #producer<T>(queue: Name): Queue<T> {
    const sendBatch = async (given: Iterable<MessageSendRequest<T>>) => {
      for (const { body, delaySeconds } of given) {
        const at = this.#now() + checkedDelay(delaySeconds ?? 0) * 1000;
        this.entries.push({ queue, body: structuredClone(body), at, attempts: 1 });
      }
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    };
    return strictQueue({ sendBatch } as unknown as Queue<T>);
  }

  /** Delivers nothing of what there is until it is released. */
  hold(): void {
    this.#held.push(...this.entries.splice(0));
  }

  release(): void {
    this.entries.unshift(...this.#held.splice(0));
  }

  /** Takes out what is due, of all queues, of the two of deliveries ("messages"), or of one. */
  takeDue(queue?: Name): Entry[] {
    const isOf = (entry: Entry) => entry.queue === queue || (queue === "messages" && entry.queue === "bulk");
    const isDue = (entry: Entry) => entry.at <= this.#now() && (queue === undefined || isOf(entry));
    const due = this.entries.filter(isDue);
    this.entries = this.entries.filter((entry) => !isDue(entry));
    return due;
  }

  /** Delivers what is due, and what that brings about, until nothing is. */
  async run(deps: Deps, afterAnswer: () => Promise<void>, queue?: Name): Promise<void> {
    for (let round = 0; round < 50; round++) {
      const due = this.takeDue(queue);
      if (due.length === 0) return;
      for (const name of NAMES) {
        const own = due.filter((entry) => entry.queue === name);
        for (let start = 0; start < own.length; start += BATCH_MESSAGES) {
          await this.deliver(deps, name, own.slice(start, start + BATCH_MESSAGES));
          await afterAnswer();
        }
      }
    }
    throw new Error("the queues do not come to rest");
  }

  /** Delivers one batch, and keeps for later what is to come again. */
  async deliver(deps: Deps, queue: Name, batch: Entry[]): Promise<void> {
    const retries = await deliverBatch(`textgate-${queue}`, this.#now(), batch, (given) =>
      platform.invoke("queue", this.#now, () => consume(given, deps)),
    );
    for (const [index, delaySeconds] of retries) {
      const entry = batch[index] as Entry;
      if (entry.attempts <= QUEUE_RETRIES[queue]) {
        this.entries.push({ ...entry, at: this.#now() + delaySeconds * 1000, attempts: entry.attempts + 1 });
        continue;
      }
      const deadLetters = DEAD_LETTER_QUEUES[queue];
      if (deadLetters) this.entries.push({ ...entry, queue: deadLetters, at: this.#now(), attempts: 1 });
      else this.dead.push(entry);
    }
  }
}
