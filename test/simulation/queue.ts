import { QueueModel } from "../../bench/workers/edge/queue-model.ts";
import type { ConsumerSettings } from "../../bench/workers/edge/settings.ts";
import wranglerToml from "../../wrangler.toml?raw";
import { deliverBatch } from "../batch.ts";
import type { VirtualClock } from "./clock.ts";

function consumerSettings(queue: string): ConsumerSettings {
  const [, ...consumers] = wranglerToml.split("[[queues.consumers]]");
  const section = consumers.find((text) => text.includes(`queue = "${queue}"`)) ?? "";
  const read = (name: string, missing = Number.NaN) => {
    const [, number = missing] = new RegExp(`^${name} = (\\d+)`, "m").exec(section) ?? [];
    if (Number.isNaN(number)) throw new Error(`wrangler.toml has no ${name} of ${queue}`);
    return Number(number);
  };
  const [, deadLetterQueue] = /^dead_letter_queue = "(.+)"/m.exec(section) ?? [];
  return {
    batchSize: read("max_batch_size"),
    batchTimeoutSeconds: read("max_batch_timeout"),
    concurrency: read("max_concurrency"),
    retries: read("max_retries"),
    retryDelaySeconds: read("retry_delay", 0),
    deadLetterQueue,
    scales: true,
  };
}

/** A queue of wrangler.toml on the clock of a test. Nothing in it may run out of retries. */
export class SimulatedQueue {
  readonly #model: QueueModel;

  constructor(clock: VirtualClock, name: string, consume: (batch: MessageBatch) => Promise<void>) {
    this.#model = new QueueModel(consumerSettings(name), {
      clock,
      deliver: async (batch) => {
        const deliveries = batch.map(({ json, attempts }) => ({ body: JSON.parse(json) as unknown, attempts }));
        const retries = await deliverBatch(name, clock.now, deliveries, consume);
        return {
          retryAll: false,
          retries: new Map([...retries].map(([index, after]) => [batch[index]?.id ?? "", after])),
        };
      },
      bury: async () => {
        throw new Error(`a job of ${name} has run out of retries`);
      },
    });
  }

  get isIdle(): boolean {
    return this.#model.isIdle;
  }

  producer<T>(): Queue<T> {
    const sendBatch = async (messages: Iterable<MessageSendRequest<T>>) => {
      this.#model.send(
        [...messages].map(({ body, delaySeconds = 0 }) => ({ json: JSON.stringify(body), delaySeconds })),
      );
    };
    return { sendBatch, send: (body: T) => sendBatch([{ body }]) } as unknown as Queue<T>;
  }
}
