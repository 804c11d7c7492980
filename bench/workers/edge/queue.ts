// The queues as objects: their memory and their consumers outlive the request that sends.
import { DurableObject } from "cloudflare:workers";
import { type Clock, makeClock } from "./clock.ts";
import type { QueueCounts } from "./counts.ts";
import { type QueuedMessage, QueueModel, type Sent, type Verdict } from "./queue-model.ts";
import type { ConsumerSettings, EdgeSettings } from "./settings.ts";

export interface EdgeEnv {
  EDGE: EdgeSettings;
  /** This Worker. */
  EDGE_SELF: { queue(name: string, messages: Delivered[], metadata: object): Promise<QueueOutcome> };
  EDGE_QUEUES: DurableObjectNamespace<EdgeQueue>;
}

/** A message as the runtime hands it to a consumer. */
type Delivered = Pick<QueuedMessage, "id" | "timestamp" | "attempts"> & { body: unknown };

interface QueueOutcome {
  outcome: string;
  retryBatch: { retry: boolean };
  retryMessages: { msgId: string; delaySeconds?: number }[];
}

/** A queue without a consumer keeps its messages. */
const NO_CONSUMER: ConsumerSettings = {
  batchSize: 1,
  batchTimeoutSeconds: 0,
  retries: 0,
  retryDelaySeconds: 0,
  concurrency: 0,
};

/** The queue of its name. */
export class EdgeQueue extends DurableObject<EdgeEnv> {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #model: QueueModel;

  constructor(context: DurableObjectState, env: EdgeEnv) {
    super(context, env);
    this.#name = String(context.id.name);
    this.#clock = makeClock(env.EDGE);
    this.#model = new QueueModel(env.EDGE.consumers[this.#name] ?? NO_CONSUMER, {
      clock: this.#clock,
      deliver: (batch) => this.#deliver(batch),
      bury: (queue, messages) => env.EDGE_QUEUES.getByName(queue).send(messages),
    });
  }

  send(messages: Sent[]): void {
    this.#model.send(messages);
  }

  hold(isHeld: boolean): void {
    this.#model.hold(isHeld);
  }

  drop(): void {
    this.#model.drop();
  }

  isIdle(): boolean {
    return this.#model.isIdle;
  }

  takeCounts(): QueueCounts {
    return this.#model.takeCounts();
  }

  async #deliver(batch: QueuedMessage[]): Promise<Verdict> {
    const { network } = this.env.EDGE;
    await this.#clock.wait(network);
    const { outcome, retryBatch, retryMessages } = await this.#consume(batch);
    await this.#clock.wait(network);
    if (outcome !== "ok") console.error(`the consumer of ${this.#name} has failed: ${outcome}`);
    return {
      retryAll: outcome !== "ok" || retryBatch.retry,
      retries: new Map(retryMessages.map(({ msgId, delaySeconds }) => [msgId, delaySeconds])),
    };
  }

  async #consume(batch: QueuedMessage[]): Promise<QueueOutcome> {
    const messages = batch.map(({ json, ...message }) => ({ ...message, body: JSON.parse(json) as unknown }));
    const metadata = { metrics: { backlogCount: 0, backlogBytes: 0 } };
    try {
      return await this.env.EDGE_SELF.queue(this.#name, messages, metadata);
    } catch (error) {
      return { outcome: String(error), retryBatch: { retry: true }, retryMessages: [] };
    }
  }
}
