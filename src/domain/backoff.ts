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
