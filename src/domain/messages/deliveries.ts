// Pure. Whether texts arrive: what the receipts of the texts of the last hour say, by carrier and sender.
import { type MinuteOutcome, WINDOW_MINUTES } from "../operations/outcome-trend.ts";

/** Final receipts of texts that were submitted in one minute. Times are milliseconds since 1970. */
export interface ReceiptCount {
  /** The minute of the submission, since 1970. */
  minute: number;
  carrier: string;
  /** The sender of the website; `""` for none. */
  sender: string;
  /** See reason.ts; `""`: delivered. */
  reason: string;
  /** The carrier's own; `""` for none. */
  code: string;
  count: number;
  /** When the first and the last of the texts were submitted. */
  firstAt: number;
  lastAt: number;
}

/**
 * How many texts must fail to be a problem. In an ordinary list, up to 10 or 15 in 100 numbers cannot be reached. So the problem begins
 * beyond 30 in 100, and three failures later, because few texts may all go to wrong numbers: 5 of 5, 7 of 10, 10 of 20, 34 of 100, 304
 * of 1,000. Where 10 in 100 numbers are wrong, chance alone brings that about in at most one of 15,000 hours; where 15 are, in one of
 * 1,500 hours with a dozen texts, and in one of 500,000 with a hundred. A busy sender is to be seen to fail before the hour is over, so its
 * last five minutes are looked at, too. These are looked at so often that more than half must fail: 7 of 7, 9 of 10, 14 of 20.
 */
const ORDINARY_FAILURES = 3;
const LARGEST_SHARE = { hour: 0.3, fiveMinutes: 0.5 };

/** So many failures in a row are an outage: see LARGEST_SHARE. */
const FEWEST_TEXTS = 5;

/** A carrier confirms most texts within seconds, and nearly all within minutes. */
const RECEIPT_MINUTES = 15;

const isDelivered = ({ reason }: ReceiptCount) => reason === "";

