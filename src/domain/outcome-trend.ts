// Pure. Whether what is counted by minute fails now: seen in time, and over soon after the repair.

export interface MinuteOutcome {
  /** Minutes since 1970. */
  minute: number;
  outcome: string;
  count: number;
}

export const WINDOW_MINUTES = 5;

/** Fewer failures are no sign: a number may be wrong. */
const FEWEST_FAILURES = 3;

/**
 * More than half of the last five minutes failed, and so did the latest minute of them; or nothing has succeeded since several
 * failures, in the last hour.
 * @param ignored outcomes that are neither a success nor a failure
 */
export function isFailing(counts: MinuteOutcome[], nowMinute: number, ignored: readonly string[] = []): boolean {
  const known = counts.filter(({ outcome }) => !ignored.includes(outcome));
  const recent = known.filter(({ minute }) => minute > nowMinute - WINDOW_MINUTES);
  const latest = lastMinute(recent);
  const window = tally(recent);
  const end = tally(recent.filter(({ minute }) => minute === latest));
  if (window.failed >= FEWEST_FAILURES && window.failed > window.accepted && end.failed >= end.accepted) return true;
  const lastSuccess = lastMinute(known.filter(({ outcome }) => outcome === "accepted"));
  return tally(known.filter(({ minute }) => minute > lastSuccess)).failed >= FEWEST_FAILURES;
}

/** -Infinity: there is none. */
export function lastMinute(counts: MinuteOutcome[]): number {
  return Math.max(...counts.map(({ minute }) => minute));
}

function tally(counts: MinuteOutcome[]): { accepted: number; failed: number } {
  const sum = (isOf: boolean) =>
    counts.filter(({ outcome }) => (outcome === "accepted") === isOf).reduce((total, { count }) => total + count, 0);
  return { accepted: sum(true), failed: sum(false) };
}
