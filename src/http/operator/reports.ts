import { writeCsv } from "../../domain/csv.ts";
import { failField } from "../../domain/failure.ts";
import { makeReport, reportSchema, toTable } from "../../domain/report.ts";
import { countMessages } from "../../platform/store/reports.ts";
import type { Handler } from "../api-request.ts";
import type { Answers } from "./answers.ts";
import { requireWebsite } from "./params.ts";

const DAY_MILLISECONDS = 86_400_000;
const DAYS_WHEN_LEFT_OUT = 30;
const LONGEST_DAYS = 400;

export function reportAnswers() {
  return { Report: reportSchema() };
}

export type ReportAnswers = Answers<typeof reportAnswers>;

/** GET /operator/websites/:websiteId/report?from=&to=&by=day|purpose&format=json|csv : days in UTC, both included. */
export const getReportHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const to = readDay("to", request.query.to) ?? toDay(deps.now());
  const from =
    readDay("from", request.query.from) ?? toDay(Date.parse(to) - (DAYS_WHEN_LEFT_OUT - 1) * DAY_MILLISECONDS);
  if (from > to) failField("from", `must not be after ${to}`);
  const isTooLong = Date.parse(to) - Date.parse(from) > LONGEST_DAYS * DAY_MILLISECONDS;
  if (isTooLong) failField("from", `must not be more than ${LONGEST_DAYS} days before ${to}`);
  const by = request.query.by ?? "day";
  if (by !== "day" && by !== "purpose") failField("by", "must be day or purpose");
  const format = request.query.format ?? "json";
  if (format !== "json" && format !== "csv") failField("format", "must be json or csv");
  const question = { websiteId, from, to, by } as const;
  const report: ReportAnswers["Report"] = makeReport(question, await countMessages(deps.db, question));
  if (format === "json") return Response.json(report);
  return new Response(writeCsv(toTable(report)), { headers: { "content-type": "text/csv; charset=utf-8" } });
};

function readDay(field: string, given: string | string[] | undefined): string | undefined {
  if (given === undefined || given === "") return undefined;
  const isDay = typeof given === "string" && /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given));
  return isDay && toDay(Date.parse(given)) === given ? given : failField(field, "must be a day, such as 2026-11-21");
}

function toDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