export const sumOf = (counts: { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0);

/** The receipts of each sender of each carrier. */
export function bySender(counts: ReceiptCount[]): { carrier: string; sender: string; own: ReceiptCount[] }[] {
  const keyOf = ({ carrier, sender }: ReceiptCount) => JSON.stringify([carrier, sender]);
  return [...Map.groupBy(counts, keyOf).values()].flatMap((own) => {
    const [first] = own;
    return first ? { carrier: first.carrier, sender: first.sender, own } : [];
  });
}

/** A text with an unknown outcome may get a receipt, too. */
const SUBMITTED = ["accepted", "unknown"];

/** What became of the texts that were submitted after that minute. */
export function countTexts(submissions: MinuteOutcome[], receipts: ReceiptCount[], afterMinute: number) {
  const texts = sumOf(submissions.filter((it) => SUBMITTED.includes(it.outcome) && it.minute > afterMinute));
  const { delivered, undelivered } = countReceipts(receipts, afterMinute);
  return { delivered, undelivered, "no-receipt": Math.max(0, texts - delivered - undelivered) };
}

export function countReceipts(receipts: ReceiptCount[], afterMinute: number) {
  const recent = receipts.filter(({ minute }) => minute > afterMinute);
  const delivered = sumOf(recent.filter(isDelivered));
  return { delivered, undelivered: sumOf(recent) - delivered };
}

export const HOUR_MINUTES = 60;

/**
 * Senders whose texts do not arrive, and why most of these did not. A part of an hour, or of five minutes, is not judged: what is missing may
 * have arrived.
 * @param countedAfter the counts of the minutes after this one are there
 */
export function findFailingSenders(counts: ReceiptCount[], nowMinute: number, countedAfter: number) {
  const isWhole = (minutes: number) => countedAfter <= nowMinute - minutes;
  return bySender(counts).flatMap(({ carrier, sender, own }) => {
    const hour = isWhole(HOUR_MINUTES) ? sinceRepair(own) : [];
    const recent = own.filter(({ minute }) => minute > nowMinute - WINDOW_MINUTES);
    const fiveMinutes = isWhole(WINDOW_MINUTES) ? sinceRepair(recent) : [];
    const failing = isTooMuch(hour, LARGEST_SHARE.hour)
      ? hour
      : isTooMuch(fiveMinutes, LARGEST_SHARE.fiveMinutes)
        ? fiveMinutes
        : [];
    return failing.length === 0 ? [] : { carrier, sender: sender || null, cause: commonestCause(failing) };
  });
}

function isTooMuch(counts: ReceiptCount[], largestShare: number): boolean {
  const failed = sumOf(counts.filter((it) => !isDelivered(it)));
  return failed > ORDINARY_FAILURES + largestShare * sumOf(counts);
}

/** Such as `CARRIER_FILTERED, 30007 × 28 of 30`; null: none has failed. */
export function commonestCause(counts: ReceiptCount[]): string | null {
  const causeOf = ({ reason, code }: ReceiptCount) => (code ? `${reason}, ${code}` : reason);
  const failed = counts.filter((it) => !isDelivered(it));
  const causes = [...Map.groupBy(failed, causeOf)].map(([cause, some]) => ({ cause, count: sumOf(some) }));
  const [first] = causes.sort((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1));
  return first ? `${first.cause} × ${first.count} of ${sumOf(counts)}` : null;
}

/**
 * The receipts since the latest outage that is over: five texts in a row failed, with none delivered among them, and one that was
 * submitted after them was delivered. Receipts come in another order: a filter answers at once, a phone may take a while.
 */
function sinceRepair(counts: ReceiptCount[]): ReceiptCount[] {
  const ordered = counts.toSorted((a, b) => a.firstAt - b.firstAt);
  let failed = 0;
  let start = 0;
  for (const [place, it] of ordered.entries()) {
    if (isDelivered(it)) {
      if (failed >= FEWEST_TEXTS) start = place;
      failed = 0;
    } else failed = ordered.some((other) => isDelivered(other) && isAmong(other, it)) ? 0 : failed + it.count;
  }
  return ordered.slice(start);
}

const isAmong = (a: ReceiptCount, b: ReceiptCount) => a.firstAt <= b.lastAt && a.lastAt >= b.firstAt;

/**
 * Carriers from which no receipt comes: in the last hour they accepted five texts or more, each at least 15 minutes ago and after the
 * last text that has a receipt, and for 15 minutes no receipt has come at all. Single texts to a country whose networks confirm nothing
 * are no problem. Neither is a carrier that is slow to send: its receipts go on coming.
 * @param submissions of the last hour
 * @param received when receipts came, by carrier
 */
export function findSilentCarriers(
  submissions: (MinuteOutcome & { carrier: string })[],
  receipts: ReceiptCount[],
  received: Pick<MinuteOutcome & { carrier: string }, "carrier" | "lastAt">[],
  nowMinute: number,
) {
  const accepted = Map.groupBy(
    submissions.filter(({ outcome, minute }) => outcome === "accepted" && minute < nowMinute - RECEIPT_MINUTES),
    ({ carrier }) => carrier,
  );
  return [...accepted].flatMap(([carrier, texts]) => {
    const own = receipts.filter((it) => it.carrier === carrier);
    const last = Math.max(...received.filter((it) => it.carrier === carrier).map(({ lastAt }) => lastAt));
    const lastMinute = Math.max(...own.map(({ minute }) => minute));
    const silent = sumOf(texts.filter(({ minute }) => minute > lastMinute));
    if (silent < FEWEST_TEXTS || last >= (nowMinute - RECEIPT_MINUTES) * 60_000) return [];
    const since = last === Number.NEGATIVE_INFINITY ? null : new Date(last).toISOString();
    return { carrier, since, cause: `no receipt of ${silent} texts within ${RECEIPT_MINUTES} minutes` };
  });
}
