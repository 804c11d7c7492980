// Pure. What the platform would bill, by what made it happen.

/** By one kind of invocation: requests of an HTTP path, batches of a queue, or calls to a class of objects. */
export interface Made {
  invocations: number;
  d1Calls: number;
  writingCalls: number;
  rowsRead: number;
  rowsWritten: number;
  /** How long the threads of all databases were busy, in sum. */
  busyMilliseconds: number;
  objectCalls: number;
  kvReads: number;
  kvWrites: number;
  queueCalls: number;
  fetches: number;
}

export interface DatabaseCounts {
  /** The share of each tenth of a second in which the thread was busy, from 0 to 1. */
  busyShares: number[];
  /** How long each call waited for its turn, milliseconds. */
  waits: number[];
}

export interface QueueCounts {
  /** Operations, of 64 KB or less each. */
  writes: number;
  reads: number;
  deletes: number;
  batches: number;
  /** From the start of a batch to its end, of all batches. */
  consumerMilliseconds: number;
  mostWaiting: number;
}

export interface PlatformCounts {
  /** The clock of the model: milliseconds since 1970. */
  from: number;
  until: number;
  made: Record<string, Made>;
  databases: Record<string, DatabaseCounts>;
  /** While objects had a call under way. */
  objectMilliseconds: number;
}

export interface EdgeCounts extends PlatformCounts {
  queues: Record<string, QueueCounts>;
  timers: TimerCounts;
}

/** How much later than asked the waits of the model have ended: what the machine adds to the price. */
export interface TimerCounts {
  waits: number;
  lateMilliseconds: number;
}

export function noneMade(): Made {
  return {
    invocations: 0,
    d1Calls: 0,
    writingCalls: 0,
    rowsRead: 0,
    rowsWritten: 0,
    busyMilliseconds: 0,
    objectCalls: 0,
    kvReads: 0,
    kvWrites: 0,
    queueCalls: 0,
    fetches: 0,
  };
}

export function noQueueCounts(): QueueCounts {
  return { writes: 0, reads: 0, deletes: 0, batches: 0, consumerMilliseconds: 0, mostWaiting: 0 };
}
