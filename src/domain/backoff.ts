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
const LONGEST_RECOVERY_SECONDS = 300;

/**
 * How long a job waits that makes up for a failed store: never longer than half of what has passed since, and 5 seconds.
 * So it is known when it has been tried at the latest, once the store is back; see recoveredWithinSeconds.
 * @param attempts tries so far, from 1
 */
export function recoverySeconds(attempts: number): number {
  return Math.floor(Math.min(LONGEST_RECOVERY_SECONDS, FIRST_SECONDS * 1.5 ** (attempts - 1)));
}

/** What a try and its way through the queue may take beside the pause. */
const RECOVERY_MARGIN_SECONDS = 30;

/**
 * Within how many seconds of a store's return a job has been tried that makes up for its failure.
 * @param ageMilliseconds how long ago the store failed
 */
export function recoveredWithinSeconds(ageMilliseconds: number): number {
  return Math.min(LONGEST_RECOVERY_SECONDS, Math.ceil(ageMilliseconds / 2000)) + RECOVERY_MARGIN_SECONDS;
}
