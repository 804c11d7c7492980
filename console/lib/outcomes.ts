// Pure. What became of accepted texts, as each page shows it: the parts add up, and a rate says what it leaves out.
import type { WebsiteNow } from "../answers.ts";
import { countOf, formatCount, formatShare, sumOf } from "./numbers.ts";

type Figures = WebsiteNow["month"];

/** The counts that are always known: pending texts are not always told apart. */
export type Outcomes = Omit<Figures, "scheduled" | "waiting" | "held">;

export type Class = Exclude<keyof Figures, "accepted" | "sent" | "held">;

/** Each accepted text is in one of them. */
export const CLASSES: [name: Class, words: string, meaning: string][] = [
  ["scheduled", "Scheduled", "for a later time, or for sending hours"],
  ["waiting", "Waiting", "for their turn, for the carrier, or held"],
  ["notSubscribed", "Not subscribed", "opted out, never subscribed, or no number"],
  ["endedBefore", "Ended before", "cancelled, too late, over the cap, or outside hours"],
  ["notTaken", "Not taken", "the carrier refused them, or could not be reached"],
  ["noReceipt", "No receipt", "the carrier has them"],
  ["delivered", "Delivered", "they arrived"],
  ["undelivered", "Undelivered", "they did not arrive"],
];

/** Its word in a search: `no-receipt`. */
export const wordOf = (name: Class): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Why texts were not sent, each class as `4 not taken`. */
export const reasonsOf = (counts: Partial<Figures>): [name: Class, words: string][] =>
  CLASSES.slice(2, 5).flatMap(([name, words]) =>
    counts[name] ? [[name, `${formatCount(counts[name])} ${words.toLowerCase()}`]] : [],
  );

/** Those with a receipt, of which some arrived. */
export const reportedOf = ({ delivered, undelivered }: Pick<Figures, "delivered" | "undelivered">): number =>
  delivered + undelivered;

const notSentOf = ({ notSubscribed, endedBefore, notTaken }: Outcomes) => notSubscribed + endedBefore + notTaken;

/** Texts that have neither gone nor ended. */
export const pendingOf = (counts: Outcomes): number => counts.accepted - counts.sent - notSentOf(counts);

/** The parts of the accepted texts, as tiles, tables and charts name them. */
export const partsOf = (counts: Outcomes): [label: string, count: number][] => [
  ["Delivered", counts.delivered],
  ["Undelivered", counts.undelivered],
  ["No receipt", counts.noReceipt],
  ["Waiting", pendingOf(counts)],
  ["Not sent", notSentOf(counts)],
];

/** The accepted texts and their parts, as a box and a table beside a chart have them. */
export const readingOf = (counts: Outcomes): [label: string, count: number][] => [
  ["Accepted", counts.accepted],
  ...partsOf(counts),
];

export const countsOf = (counts: Outcomes): number[] => readingOf(counts).map(([, count]) => count);

export function totalOf(rows: readonly Outcomes[]): Outcomes {
  const names = ["accepted", "sent", ...CLASSES.slice(2).map(([name]) => name)] as (keyof Outcomes)[];
  return Object.fromEntries(names.map((name) => [name, sumOf(rows, name)])) as unknown as Outcomes;
}

export const HEADS: string[] = readingOf(totalOf([])).map(([label]) => label);

/** `6 not sent`; empty where all were. */
export function notSentWords(counts: Outcomes): string {
  const count = notSentOf(counts);
  return count > 0 ? `${formatCount(count)} not sent` : "";
}

/** `98.4 % of 2,931 texts with a receipt arrived; 6 not sent`. */
export function arrivedWords(counts: Outcomes): string {
  const reported = reportedOf(counts);
  const arrived =
    reported > 0
      ? `${formatShare(counts.delivered, reported)} of ${countOf(reported, "text")} with a receipt arrived`
      : "No receipt has come";
  return [arrived, notSentWords(counts)].filter(Boolean).join("; ");
}
