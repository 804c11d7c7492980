// Pure. What has become of the texts of some minutes or days, from the rows of the table counts and the pending texts.
import { type ClassCounts, type Figures, OUTCOME_CLASSES, toFigures } from "../messages/outcome-class.ts";

/** A row of the table counts, or of pending texts. */
export interface CountRow {
  /** A website; `""`: all of them. */
  subject: string;
  span: "minute" | "day";
  /** Minutes or days since 1970. */
  at: number;
  /** accepted, a class of an outcome, clicked, optedOut, joined, parted; of pending texts, scheduled or held. */
  kind: string;
  /** The carrier of an outcome, in a minute. */
  detail: string;
  count: number;
}

/** Pending texts of a website that were accepted in one minute of the last hour, or earlier on that day. */
export interface PendingRow {
  websiteId: string;
  day: number;
  /** null: before the last hour. */
  minute: number | null;
  count: number;
}

/** null: too many are pending to tell. `held` is a part of `waiting`. */
export type Traffic = Omit<Figures, "scheduled" | "waiting"> & Record<"scheduled" | "waiting" | "held", number | null>;

/** Whether it is known which of the pending texts are scheduled, and which of those that wait are held. */
export interface Known {
  scheduled: boolean;
  held: boolean;
}

export function toCountRows(kind: "accepted" | "scheduled" | "held", pending: PendingRow[]): CountRow[] {
  return pending.flatMap(({ websiteId: subject, day, minute, count }) => {
    const row = { subject, kind, detail: "", count };
    const ofDay: CountRow = { ...row, span: "day", at: day };
    return minute === null ? [ofDay] : [ofDay, { ...row, span: "minute", at: minute }];
  });
}

export const countOf = (rows: CountRow[], kind: string) =>
  rows.reduce((sum, row) => (row.kind === kind ? sum + row.count : sum), 0);

/** The texts that are accepted, and in no class yet. */
function pendingOf(rows: CountRow[]) {
  const ended = OUTCOME_CLASSES.filter((kind) => kind !== "scheduled" && kind !== "waiting");
  return Math.max(0, countOf(rows, "accepted") - ended.reduce((sum, kind) => sum + countOf(rows, kind), 0));
}

/** @param rows of one span */
export function trafficOf(rows: CountRow[], known: Known): Traffic {
  const pending = pendingOf(rows);
  const scheduled = Math.min(pending, countOf(rows, "scheduled"));
  const waiting = pending - scheduled;
  const counts = Object.fromEntries(OUTCOME_CLASSES.map((kind) => [kind, countOf(rows, kind)])) as ClassCounts;
  const figures = toFigures({ ...counts, scheduled, waiting });
  if (!known.scheduled) return { ...figures, scheduled: null, waiting: null, held: null };
  return { ...figures, held: known.held ? Math.min(waiting, countOf(rows, "held")) : null };
}

/** All that waits of a website, minute by minute and day by day, as held. */
export function holdAll(rows: CountRow[]): CountRow[] {
  const places = Map.groupBy(rows, ({ span, at }) => `${span} ${at}`);
  return [...places.values()].flatMap((own) => {
    const [first] = own as [CountRow];
    const { waiting } = trafficOf(own, { scheduled: true, held: false });
    return { ...first, kind: "held", detail: "", count: waiting ?? 0 };
  });
}
