// What is counted of the last five minutes and of the last hour, as the state of the service shows it.
import {
  bySender,
  commonestCause,
  countReceipts,
  countTexts,
  type ReceiptCount,
  sumOf,
} from "../../domain/messages/deliveries.ts";
import { WINDOW_MINUTES } from "../../domain/operations/outcome-trend.ts";
import {
  ANSWERED,
  type ObservedState,
  RECEIPT_OUTCOMES,
  type SenderState,
} from "../../domain/operations/service-state.ts";
import { minuteOf, type OutcomeCount } from "../../store/operations/outcome-counts.ts";

/** @param own false: not known */
export function countOutcomes<Name extends string>(names: readonly Name[], own: OutcomeCount[] | false, now: number) {
  return inBothTimes(now, (after) =>
    byName(names, (name) =>
      own ? sumOf(own.filter(({ outcome, minute }) => outcome === name && minute > after)) : null,
    ),
  );
}

const byName = <Name extends string>(names: readonly Name[], read: (name: Name) => number | null) =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, number | null>;

/** @param read counts what is of a later minute */
const inBothTimes = <Counts>(now: number, read: (afterMinute: number) => Counts) => ({
  lastFiveMinutes: read(minuteOf(now) - WINDOW_MINUTES),
  lastHour: read(0),
});

export const asRefused = (post: OutcomeCount): OutcomeCount =>
  post.outcome.startsWith(ANSWERED) ? { ...post, outcome: "refused" } : post;

export function countAnswers(posts: OutcomeCount[], now: number): ObservedState["callbacks"]["answered"] {
  const names = [...new Set(posts.map(({ outcome }) => outcome))].filter((name) => name.startsWith(ANSWERED)).sort();
  const { lastFiveMinutes, lastHour } = countOutcomes(names, posts, now);
  return names.map((name) => ({
    status: Number(name.slice(ANSWERED.length)),
    lastFiveMinutes: lastFiveMinutes[name] ?? 0,
    lastHour: lastHour[name] ?? 0,
  }));
}

/** @param own false: not known */
export function countArrivals(own: { submissions: OutcomeCount[]; receipts: ReceiptCount[] } | false, now: number) {
  return inBothTimes(now, (after) =>
    own ? countTexts(own.submissions, own.receipts, after) : byName(RECEIPT_OUTCOMES, () => null),
  );
}

/** More would make the answer long, and tell no more. */
const MOST_SENDERS = 100;

export function countSenders(receipts: ReceiptCount[], now: number): SenderState[] {
  const senders = bySender(receipts).map(
    ({ carrier, sender, own }): SenderState => ({
      carrier,
      sender: sender || null,
      ...inBothTimes(now, (after) => countReceipts(own, after)),
      cause: commonestCause(own),
    }),
  );
  return senders.sort((a, b) => b.lastHour.undelivered - a.lastHour.undelivered).slice(0, MOST_SENDERS);
}
