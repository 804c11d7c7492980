import wranglerToml from "../../wrangler.toml?raw";
import type { VirtualClock } from "./clock.ts";

/** What wrangler.toml says of a queue's consumer. */
export interface ConsumerSettings {
  batchSize: number;
  /** How many of its invocations run at a time, at most. */
  concurrency: number;
}

export function consumerSettings(queue: string): ConsumerSettings {
  const [, ...consumers] = wranglerToml.split("[[queues.consumers]]");
  const section = consumers.find((text) => text.includes(`queue = "${queue}"`));
  const read = (name: string) => {
    const [, number] = new RegExp(`${name} = (\\d+)`).exec(section ?? "") ?? [];
    if (number === undefined) throw new Error(`wrangler.toml has no ${name} of ${queue}`);
    return Number(number);
  };
  return { batchSize: read("max_batch_size"), concurrency: read("max_concurrency") };
}

interface Entry {
  body: unknown;
  attempts: number;
}

const RETRY_DELAY_SECONDS = 10;

/**
 * A queue of the platform: in order of arrival, at least once, and with one consumer to begin with. After each batch it adds
 * one while a whole batch waits, and takes one away when nothing waits. Cloudflare says only that it scales after a batch, by
 * the backlog: https://developers.cloudflare.com/queues/configuration/consumer-concurrency/
 */
export class PlatformQueue {
  readonly name: string;
  readonly #clock: VirtualClock;
  readonly #settings: ConsumerSettings;
  readonly #consume: (batch: MessageBatch) => Promise<void>;
  #waiting: Entry[] = [];
  /** Those before it are taken. */
  #first = 0;
  #running = 0;
  #consumers = 1;
  #delayed = 0;

  constructor(clock: VirtualClock, name: string, consume: (batch: MessageBatch) => Promise<void>) {
    this.name = name;
    this.#clock = clock;
    this.#settings = consumerSettings(name);
    this.#consume = consume;
  }

  get backlog(): number {
    return this.#waiting.length - this.#first;
  }

  get isIdle(): boolean {
    return this.backlog + this.#running + this.#delayed === 0;
  }

  add(body: unknown, delaySeconds = 0, attempts = 1): void {
    this.#delayed += 1;
    this.#clock.after(delaySeconds * 1000, () => {
      this.#delayed -= 1;
      this.#waiting.push({ body, attempts });
      this.#start();
    });
  }

  /** @param isAlive whether the invocation that sends has not been cut off */
  producer<T>(isAlive: () => boolean = () => true): Queue<T> {
    const sendBatch = async (messages: Iterable<MessageSendRequest<T>>) => {
      if (!isAlive()) return new Promise(() => {});
      for (const { body, delaySeconds } of messages) this.add(structuredClone(body), delaySeconds);
    };
    return { sendBatch, send: (body: T) => sendBatch([{ body }]) } as unknown as Queue<T>;
  }

  #start(): void {
    while (this.#running < this.#consumers && this.backlog > 0) {
      const end = Math.min(this.#first + this.#settings.batchSize, this.#waiting.length);
      const batch = this.#waiting.slice(this.#first, end);
      this.#first = end;
      if (this.#first > 5000) {
        this.#waiting = this.#waiting.slice(this.#first);
        this.#first = 0;
      }
      void this.#deliver(batch);
    }
  }

  async #deliver(entries: Entry[]): Promise<void> {
    this.#running += 1;
    const retries = new Map<Entry, number>();
    const messages = entries.map((entry, index) => ({
      id: `${this.name}-${index}`,
      timestamp: new Date(this.#clock.now),
      body: entry.body,
      attempts: entry.attempts,
      ack: () => retries.delete(entry),
      retry: ({ delaySeconds = RETRY_DELAY_SECONDS } = {}) => retries.set(entry, delaySeconds),
    }));
    try {
      await this.#consume({ queue: this.name, messages } as unknown as MessageBatch);
    } catch {
      for (const entry of entries) retries.set(entry, RETRY_DELAY_SECONDS);
    }
    for (const [{ body, attempts }, delaySeconds] of retries) this.add(body, delaySeconds, attempts + 1);
    this.#running -= 1;
    const more = this.backlog >= this.#settings.batchSize ? 1 : 0;
    const fewer = this.backlog === 0 ? 1 : 0;
    this.#consumers = Math.max(1, Math.min(this.#consumers + more - fewer, this.#settings.concurrency));
    this.#start();
  }
}
