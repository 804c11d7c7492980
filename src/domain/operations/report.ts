// Pure. The report of a website: counts of its messages by day, purpose, country or another group.
import * as z from "zod";
import { dayAfter, dayBefore } from "../day.ts";
import type { MessageStatus } from "../messages/message.ts";
import { classOf, countClasses, figuresShape, toFigures } from "../messages/outcome-class.ts";
import { REASONS, type Reason } from "../messages/reason.ts";

const FAILURES = ["FAILED_TO_SEND", "FAILED_TO_DELIVERY", "NOT_FOUND", "NOT_SUBSCRIBED", "FAILED_TO_MATCH"] as const;

/** What a row of a report counts, and the field that names it. */
export const GROUPS = {
  day: "day",
  purpose: "sendPurpose",
  website: "websiteId",
  sender: "sender",
  reason: "reason",
  country: "country",
} as const;

export type GroupBy = keyof typeof GROUPS;

const held = z.int().describe("Those among `waiting` that an operator holds.");

const countsOfStatus = {
  ...figuresShape,
  failed: countsOf(FAILURES),
  reasons: countsOf(REASONS).describe("Failed messages, and those whose outcome is unknown, by reason."),
};

const otherCounts = {
  clicked: z.int().describe("Messages with a click by a person."),
  clicks: z.int().describe("Clicks by people."),
  robotClicks: z.int(),
  optedOut: z.int().describe("Messages that the person answered by opting out."),
  segments: z.int().describe("Segments of sent messages."),
};

/** A row has the name of its group. */
const rowSchema = z
  .object(otherCounts)
  .partial()
  .extend({
    day: z.iso.date().optional(),
    sendPurpose: z.string().optional(),
    websiteId: z.string().optional(),
    sender: z.string().nullish().describe("null: of a website without a sender."),
    country: z
      .string()
      .nullish()
      .describe(
        "Of the recipient's number, as an ISO 3166-1 code such as `US`. null: none, as of an e-mail address without a number.",
      ),
    reason: z.enum(REASONS).nullish().describe("null: of messages without a reason."),
    ...countsOfStatus,
    held: held.optional(),
  });

export const reportSchema = z.object({
  websiteId: z.string().nullable().describe("null: all websites."),
  from: z.iso.date(),
  to: z.iso.date(),
  by: z.enum(Object.keys(GROUPS) as GroupBy[]),
  asOf: z.iso.datetime().describe("What came before is counted."),
  rows: z
    .array(rowSchema)
    .describe("By reason, without clicks, opt-outs and segments: they are not counted by it. By day, without `held`."),
  total: z.object({ ...countsOfStatus, held, ...otherCounts }),
});

function countsOf<Name extends string>(names: readonly Name[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, z.int()])) as Record<Name, z.ZodInt>);
}

export type Report = z.output<typeof reportSchema>;

export type Counts = Report["total"];

type CountsOfStatus = Omit<Counts, "held" | "clicked" | "clicks" | "robotClicks" | "optedOut" | "segments">;

/** Counts of one group, status and reason. */
export interface ReportRow {
  /** The name of the group; `""`: it has none. By reason, any name. */
  name: string;
  status: MessageStatus;
  reason: Reason | null;
  /** Pending, and its time or its sending hours are ahead. */
  isAhead: boolean;
  /** Waiting, and an operator holds it. */
  isHeld: boolean;
  messages: number;
  segments: number;
  clicked: number;
  clicks: number;
  robotClicks: number;
  optedOut: number;
}

export function makeReport(
  question: Pick<Report, "websiteId" | "from" | "to" | "by" | "asOf">,
  counted: readonly ReportRow[],
): Report {
  const { by } = question;
  const groups = Map.groupBy(counted, ({ name, reason }) => (by === "reason" ? (reason ?? "") : name));
  const rows = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => ({
      // Every other group has a name.
      [GROUPS[by]]: name || null,
      ...countGroup(by, group),
    }));
  return { ...question, rows: rows as Report["rows"], total: count(counted) };
}

