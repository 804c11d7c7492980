import * as z from "zod";
import type { Deps } from "../deps.ts";
import type { Website } from "../domain/clients/website.ts";
import { DAY_MILLISECONDS, toDay } from "../domain/day.ts";
import { failField, parseFields, RequestFailure, readTogether, tryFields } from "../domain/failure.ts";
import { localDay } from "../domain/messages/local-clock.ts";
import { GROUPS, type GroupBy, reportSchema, toTable } from "../domain/operations/report.ts";
import { FILE_MARK, writeCsv } from "../domain/people/csv.ts";
import { timeZoneName } from "../domain/people/place-fields.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { reportOn } from "../flows/operations/make-report.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { listWebsites } from "../store/clients/websites.ts";
import type { Answers } from "./answers.ts";
import { operatorCall } from "./operator-call.ts";
import { readChoice, requireWebsite, WEBSITE } from "./params.ts";

const DAYS_WHEN_LEFT_OUT = 30;
export const LONGEST_DAYS = 400;
/** A report of all websites has no more days of websites: each has rows for the quarters of its hours with texts. */
export const MOST_WEBSITE_DAYS = 200_000;

const UTC = "UTC";

const reportAnswers = { Report: reportSchema };

export type ReportAnswers = Answers<typeof reportAnswers>;

const COUNTS = {
  ...{ accepted: 3, scheduled: 0, waiting: 0, notSubscribed: 1, endedBefore: 0, notTaken: 0 },
  ...{ sent: 2, noReceipt: 0, delivered: 2, undelivered: 0 },
  failed: { FAILED_TO_SEND: 0, FAILED_TO_DELIVERY: 0, NOT_FOUND: 0, NOT_SUBSCRIBED: 1, FAILED_TO_MATCH: 0 },
  reasons: {
    CANCELLED: 0,
    EXPIRED: 0,
    QUIET_HOURS: 0,
    FREQUENCY_CAP: 0,
    UNREACHABLE: 0,
    CARRIER_REFUSED: 0,
    CARRIER_FILTERED: 0,
    SENDER_LIMIT: 0,
    CARRIER_UNAVAILABLE: 0,
    CARRIER_NOT_SET_UP: 0,
    MEDIA_NOT_SUPPORTED: 0,
    OPTED_OUT: 1,
    OUTCOME_UNKNOWN: 0,
    UNDELIVERED: 0,
    NO_RECEIPT: 0,
  },
  clicked: 1,
  clicks: 2,
  robotClicks: 1,
  optedOut: 0,
  segments: 2,
} satisfies Omit<ReportAnswers["Report"]["total"], "held">;

const REPORT = {
  websiteId: "brand",
  sendPurpose: null,
  timeZone: "UTC",
  from: "2026-11-20",
  to: "2026-11-21",
  by: "day",
  asOf: TIME,
  rows: [{ day: "2026-11-21", ...COUNTS }],
  total: { ...COUNTS, held: 0 },
} satisfies ReportAnswers["Report"];

const CSV = {
  mediaType: "text/csv",
  schema: z.string(),
  example: FILE_MARK + writeCsv(toTable(REPORT)),
};

const parameters = (by: GroupBy) => [
  inQuery("from", "The first day, such as `2026-11-20`, at most 400 days before the last. Default: 30 days in all.", {
    format: "date",
  }),
  inQuery("to", "The last day. Default: today.", { format: "date" }),
  inQuery("timeZone", "Whose days are meant: an IANA name, such as `America/New_York`.", { default: UTC }),
  inQuery("purpose", "Only messages with this `sendPurpose`. Default: all."),
  inQuery("by", "How the rows are grouped.", { enum: Object.keys(GROUPS), default: by }),
  inQuery("format", "`csv` is safe to open in a spreadsheet: an apostrophe precedes what looks like a formula.", {
    ...{ enum: ["json", "csv"], default: "json" },
  }),
];

const ROWS = "A row for each group with messages, and the total.";

const OPTIONS = {
  csv: { field: "format", sets: "csv", summary: "CSV for a spreadsheet; npm run -s operator prints nothing else." },
};

