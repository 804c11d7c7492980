// Pure. How long to wait before a carrier is asked again, or a job is run again.

const FIRST_SECONDS = 5;
const LONGEST_SECONDS = 600;

/**
 * Exponential backoff with full jitter over its upper half.
 * @param attempts submissions tried so far, from 1
 * @param random a number from 0 to 1
 * @returns whole seconds, 3 to 600, or to `longestSeconds`
 */
export function backoffSeconds(attempts: number, random: number, longestSeconds = LONGEST_SECONDS): number {
  const ceiling = Math.min(longestSeconds, FIRST_SECONDS * 2 ** Math.min(attempts - 1, 20));
  return Math.ceil(ceiling / 2 + (ceiling / 2) * random);
}

/** As long as a job waits at most that makes up for a failed store, before it is tried again. */
export const LONGEST_RECOVERY_SECONDS = 300;

/**
 * How long a job waits that makes up for a failed store: never longer than half of what has passed since, and 5 seconds. So
 * whoever waits half as long again as something is old, LONGEST_RECOVERY_SECONDS at most, and some seconds more, comes after
 * the job, however long the store was away.
 * @param attempts tries so far, from 1
 */
export function recoverySeconds(attempts: number): number {
  return Math.floor(Math.min(LONGEST_RECOVERY_SECONDS, FIRST_SECONDS * 1.5 ** (attempts - 1)));
}
