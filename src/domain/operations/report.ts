// Pure. The report of a website: counts of its messages by day, purpose, country or another group.
import * as z from "zod";
import { DAY_MILLISECONDS, toDay } from "../day.ts";
import { localDay, startOfDay } from "../messages/local-clock.ts";
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
        "The country of the number: an ISO 3166-1 code, such as `US`. null: it has no number, or one of no country.",
      ),
    reason: z.enum(REASONS).nullish().describe("null: of messages without a reason."),
    ...countsOfStatus,
    held: held.optional(),
  });

export const reportSchema = z.object({
  websiteId: z.string().nullable().describe("null: all websites."),
  sendPurpose: z.string().nullable().describe("null: messages with any `sendPurpose`."),
  timeZone: z.string().describe("The IANA name of the zone whose days are meant."),
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

export function makeReport(question: Omit<Report, "rows" | "total">, counted: readonly ReportRow[]): Report {
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

/** Messages of a website that are counted together: those accepted from one time on, and before another. */
export interface Part {
  websiteId: string;
  /** Milliseconds since 1970, at the begin of a quarter of an hour. */
  from: number;
  until: number;
  /** The name of the group, unless a row is of a purpose, a country or a reason. */
  name: string;
}

/** Days of a time zone, both included. */
export type Days = Pick<Report, "timeZone" | "from" | "to">;

type Span = Pick<Part, "from" | "until">;

/** When the days begin and end: those on which the clock is changed have 23 or 25 hours. */
export const spanOf = ({ timeZone, from, to }: Days): Span => ({
  from: startOfDay(timeZone, Date.parse(from)),
  until: startOfDay(timeZone, Date.parse(to) + DAY_MILLISECONDS),
});

export const countDays = ({ from, to }: Pick<Days, "from" | "to">): number =>
  (Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS + 1;

/** Each day of a website on its own. */
export function splitByDay(websiteId: string, days: Days): Part[] {
  return Array.from({ length: countDays(days) }, (_, index) => {
    const day = toDay(Date.parse(days.from) + index * DAY_MILLISECONDS);
    return { websiteId, ...spanOf({ ...days, from: day, to: day }), name: day };
  });
}

/** A sender that a website had until it was changed. */
export interface SenderChange {
  websiteId: string;
  /** Milliseconds since 1970. */
  at: number;
  before: string | null;
}

/** The days of a website by its sender: the one that it had at the end of each day. @param changes of this website, in order */
export function splitBySender(
  { websiteId, sender }: { websiteId: string; sender: string | null },
  changes: SenderChange[],
  days: Days,
): Part[] {
  const { from, until } = spanOf(days);
  const dayOf = (at: number) => startOfDay(days.timeZone, Date.parse(localDay(days.timeZone, at)));
  const ends = changes.map(({ at, before }) => ({ end: dayOf(at), name: before ?? "" }));
  let start = from;
  const parts = [...ends, { end: until, name: sender ?? "" }].map(({ end, name }) => {
    const part = { websiteId, from: start, until: Math.min(end, until), name };
    start = Math.max(start, end);
    return part;
  });
  return parts.filter((part) => part.from < part.until);
}
