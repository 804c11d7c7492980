// Stores that never answer, and the time limits that end the wait for them: a test does not sit through those.

let over: Promise<unknown> | undefined;

/** The time limits of silent calls, in milliseconds, in their order. */
export const waited: number[] = [];

/**
 * A call that never answers.
 * @param effect what it does all the same; the time limit that is set for it next is over once this has ended
 */
export function silent<T>(effect: Promise<unknown> = Promise.resolve()): Promise<T> {
  over = effect;
  return new Promise(() => {});
}

/** To be asked as a time limit is set. @returns the end of it, where it was set for a silent call */
export function takeSilence(milliseconds: number): Promise<void> | undefined {
  const effect = over;
  over = undefined;
  if (effect) waited.push(milliseconds);
  return effect?.then(
    () => {},
    () => {},
  );
}

/** Forgets what an earlier test has left. */
export function forgetSilence(): void {
  over = undefined;
  waited.length = 0;
}
