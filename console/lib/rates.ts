// Pure. The rates of a campaign, and how they differ from those of the time before.
import type { ReportRow } from "../answers.ts";
import { formatChange, formatShare } from "./numbers.ts";
import { reportedOf } from "./outcomes.ts";

export interface Rate {
  value: string;
  /** Null where there is nothing to compare with. */
  change: string | null;
  /** Whether the change is one that an account manager must see. */
  isBad: boolean;
}

type Kind = "delivered" | "clicked" | "optedOut";

type Row = Pick<ReportRow, Kind | "sent" | "undelivered">;

const WORSE: Record<Kind, { by: number; sign: 1 | -1; decimals: number }> = {
  delivered: { by: 2, sign: -1, decimals: 1 },
  clicked: { by: 3, sign: -1, decimals: 1 },
  optedOut: { by: 0.3, sign: 1, decimals: 2 },
};

/** Clicks and opt-outs are of the texts that a carrier has taken, delivered ones of those with a receipt. */
const wholeOf = (kind: Kind, row: Row) => (kind === "delivered" ? reportedOf(row) : row.sent);

/** In percent. A rate of fewer than 20 texts is compared with nothing. */
export function rateOf(kind: Kind, now: Row, before: Row | undefined): Rate {
  const { by, sign, decimals } = WORSE[kind];
  const percent = (row: Row) => ((row[kind] ?? 0) / wholeOf(kind, row)) * 100;
  const value = kind === "clicked" && !now.clicked ? "–" : formatShare(now[kind] ?? 0, wholeOf(kind, now), decimals);
  if (!before || wholeOf(kind, before) < 20 || wholeOf(kind, now) < 20 || value === "–")
    return { value, change: null, isBad: false };
  const difference = percent(now) - percent(before);
  return { value, change: formatChange(difference, decimals), isBad: difference * sign >= by };
}

/** `2026-11-25`, so many days before. */
export const dayBefore = (now: number, days: number): string =>
  new Date(now - days * 86_400_000).toISOString().slice(0, 10);
