// "By symptom" in docs/runbook.md: its commands, and what it says that they print.
import { readFileSync } from "node:fs";

export interface Line {
  run: string;
  sees: string[];
}

const [, section = ""] = readFileSync("docs/runbook.md", "utf8").split("\n## By symptom\n");
export const symptoms = (section.split("\n## ")[0] ?? "")
  .split("\n### ")
  .slice(1)
  .map((part) => ({
    name: part.split("\n")[0] ?? "",
    lines: readLines(part),
    isComplete: /^Safe to repeat: /m.test(part),
  }));

function readLines(part: string): Line[] {
  const rows = part.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((row) => {
    const [, run = "", sees = ""] = row.split("|").map((cell) => cell.trim());
    return { run, sees: [...sees.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text) };
  });
}

export const COMMAND = /^`npm run operator -- ([^`]+)`$/;
