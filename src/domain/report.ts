// Pure. The report of a website: counts of its messages by day or by purpose.
import * as z from "zod/mini";
import { MESSAGE_STATUSES, type MessageStatus } from "./message.ts";
import { REASONS, type Reason } from "./reason.ts";

const FAILURES = ["FAILED_TO_SEND", "FAILED_TO_DELIVERY", "NOT_FOUND", "NOT_SUBSCRIBED", "FAILED_TO_MATCH"] as const;

/** A function, so that the bundle of the Worker leaves it out: only the OpenAPI document needs it. */
export function reportSchema() {
  const counts = z.object({
    /** All messages: pending, sending, delivered and failed. */
    accepted: z.int(),
    pending: z.int(),
    /** Accepted by a carrier: sending, delivered or undelivered. */
    sent: z.int(),
    delivered: z.int(),
    failed: countsOf(FAILURES),
    /** Failed messages, and those whose outcome is unknown, by reason. A status of its own says enough without one. */
    reasons: countsOf(REASONS),
    /** Messages with a click by a person. */
    clicked: z.int(),
    /** Clicks by people; robotClicks by robots. */
    clicks: z.int(),
    robotClicks: z.int(),
    /** Messages that the person answered by opting out. */
    optedOut: z.int(),
    /** Segments of sent messages. */
    segments: z.int(),
  });
  return z.object({
    websiteId: z.string(),
    from: z.iso.date(),
    to: z.iso.date(),
    by: z.enum(["day", "purpose"]),
    rows: z.array(z.extend(counts, { day: z.optional(z.iso.date()), sendPurpose: z.optional(z.string()) })),
    total: counts,
  });
}

function countsOf<Name extends string>(names: readonly Name[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, z.int()])) as Record<Name, z.ZodMiniNumberFormat>);
}

export type Report = z.output<ReturnType<typeof reportSchema>>;

export type Counts = Report["total"];

/** Counts of one day, purpose and status. */
export interface ReportRow {
  day: string;
  sendPurpose: string;
  status: MessageStatus;
  messages: number;
  segments: number;
  clicked: number;
  clicks: number;
  robotClicks: number;
  optedOut: number;
  reasons: Partial<Record<Reason, number>>;
}

export function makeReport(
  question: Pick<Report, "websiteId" | "from" | "to" | "by">,
  counted: readonly ReportRow[],
): Report {
  const nameOf = (row: ReportRow) => (question.by === "day" ? row.day : row.sendPurpose);
  const groups = [...Map.groupBy(counted, nameOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = groups.map(([name, group]) => ({
    ...(question.by === "day" ? { day: name } : { sendPurpose: name }),
    ...count(group),
  }));
  return { ...question, rows, total: count(counted) };
}

/** A report as a table with a heading, without the total. */
export function toTable({ by, rows }: Report): (string | number)[][] {
  const name = by === "day" ? "day" : "sendPurpose";
  const table = rows.map((row) => flatten(row).map(([, count]) => count));
  const columns = flatten(count([])).map(([column]) => column);
  return [[name, ...columns], ...table.map((counts, index) => [rows[index]?.[name] ?? "", ...counts])];
}

function flatten({ failed, reasons, ...counts }: Counts): [column: string, count: number][] {
  const { accepted, pending, sent, delivered, clicked, clicks, robotClicks, optedOut, segments } = counts;
  const before = { accepted, pending, sent, delivered };
  return Object.entries({ ...before, ...failed, clicked, clicks, robotClicks, optedOut, segments, ...reasons });
}

function count(rows: readonly ReportRow[]): Counts {
  const sum = (
    field: keyof ReportRow & ("messages" | "segments" | "clicked" | "clicks" | "robotClicks" | "optedOut"),
  ) => rows.reduce((total, row) => total + row[field], 0);
  const of = (...statuses: MessageStatus[]) =>
    rows.filter(({ status }) => statuses.includes(status)).reduce((total, { messages }) => total + messages, 0);
  const because = (reason: Reason) => rows.reduce((total, { reasons }) => total + (reasons[reason] ?? 0), 0);
  return {
    accepted: of(...MESSAGE_STATUSES),
    pending: of("PENDING_TO_SEND"),
    sent: of("SENDING", "DELIVERED", "FAILED_TO_DELIVERY"),
    delivered: of("DELIVERED"),
    failed: Object.fromEntries(FAILURES.map((status) => [status, of(status)])) as Counts["failed"],
    reasons: Object.fromEntries(REASONS.map((reason) => [reason, because(reason)])) as Counts["reasons"],
    clicked: sum("clicked"),
    clicks: sum("clicks"),
    robotClicks: sum("robotClicks"),
    optedOut: sum("optedOut"),
    segments: sum("segments"),
  };
}
