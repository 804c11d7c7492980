/** The `retry_delay` of those queues of wrangler.toml that have one. */
const RETRY_DELAY_SECONDS = 10;
const LONGEST_DELAY_SECONDS = 86_400;

export interface Delivery {
  body: unknown;
  /** Deliveries, this one included. */
  attempts: number;
}

/**
 * Hands a batch to its consumer, as the platform does.
 * @returns what comes again, by its place in the batch: after how many seconds
 */
export async function deliverBatch(
  queue: string,
  now: number,
  deliveries: Delivery[],
  consume: (batch: MessageBatch) => Promise<void>,
): Promise<Map<number, number>> {
  const retries = new Map<number, number>();
  const messages = deliveries.map(({ body, attempts }, index) => ({
    id: `${queue}-${index}`,
    timestamp: new Date(now),
    body,
    attempts,
    ack: () => retries.delete(index),
    retry: ({ delaySeconds = RETRY_DELAY_SECONDS } = {}) => retries.set(index, checkedDelay(delaySeconds)),
  }));
  try {
    await consume({ queue, messages } as unknown as MessageBatch);
  } catch {
    for (const index of messages.keys()) retries.set(index, RETRY_DELAY_SECONDS);
  }
  return retries;
}

/** @throws Error on a delay that Cloudflare does not take */
export function checkedDelay(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= LONGEST_DELAY_SECONDS) return seconds;
  throw new Error(`Queue: no delay of ${seconds} seconds`);
}
