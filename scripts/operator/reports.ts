import type { ReportAnswers } from "../../src/http/operator/reports.ts";
import { callOperator } from "./api.ts";
import { type Command, segment, toQuery } from "./command.ts";
import { type Cell, toTable } from "./table.ts";

type Report = ReportAnswers["Report"];

export const REPORT_COMMANDS: Command[] = [
  {
    name: "report",
    parameters: ["<websiteId>"],
    summary: "count the messages by day or by purpose",
    options: {
      from: { value: "<day>", summary: "such as 2026-11-01 (UTC); 30 days back when left out" },
      to: { value: "<day>", summary: "the last day; today when left out" },
      by: { value: "<day|purpose>", summary: "day when left out" },
    },
    run: (service, [id], { from, to, by }) =>
      callOperator(service, "GET", `/websites/${segment(id)}/report${toQuery({ from, to, by })}`),
    show: showReport,
  },
];

function showReport(answer: string): string {
  const report = JSON.parse(answer) as Report;
  const head = [report.by.toUpperCase(), "ACCEPTED", "SENT", "DELIVERED", "FAILED", "CLICKED", "OPTED OUT", "SEGMENTS"];
  const rows = report.rows.map((row) => toRow(row.day ?? row.sendPurpose ?? "", row));
  return [
    `${report.from} to ${report.to} (UTC)`,
    "",
    toTable([head, ...rows, toRow("total", report.total)]),
    ...listCounts("Failed", report.total.failed),
    ...listCounts("Reasons", report.total.reasons),
  ].join("\n");
}

function listCounts(what: string, counts: Record<string, number>): string[] {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? [] : ["", `${what}: ${some.map(([name, count]) => `${name} ${count}`).join(", ")}`];
}

function toRow(name: string, counts: Report["total"]): Cell[] {
  const { accepted, sent, delivered, clicked, optedOut, segments } = counts;
  const failed = Object.values(counts.failed).reduce((sum, count) => sum + count, 0);
  return [name, accepted, sent, delivered, failed, clicked, optedOut, segments];
}