const get = operatorCall({
  id: "getReport",
  method: "GET",
  path: "/operator/websites/:websiteId/report",
  tag: "Websites",
  summary: "Count the messages of a website",
  description:
    "Accepted messages and what has become of them, failures by status and by reason, clicked messages, opt-outs, and segments of sent messages; by day of acceptance, sendPurpose, country of the number, reason or sender. Exact, purged messages included. By reason, a message without one is in the row null. By sender, a day counts for the sender that the website had at its end.",
  database: "named",
  parameters: [WEBSITE, ...parameters("day")],
  answers: [{ ...ok(reportAnswers.Report, ROWS, REPORT), other: CSV }],
  errors: ["resource-unknown", "fields-wrong"],
  namesNobody: true,
  command: { name: "report", options: OPTIONS },
  run: async (request, deps) => {
    const website = await requireWebsite(request, deps);
    return answerReport(request, deps, [website], { websiteId: website.websiteId, by: "day" });
  },
});

const getOfAll = operatorCall({
  id: "getReportOfAll",
  method: "GET",
  path: "/operator/report",
  tag: "Websites",
  summary: "Count the messages of all websites",
  description:
    "Counts as the report of one website does, also by website. Websites times days are at most 200,000, for example 1,000 websites and 200 days.",
  parameters: parameters("website"),
  answers: [
    {
      ...ok(reportAnswers.Report, ROWS, {
        ...{ ...REPORT, websiteId: null, by: "website", rows: [{ websiteId: "brand", ...COUNTS, held: 0 }] },
      }),
      other: CSV,
    },
  ],
  errors: ["fields-wrong"],
  namesNobody: true,
  command: { name: "report", options: OPTIONS, chosenBy: { option: "all", summary: "Report all websites." } },
  run: async (request, deps) => {
    const { answers, missing } = await askEach(deps, ({ db }) => listWebsites(db));
    if (missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
    return answerReport(request, deps, answers.flat(), { websiteId: null, by: "website" });
  },
});

/** @param otherwise what is not given */
async function answerReport(
  request: ApiRequest,
  deps: Deps,
  websites: Website[],
  otherwise: { websiteId: string | null; by: GroupBy },
): Promise<Response> {
  const zone = tryFields(zoneFields, zoneOf(request)).data?.timeZone ?? UTC;
  const { by, format, range, timeZone } = readTogether({
    by: () => readChoice(request, "by", Object.keys(GROUPS) as GroupBy[]) ?? otherwise.by,
    format: () => readChoice(request, "format", ["json", "csv"]),
    range: () => readRange(request, websites.length, localDay(zone, deps.now())),
    timeZone: () => parseFields(zoneFields, zoneOf(request)).timeZone,
  });
  const sendPurpose = String(request.query.purpose ?? "") || null;
  const question = { ...otherwise, sendPurpose, timeZone, ...range, by };
  const report: ReportAnswers["Report"] = await reportOn(deps, websites, question);
  if (format !== "csv") return Response.json(report);
  return new Response(FILE_MARK + writeCsv(toTable(report)), {
    headers: { "content-type": "text/csv; charset=utf-8" },
  });
}

const zoneFields = z.object({ timeZone: timeZoneName.prefault(UTC).transform((name) => name || UTC) });

const zoneOf = ({ query: { timeZone } }: ApiRequest) => ({ timeZone });

function readRange({ query }: ApiRequest, websites: number, today: string): { from: string; to: string } {
  const given = readTogether({ from: () => readDay("from", query.from), to: () => readDay("to", query.to) });
  const to = given.to ?? today;
  const from = given.from ?? toDay(Date.parse(to) - (DAYS_WHEN_LEFT_OUT - 1) * DAY_MILLISECONDS);
  if (from > to) failField("from", `must not be after ${to}`);
  const longest = Math.min(LONGEST_DAYS, Math.floor(MOST_WEBSITE_DAYS / websites));
  const isTooLong = Date.parse(to) - Date.parse(from) > longest * DAY_MILLISECONDS;
  if (isTooLong) failField("from", `must not be more than ${longest} days before ${to}`);
  return { from, to };
}

function readDay(field: string, given: string | string[] | undefined): string | undefined {
  if (given === undefined || given === "") return undefined;
  const isDay = typeof given === "string" && /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given));
  return isDay && toDay(Date.parse(given)) === given ? given : failField(field, "must be a day, such as 2026-11-21");
}

export const reports: Resource = { calls: [get, getOfAll], schemas: reportAnswers };
