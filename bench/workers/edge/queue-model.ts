// Pure. One queue and its consumers, many at a time: Miniflare's runs one batch after another. The bench and the simulation of the
// tests use it.
import type { Clock } from "./clock.ts";
import { noQueueCounts } from "./counts.ts";
import type { ConsumerSettings } from "./settings.ts";

/** A message with its metadata; the platform counts an operation for each 64 KB of it. */
const OPERATION_BYTES = 64_000;
const METADATA_BYTES = 100;

export interface Sent {
  json: string;
  delaySeconds: number;
}

export interface QueuedMessage {
  id: string;
  timestamp: Date;
  json: string;
  attempts: number;
}

/** What the consumer has said of a batch. Those that it has said nothing of are done. */
export interface Verdict {
  /** Whether all come again: because the consumer has failed, or has said so. */
  retryAll: boolean;
  /** From the id of a message to when it comes again; undefined: as the queue's settings say. */
  retries: Map<string, number | undefined>;
}

export interface QueueHooks {
  clock: Clock;
  /** Never rejects. */
  deliver(batch: QueuedMessage[]): Promise<Verdict>;
  /** Gets what has used up its retries. */
  bury(queue: string, messages: Sent[]): Promise<void>;
}

/**
 * Delivers in order of arrival, at least once. Where it scales, it adds a consumer after each batch while a whole batch waits, and
 * takes one away when nothing waits: Cloudflare says only that it scales after a batch, by the backlog:
 * https://developers.cloudflare.com/queues/configuration/consumer-concurrency/
 */
export class QueueModel {
  #counts = noQueueCounts();
  #waiting: QueuedMessage[] = [];
  /** Messages that will wait once their time has come. */
  #delayed = 0;
  #running = 0;
  #consumers: number;
  #isHeld = false;
  /** Whether a batch that is not full goes too. */
  #isDue = false;
  #isTimed = false;
  readonly #settings: ConsumerSettings;
  readonly #hooks: QueueHooks;

  constructor(settings: ConsumerSettings, hooks: QueueHooks) {
    this.#settings = settings;
    this.#hooks = hooks;
    this.#consumers = settings.scales ? 1 : settings.concurrency;
  }

  send(messages: Sent[]): void {
    const timestamp = new Date(this.#hooks.clock.now);
    for (const [delaySeconds, group] of Map.groupBy(messages, (message) => message.delaySeconds)) {
      const queued = group.map(({ json }) => ({ id: crypto.randomUUID(), timestamp, json, attempts: 1 }));
      for (const message of queued) this.#counts.writes += operations(message);
      this.#addLater(queued, delaySeconds);
    }
  }

  /** No batch begins until `hold` is called with false. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#pump();
  }

  /** Deletes the pending messages. */
  drop(): void {
    this.#waiting = [];
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#delayed + this.#running === 0;
  }

  takeCounts() {
    const counts = this.#counts;
    this.#counts = noQueueCounts();
    return counts;
  }

  #addLater(messages: QueuedMessage[], delaySeconds: number): void {
    this.#delayed += messages.length;
    const add = () => {
      this.#delayed -= messages.length;
      this.#add(messages);
    };
    if (delaySeconds > 0) void this.#hooks.clock.wait(delaySeconds * 1000).then(add);
    else add();
  }

  #add(messages: QueuedMessage[]): void {
    this.#waiting.push(...messages);
    this.#counts.mostWaiting = Math.max(this.#counts.mostWaiting, this.#waiting.length);
    this.#pump();
  }

  #pump(): void {
    const { batchSize, batchTimeoutSeconds } = this.#settings;
    while (!this.#isHeld && this.#running < this.#consumers && this.#waiting.length > 0) {
      const isDue = this.#isDue || batchTimeoutSeconds === 0 || this.#waiting.length >= batchSize;
      if (!isDue) {
        this.#dueLater(batchTimeoutSeconds);
        break;
      }
      this.#isDue = false;
      void this.#run(this.#waiting.splice(0, batchSize));
    }
  }

  #dueLater(seconds: number): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    void this.#hooks.clock.wait(seconds * 1000).then(() => {
      this.#isTimed = false;
      this.#isDue = true;
      this.#pump();
    });
  }

  async #run(batch: QueuedMessage[]): Promise<void> {
    const { clock, deliver } = this.#hooks;
    const counts = this.#counts;
    this.#running++;
    const started = clock.now;
    counts.batches++;
    for (const message of batch) counts.reads += operations(message);
    const verdict = await deliver(batch);
    counts.consumerMilliseconds += clock.now - started;
    this.#running--;
    await this.#settle(batch, verdict);
    this.#scale();
    this.#pump();
  }

  #scale(): void {
    const { batchSize, concurrency, scales = false } = this.#settings;
    if (!scales) return;
    const more = this.#waiting.length >= batchSize ? 1 : 0;
    const fewer = this.#waiting.length === 0 ? 1 : 0;
    this.#consumers = Math.max(1, Math.min(this.#consumers + more - fewer, concurrency));
  }

  async #settle(batch: QueuedMessage[], verdict: Verdict): Promise<void> {
    const { retries: mostRetries, retryDelaySeconds, deadLetterQueue } = this.#settings;
    const isRetried = ({ id }: QueuedMessage) => verdict.retryAll || verdict.retries.has(id);
    const isLast = ({ attempts }: QueuedMessage) => attempts > mostRetries;
    const again = batch.filter((message) => isRetried(message) && !isLast(message));
    const delayOf = ({ id }: QueuedMessage) => verdict.retries.get(id) ?? retryDelaySeconds;
    for (const [delaySeconds, group] of Map.groupBy(again, delayOf)) {
      this.#addLater(
        group.map((message) => ({ ...message, attempts: message.attempts + 1 })),
        delaySeconds,
      );
    }
    const over = batch.filter((message) => !again.includes(message));
    for (const message of over) this.#counts.deletes += operations(message);
    const dead = over.filter(isRetried).map(({ json }) => ({ json, delaySeconds: 0 }));
    if (dead.length > 0 && deadLetterQueue !== undefined) await this.#hooks.bury(deadLetterQueue, dead);
  }
}

function operations({ json }: QueuedMessage): number {
  return Math.ceil((json.length + METADATA_BYTES) / OPERATION_BYTES);
}
