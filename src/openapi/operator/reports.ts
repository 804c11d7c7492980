import * as z from "zod";
import { GROUPS, type GroupBy } from "../../domain/operations/report.ts";
import { type ReportAnswers, reportAnswers } from "../../http/operator/reports.ts";
import { type ApiOperation, ok, type Parameter } from "../operation.ts";
import { type Resource, WEBSITE_PARAMETER } from "./resource.ts";

const COUNTS = {
  accepted: 3,
  pending: 0,
  sent: 2,
  delivered: 2,
  failed: { FAILED_TO_SEND: 0, FAILED_TO_DELIVERY: 0, NOT_FOUND: 0, NOT_SUBSCRIBED: 1, FAILED_TO_MATCH: 0 },
  reasons: {
    CANCELLED: 0,
    CARRIER_REFUSED: 0,
    CARRIER_FILTERED: 0,
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
} satisfies ReportAnswers["Report"]["total"];

const REPORT = {
  websiteId: "brand",
  from: "2026-11-20",
  to: "2026-11-21",
  by: "day",
  rows: [{ day: "2026-11-21", ...COUNTS }],
  total: COUNTS,
} satisfies ReportAnswers["Report"];

const CSV = {
  mediaType: "text/csv",
  schema: z.string(),
  example: `"day","accepted","pending","sent","delivered","FAILED_TO_SEND","FAILED_TO_DELIVERY","NOT_FOUND","NOT_SUBSCRIBED","FAILED_TO_MATCH","clicked","clicks","robotClicks","optedOut","segments","CANCELLED","CARRIER_REFUSED","CARRIER_FILTERED","CARRIER_UNAVAILABLE","CARRIER_NOT_SET_UP","MEDIA_NOT_SUPPORTED","OPTED_OUT","OUTCOME_UNKNOWN","UNDELIVERED","NO_RECEIPT"\r
"2026-11-21",3,0,2,2,0,0,0,1,0,1,2,1,0,2,0,0,0,0,0,1,0,0,0\r
`,
};

export function describeReports(): Resource {
  return { operations: [getReport(), getReportOfAll()], schemas: reportAnswers };
}

const BY = Object.keys(GROUPS);
const COMMON = { method: "get", tag: "Websites", access: "operator" } satisfies Partial<ApiOperation>;

function getReport(): ApiOperation {
  return {
    ...COMMON,
    id: "getReport",
    path: "/operator/websites/{websiteId}/report",
    summary: "Count the messages of a website",
    description:
      "Accepted, pending, sent, delivered, failed (by status and by reason) and clicked messages, opt-outs, and segments of sent messages; by day of acceptance (UTC), sendPurpose, reason or sender. Exact, purged messages included. By reason, a message without one is in the row null. By sender, a day counts for the sender that the website had at its end.",
    parameters: [WEBSITE_PARAMETER, ...parameters("day")],
    answers: [
      { ...ok(reportAnswers.Report, "A row for each group with messages, and the total.", REPORT), other: CSV },
    ],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function getReportOfAll(): ApiOperation {
  const rows = [{ websiteId: "brand", ...COUNTS }];
  const example = { ...REPORT, websiteId: null, by: "website", rows } as const;
  return {
    ...COMMON,
    id: "getReportOfAll",
    path: "/operator/report",
    summary: "Count the messages of all websites",
    description:
      "The same over all websites, also by website. At most 200,000 days of websites: of 1,000 websites, 200 days.",
    parameters: parameters("website"),
    answers: [
      { ...ok(reportAnswers.Report, "A row for each group with messages, and the total.", example), other: CSV },
    ],
    errors: ["fields-wrong"],
  };
}

function parameters(by: GroupBy): Parameter[] {
  return [
    day("from", "The first day, such as `2026-11-20`, at most 400 days before the last. Default: 30 days in all."),
    day("to", "The last day. Default: today."),
    query("by", "What a row counts.", { type: "string", enum: BY, default: by }),
    query("format", "`csv` is safe to open in a spreadsheet: an apostrophe precedes what looks like a formula.", {
      ...{ type: "string", enum: ["json", "csv"], default: "json" },
    }),
  ];
}

function day(name: string, description: string): Parameter {
  return query(name, description, { type: "string", format: "date" });
}

function query(name: string, description: string, schema: object): Parameter {
  return { name, in: "query", required: false, description, schema };
}
