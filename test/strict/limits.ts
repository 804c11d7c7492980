// What Cloudflare documents and Miniflare does not hold a Worker to. The wrappers beside this file enforce each of these.
import wrangler from "../../wrangler.toml?raw";

export interface Limit {
  value: number;
  source: string;
}

const D1 = "https://developers.cloudflare.com/d1/platform/limits/";
const KV = "https://developers.cloudflare.com/kv/platform/limits/";
const QUEUES = "https://developers.cloudflare.com/queues/platform/limits/";
const WORKERS = "https://developers.cloudflare.com/workers/platform/limits/";

/** A setting of wrangler.toml. */
function configured(name: string): number {
  const value = Number(new RegExp(`^${name} = ([\\d_]+)$`, "m").exec(wrangler)?.[1]?.replaceAll("_", ""));
  if (Number.isNaN(value)) throw new Error(`wrangler.toml does not set ${name}`);
  return value;
}

export const LIMITS = {
  boundParameters: { value: 100, source: D1 },
  statementBytes: { value: 100_000, source: D1 },
  functionArguments: { value: 32, source: D1 },
  /** The size of a string, of a blob, and of a row. */
  valueBytes: { value: 2_000_000, source: D1 },
  /** A batch is one: https://github.com/rahilp/second-brain-cloudflare/issues/278 has counted them. */
  queriesPerInvocation: { value: 1000, source: D1 },
  connectionsToD1: { value: 6, source: `${D1}#how-many-simultaneous-connections-can-a-worker-open-to-d1` },
  /**
   * Stands for the 30 seconds of a call, which cannot be measured here. The slowest statement measured in workerd read 580,000
   * rows a second. A call may read what takes that one a second: others wait in line for it, the edge's machines may be slower,
   * and rows that are written take longer. The largest look-up, of 50,000 numbers, reads 100,000.
   */
  rowsReadPerCall: { value: 500_000, source: D1 },

  subrequests: { value: configured("subrequests"), source: `${WORKERS}#subrequests` },
  /** Those that wait for the headers of a response, or for a socket to open. A seventh waits. */
  connections: { value: 6, source: `${WORKERS}#simultaneous-open-connections` },
  /** How long the consumer of a queue runs, and a scheduled run. A request has no limit while its client stays. */
  runMilliseconds: { value: 15 * 60_000, source: `${WORKERS}#duration` },
  backgroundMilliseconds: { value: 30_000, source: "https://developers.cloudflare.com/workers/runtime-apis/context/" },
  /** What an invocation has left when the runtime or the Worker is replaced. */
  graceMilliseconds: { value: 30_000, source: `${WORKERS}#duration` },

  keyValueOperations: { value: 1000, source: KV },
  keyWriteMilliseconds: { value: 1000, source: KV },

  delaySeconds: { value: 86_400, source: QUEUES },
  messagesPerBatch: { value: 100, source: QUEUES },
  batchBytes: { value: 256_000, source: QUEUES },
  messageBytes: { value: 128_000, source: QUEUES },
  /** What a queue adds to a message, and counts with it. */
  messageOverheadBytes: { value: 100, source: QUEUES },
} satisfies Record<string, Limit>;
