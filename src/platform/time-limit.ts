/** A timeout. The operation may still take effect. */
export class SilenceError extends Error {}

/**
 * Polls for what another request does: a request must not await the promise of another, which dies with that request.
 * @param most milliseconds; then it gives up
 */
export async function untilOther(isDone: () => boolean, pauseMilliseconds: number, most: number): Promise<void> {
  for (let waited = 0; !isDone() && waited < most; waited += pauseMilliseconds) await scheduler.wait(pauseMilliseconds);
}

/** Starts a time limit. @returns a function that stops it */
type Clock = (milliseconds: number, onOver: () => void) => () => void;

/** An object, so that a test can end a limit at once. A timer costs a sixth of scheduler.wait with a signal. */
export const limits: { start: Clock } = {
  start(milliseconds, onOver) {
    const timer = setTimeout(onOver, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * Adds a time limit to a promise that has none, such as a call of a binding. Does not cancel the work.
 * @throws SilenceError on timeout
 */
export async function withinTime<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const stop = limits.start(milliseconds, () => late.reject(new SilenceError(`no answer in ${milliseconds} ms`)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    stop();
  }
}
