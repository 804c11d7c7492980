/** Before the paths of the floor, which runs beside the service. */
export const FLOOR_PATH = "/floor";

/** What the platform's price is, and which bindings pay it. Comes to the Worker as the binding EDGE. Times in milliseconds. */
export interface EdgeSettings {
  /** How many real milliseconds one millisecond of the model takes. */
  slow: number;
  /** Where both clocks stand at the same time: real, since 1970. */
  epoch: number;
  /** What a call keeps the one thread of its database busy with, besides the statements themselves. */
  writingCall: number;
  readingCall: number;
  /** One way to a database, to an object or to a queue. */
  network: number;
  /** How many calls of one invocation may wait for an answer at a time. */
  connections: number;
  /** Names of bindings. */
  databases: string[];
  namespaces: string[];
  objects: string[];
  /** From the name of a binding to that of its queue. */
  producers: Record<string, string>;
  /** By the name of the queue. */
  consumers: Record<string, ConsumerSettings>;
}

/** As wrangler.toml has them. */
export interface ConsumerSettings {
  batchSize: number;
  batchTimeoutSeconds: number;
  retries: number;
  retryDelaySeconds: number;
  deadLetterQueue?: string | undefined;
  /** Batches under way at a time, at most. */
  concurrency: number;
  /** Whether a queue begins with one consumer, and gets others as it needs them; if not, it has all of them at once. */
  scales?: boolean;
}
