// Pure. Whether what is counted by minute fails now: seen in time, and over with the first success after the repair.

/** What is counted in one minute with one outcome. Times are milliseconds since 1970. */
export interface MinuteOutcome {
  /** Minutes since 1970. */
  minute: number;
  outcome: string;
  count: number;
  firstAt: number;
  lastAt: number;
}

export const WINDOW_MINUTES = 5;

/** Fewer failures are no sign: a number may be wrong. */
const FEWEST_FAILURES = 3;

/**
 * More than half of the last five minutes failed, so did the latest minute of them, and nothing shows that it is over; or nothing has
 * succeeded since several failures, in the last hour.
 * @param ignored outcomes that are neither a success nor a failure
 */
export function isFailing(counts: MinuteOutcome[], nowMinute: number, ignored: readonly string[] = []): boolean {
  const known = counts.filter(({ outcome }) => !ignored.includes(outcome));
  const recent = known.filter(({ minute }) => minute > nowMinute - WINDOW_MINUTES);
  const latest = lastMinute(recent);
  const window = tally(recent);
  const end = tally(recent.filter(({ minute }) => minute === latest));
  const isMost = window.failed >= FEWEST_FAILURES && window.failed > window.accepted && end.failed >= end.accepted;
  if (isMost && !isOver(recent)) return true;
  const lastSuccess = lastMinute(known.filter(isSuccess));
  return tally(known.filter(({ minute }) => minute > lastSuccess)).failed >= FEWEST_FAILURES;
}

/**
 * After nothing but failures, the first success ends the problem. Where successes and failures are mixed, one success more proves
 * nothing.
 */
function isOver(counts: MinuteOutcome[]): boolean {
  const failures = counts.filter((it) => !isSuccess(it));
  const successes = counts.filter(isSuccess);
  const began = Math.min(...failures.map(({ firstAt }) => firstAt));
  const ended = lastAt(failures);
  const isBetween = (at: number) => at > began && at < ended;
  return lastAt(successes) >= ended && !successes.some((it) => isBetween(it.firstAt) || isBetween(it.lastAt));
}

/** A carrier has rejected our account, and has answered no submission otherwise since. */
export function isUnauthorized(counts: MinuteOutcome[]): boolean {
  const last = (...names: string[]) => lastAt(counts.filter(({ outcome }) => names.includes(outcome)));
  return last("unauthorized") > last("accepted", "refused", "limited");
}

/** -Infinity: there is none. */
const lastAt = (counts: MinuteOutcome[]) => Math.max(...counts.map((it) => it.lastAt));

const lastMinute = (counts: MinuteOutcome[]) => Math.max(...counts.map(({ minute }) => minute));

const isSuccess = ({ outcome }: MinuteOutcome) => outcome === "accepted";

function tally(counts: MinuteOutcome[]): { accepted: number; failed: number } {
  const sum = (isOf: boolean) =>
    counts.filter((it) => isSuccess(it) === isOf).reduce((total, { count }) => total + count, 0);
  return { accepted: sum(true), failed: sum(false) };
}
