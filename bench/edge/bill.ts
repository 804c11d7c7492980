// Pure. What a million messages cost on the Workers Paid plan, beyond what is included in it.

/** What one message takes, on average. */
export interface Usage {
  /** Requests, and batches of a queue. */
  invocations: number;
  cpuMilliseconds: number;
  kvReads: number;
  /** And deletes and lists. */
  kvWrites: number;
  objectCalls: number;
  /** While objects had a call under way. */
  objectMilliseconds: number;
  rowsRead: number;
  rowsWritten: number;
  bytesStored: number;
  /** One for each 64 KB. Each message of a queue is written, read and deleted. */
  queueOperations: number;
  logLines: number;
}

interface ListPrice {
  what: string;
  /** Dollars for a million. */
  dollars: number;
  /** How many there are of it. */
  of(usage: Usage): number;
}

export const PRICES_AS_OF = "2026-11-22";

/** Memory that an object is billed for, whatever it uses. */
const OBJECT_GIGABYTES = 0.128;
/** RETENTION_DAYS, when left out. */
const MONTHS_STORED = 1;

/**
 * List prices of Cloudflare's documentation: workers/platform/pricing (requests, CPU, KV, queues, D1, logs) and
 * durable-objects/platform/pricing. From 2026-12-01, logs are billed by size: observability/pricing.
 */
export const LIST_PRICES: ListPrice[] = [
  { what: "requests of the Worker", dollars: 0.3, of: ({ invocations }) => invocations },
  { what: "CPU milliseconds", dollars: 0.02, of: ({ cpuMilliseconds }) => cpuMilliseconds },
  { what: "KV reads", dollars: 0.5, of: ({ kvReads }) => kvReads },
  { what: "KV writes", dollars: 5, of: ({ kvWrites }) => kvWrites },
  { what: "requests to objects", dollars: 0.15, of: ({ objectCalls }) => objectCalls },
  {
    what: "GB-seconds of objects",
    dollars: 12.5,
    of: ({ objectMilliseconds }) => (objectMilliseconds / 1000) * OBJECT_GIGABYTES,
  },
  { what: "D1 rows read", dollars: 0.001, of: ({ rowsRead }) => rowsRead },
  { what: "D1 rows written", dollars: 1, of: ({ rowsWritten }) => rowsWritten },
  // $0.75 for a GB-month: a million bytes are a thousandth of a GB.
  { what: "D1 bytes, for a month", dollars: 0.75 / 1000, of: ({ bytesStored }) => bytesStored * MONTHS_STORED },
  { what: "queue operations", dollars: 0.4, of: ({ queueOperations }) => queueOperations },
  { what: "lines of the log", dollars: 0.6, of: ({ logLines }) => logLines },
];

/** The rows of a message once it is older than the retention. */
export interface Purge {
  rowsRead: number;
  rowsWritten: number;
}

export function withPurge(usage: Usage, { rowsRead, rowsWritten }: Purge): Usage {
  return { ...usage, rowsRead: usage.rowsRead + rowsRead, rowsWritten: usage.rowsWritten + rowsWritten };
}

/** Dollars for a million messages, by what is billed and in all. */
export function billOf(usage: Usage): { lines: { what: string; dollars: number }[]; dollars: number } {
  const lines = LIST_PRICES.map(({ what, dollars, of }) => ({ what, dollars: dollars * of(usage) }));
  return { lines, dollars: lines.reduce((sum, line) => sum + line.dollars, 0) };
}
