/**
 * Waits for what has no time limit of its own, such as a binding. The work itself is not ended.
 * @throws Error when the time is over
 */
export async function withinTime<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const over = scheduler.wait(milliseconds, { signal: done.signal }).then(() => {
    throw new Error(`no answer in ${milliseconds} ms`);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    done.abort();
  }
}
