import { GROUPS } from "../../src/domain/operations/report.ts";
import type { ReportAnswers } from "../../src/http/operator/reports.ts";
import { callOperator, type Service } from "./api.ts";
import { type Command, segment, toQuery, UsageError, type Values } from "./command.ts";
import { type Cell, toTable } from "./table.ts";

type Report = ReportAnswers["Report"];

export const REPORT_COMMANDS: Command[] = [
  {
    name: "report",
    parameters: ["<websiteId or --all>"],
    inPlace: "all",
    summary: "count the messages of a website, or of all in one call",
    options: {
      all: { summary: "of all websites" },
      from: { value: "<day>", summary: "such as 2026-11-01 (UTC); 30 days back when left out" },
      to: { value: "<day>", summary: "the last day; today when left out" },
      by: {
        value: `<${Object.keys(GROUPS).join("|")}>`,
        summary: "day when left out, and of all websites website",
      },
      csv: { summary: "print CSV for a spreadsheet; npm run -s operator prints nothing else" },
    },
    run: readReport,
    show: showReport,
  },
];

async function readReport(service: Service, [id]: string[], values: Values): Promise<string> {
  const { from, to, by, csv, json } = values;
  if (csv && json) throw new UsageError("--csv and --json exclude each other");
  const path = values.all ? "/report" : `/websites/${segment(id)}/report`;
  return callOperator(service, "GET", path + toQuery({ from, to, by, format: csv ? "csv" : undefined }));
}

function showReport(answer: string): string {
  // Only CSV begins with a quoted heading. Its last line is ended by what prints it.
  if (answer.startsWith('"')) return answer.replace(/\n$/, "");
  const report = JSON.parse(answer) as Report;
  const name = GROUPS[report.by];
  const rows = report.rows.map((row) => toRow(row[name] ?? "none", row));
  return [
    `${report.from} to ${report.to} (UTC)`,
    "",
    toTable([[report.by.toUpperCase(), ...HEAD], ...rows, toRow("total", report.total)]),
    ...listCounts("Failed", report.total.failed),
    ...listCounts("Reasons", report.total.reasons),
  ].join("\n");
}

const HEAD = ["ACCEPTED", "PENDING", "SENT", "DELIVERED", "FAILED", "CLICKED", "OPTED OUT", "SEGMENTS SENT"];

function listCounts(what: string, counts: Record<string, number>): string[] {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? [] : ["", `${what}: ${some.map(([name, count]) => `${name} ${count}`).join(", ")}`];
}

/** @param counts of a reason: without the last three */
function toRow(name: string, counts: Report["rows"][number]): Cell[] {
  const { accepted, pending, sent, delivered, clicked, optedOut, segments } = counts;
  const failed = Object.values(counts.failed).reduce((sum, count) => sum + count, 0);
  return [name, accepted, pending, sent, delivered, failed, clicked, optedOut, segments];
}
