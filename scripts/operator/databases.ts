import type { DatabaseAnswers } from "../../src/http/operator/databases.ts";
import { callOperator } from "./api.ts";
import type { Command } from "./command.ts";
import { toTable } from "./table.ts";

export const DATABASE_COMMANDS: Command[] = [
  {
    name: "databases",
    parameters: [],
    summary: "list the databases: how large they are, and how many days they have left",
    options: {},
    notes: "docs/operating.md says what to do when a database fills.",
    run: (service) => callOperator(service, "GET", "/databases"),
    show: showDatabases,
  },
];

function showDatabases(answer: string): string {
  const { databases } = JSON.parse(answer) as DatabaseAnswers["DatabaseList"];
  const rows = databases.map((it) => [
    it.database,
    it.status,
    it.websites,
    toMegabytes(it.bytes),
    it.bytes === null ? null : `${Math.floor((it.bytes / it.limitBytes) * 100)} %`,
    toMegabytes(it.bytesPerDay),
    it.daysLeft,
    it.schemaVersion,
  ]);
  return toTable([["DATABASE", "STATUS", "WEBSITES", "MB", "FULL", "MB A DAY", "DAYS LEFT", "SCHEMA"], ...rows]);
}

function toMegabytes(bytes: number | null): string | null {
  return bytes === null ? null : (bytes / 1_000_000).toFixed(1);
}
