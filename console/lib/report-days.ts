// Pure. The days of a report.
import type { Day, Report } from "../answers.ts";

const DAY_MILLISECONDS = 86_400_000;

/** Each of its days, in order. A report has no row of a day without a text. */
export function daysOf({ from, to, rows }: Report): Day[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: Math.round((last - first) / DAY_MILLISECONDS) + 1 }, (_, index) => {
    const day = new Date(first + index * DAY_MILLISECONDS).toISOString().slice(0, 10);
    const row = rows.find((it) => it.day === day);
    return {
      day,
      accepted: row?.accepted ?? 0,
      sent: row?.sent ?? 0,
      delivered: row?.delivered ?? 0,
      undelivered: row?.failed.FAILED_TO_DELIVERY ?? 0,
      clicked: row?.clicked ?? 0,
      optedOut: row?.optedOut ?? 0,
    };
  });
}
