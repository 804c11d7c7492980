/** Nothing was answered in time. What was asked may still be done. */
export class SilenceError extends Error {}

/** Starts the clock of a time limit. @returns what stops it */
type Clock = (milliseconds: number, onOver: () => void) => () => void;

/** In an object, so that a test can end a limit at once. A timer costs a sixth of what scheduler.wait does with its signal. */
export const limits: { start: Clock } = {
  start(milliseconds, onOver) {
    const timer = setTimeout(onOver, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * Waits for what has no time limit of its own, such as a binding. The work itself is not ended.
 * @throws SilenceError when the time is over
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
