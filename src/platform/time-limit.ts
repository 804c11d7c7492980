/** Nothing was answered in time. What was asked may still be done. */
export class SilenceError extends Error {}

/**
 * Waits for what has no time limit of its own, such as a binding. The work itself is not ended.
 * @throws SilenceError when the time is over
 */
export async function withinTime<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const over = scheduler.wait(milliseconds, { signal: done.signal }).then(() => {
    throw new SilenceError(`no answer in ${milliseconds} ms`);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    done.abort();
  }
}
