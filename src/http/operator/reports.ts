import type { Deps } from "../../deps.ts";
import type { Website } from "../../domain/clients/website.ts";
import { DAY_MILLISECONDS, toDay } from "../../domain/day.ts";
import { failField, RequestFailure, readTogether } from "../../domain/failure.ts";
import { GROUPS, type GroupBy, reportSchema, toTable } from "../../domain/operations/report.ts";
import { writeCsv } from "../../domain/people/csv.ts";
import { askEach } from "../../flows/databases/ask-each.ts";
import { inEach } from "../../flows/databases/places.ts";
import { reportOn } from "../../flows/operations/make-report.ts";
import { listWebsites } from "../../store/clients/websites.ts";
import type { ApiRequest, Handler } from "../api-request.ts";
import type { Answers } from "./answers.ts";
import { readChoice, requireWebsite } from "./params.ts";

const DAYS_WHEN_LEFT_OUT = 30;
const LONGEST_DAYS = 400;
/** A report of all websites has no more days of websites: each day has a row for each purpose and status. */
const MOST_WEBSITE_DAYS = 200_000;

export const reportAnswers = { Report: reportSchema };

export type ReportAnswers = Answers<typeof reportAnswers>;

/** GET /operator/websites/:websiteId/report?from=&to=&by=&format=json|csv : days in UTC, both included. */
export const getReportHandler: Handler = async (request, deps) => {
  const website = await requireWebsite(request, deps);
  return answerReport(request, deps, [website], { websiteId: website.websiteId, by: "day" });
};

/** GET /operator/report?from=&to=&by=&format=json|csv : of all websites. A part of them would be taken for the whole. */
export const getReportOfAllHandler: Handler = async (request, deps) => {
  const { answers, missing } = await askEach(inEach(deps), ({ db }) => listWebsites(db));
  if (missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
  return answerReport(request, deps, answers.flat(), { websiteId: null, by: "website" });
};

/** @param otherwise what is not given */
async function answerReport(
  request: ApiRequest,
  deps: Deps,
  websites: Website[],
  otherwise: { websiteId: string | null; by: GroupBy },
): Promise<Response> {
  const { by, format, range } = readTogether({
    by: () => readChoice(request, "by", Object.keys(GROUPS) as GroupBy[]) ?? otherwise.by,
    format: () => readChoice(request, "format", ["json", "csv"]),
    range: () => readRange(request, websites.length, deps.now()),
  });
  const report: ReportAnswers["Report"] = await reportOn(deps, websites, { ...otherwise, ...range, by });
  if (format !== "csv") return Response.json(report);
  return new Response(writeCsv(toTable(report)), { headers: { "content-type": "text/csv; charset=utf-8" } });
}

function readRange({ query }: ApiRequest, websites: number, now: number): { from: string; to: string } {
  const given = readTogether({ from: () => readDay("from", query.from), to: () => readDay("to", query.to) });
  const to = given.to ?? toDay(now);
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