function countGroup(by: GroupBy, group: readonly ReportRow[]): Partial<Counts> {
  if (by === "reason") return countStatuses(group);
  const { held, ...counts } = count(group);
  return by === "day" ? counts : { ...counts, held };
}

/** A report as a table with a heading, without the total. */
export function toTable({ by, rows }: Report): (string | number)[][] {
  const flatten = (counts: CountsOfStatus) =>
    flattenCounts(counts, by !== "reason").filter(([column]) => by !== "day" || column !== "held");
  const columns = flatten(count([])).map(([column]) => column);
  const unnamed = by === "country" ? "none" : "";
  const table = rows.map((row) => [row[GROUPS[by]] ?? unnamed, ...flatten(row).map(([, count]) => count)]);
  return [[GROUPS[by], ...columns], ...table];
}

function flattenCounts(counts: CountsOfStatus & Partial<Counts>, hasAll: boolean): [column: string, count: number][] {
  const { failed, reasons, accepted, scheduled, waiting, held = 0, ...others } = counts;
  const { notSubscribed, endedBefore, notTaken, sent, noReceipt, delivered, undelivered } = others;
  const { clicked = 0, clicks = 0, robotClicks = 0, optedOut = 0, segments = 0 } = others;
  const ended = { notSubscribed, endedBefore, notTaken, sent, noReceipt, delivered, undelivered };
  const ofStatus = { accepted, scheduled, waiting, held, ...ended, ...failed };
  const all = { ...ofStatus, clicked, clicks, robotClicks, optedOut, segments, ...reasons };
  return Object.entries(hasAll ? all : ofStatus);
}

function count(rows: readonly ReportRow[]): Counts {
  const sum = (
    field: keyof ReportRow & ("messages" | "segments" | "clicked" | "clicks" | "robotClicks" | "optedOut"),
  ) => rows.reduce((total, row) => total + row[field], 0);
  return {
    ...countStatuses(rows),
    clicked: sum("clicked"),
    clicks: sum("clicks"),
    robotClicks: sum("robotClicks"),
    optedOut: sum("optedOut"),
    segments: sum("segments"),
  };
}

function countStatuses(rows: readonly ReportRow[]): CountsOfStatus & Pick<Counts, "held"> {
  const sum = (some: readonly ReportRow[]) => some.reduce((total, { messages }) => total + messages, 0);
  const of = (...statuses: MessageStatus[]) => sum(rows.filter(({ status }) => statuses.includes(status)));
  const because = (reason: Reason) => sum(rows.filter((row) => row.reason === reason));
  return {
    ...toFigures(countClasses(rows, (row) => [classOf(row.status, row.reason, row.isAhead), row.messages])),
    held: sum(rows.filter(({ isHeld }) => isHeld)),
    failed: Object.fromEntries(FAILURES.map((status) => [status, of(status)])) as Counts["failed"],
    reasons: Object.fromEntries(REASONS.map((reason) => [reason, because(reason)])) as Counts["reasons"],
  };
}

/** Days of a website that are counted together, both included. */
export interface Part {
  websiteId: string;
  from: string;
  to: string;
  /** The name of the group, unless a row is of a day, a purpose, a country or a reason. */
  name: string;
}

/** A sender that a website had until it was changed. */
export interface SenderChange {
  websiteId: string;
  /** Milliseconds since 1970. */
  at: number;
  /** UTC, such as 2026-11-21. */
  day: string;
  before: string | null;
}

/** The days of a website by its sender: the one that it had at the end of each day. @param changes of this website, in order */
export function splitBySender(
  { websiteId, sender }: { websiteId: string; sender: string | null },
  changes: SenderChange[],
  { from, to }: { from: string; to: string },
): Part[] {
  const ends = changes.map(({ day, before }) => ({ end: dayBefore(day), name: before ?? "" }));
  let start = from;
  const parts = [...ends, { end: to, name: sender ?? "" }].map(({ end, name }) => {
    const part = { websiteId, from: start, to: end < to ? end : to, name };
    if (end >= start) start = dayAfter(end);
    return part;
  });
  return parts.filter((part) => part.from <= part.to);
}
