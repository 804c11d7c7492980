// What of README.md and docs/ is written from the code: tables between two marks.
import { CALLS } from "../calls.ts";
import { STATE_RULES } from "../domain/messages/sending-rules.ts";
import { describeWindows } from "../domain/messages/weekly-windows.ts";
import type { Call } from "../http/call.ts";
import { carrierCodeTable } from "./carrier-codes.ts";
import { limitTable } from "./limits.ts";
import { carrierSettingTable, settingTable } from "./settings.ts";
import { code, jobTable, keywordTable, problemSections, sandboxTable, toTable } from "./tables.ts";
import { toTemplate } from "./write-operation.ts";

const MARKED = /(<!-- ([\w ]+): written by npm run docs -->\n).*?(<!-- end -->)/gs;

/** @returns the text with each marked table as the code has it */
export function fillTables(text: string, tables: Record<string, string>): string {
  return text.replaceAll(MARKED, (_, begin: string, name: string, end: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`no such table: ${name}`);
    return `${begin}\n${table}\n\n${end}`;
  });
}

export function listTables(text: string): string[] {
  return [...text.matchAll(MARKED)].map(([, , name = ""]) => name);
}

/** The tables by the names in the marks. */
export function makeTables(): Record<string, string> {
  return {
    calls: callTable(CALLS.filter(({ access }) => typeof access === "object")),
    limits: limitTable(),
    "numbers of the sandbox": sandboxTable(),
    keywords: keywordTable(),
    "codes of carriers": carrierCodeTable(),
    "settings of carriers": carrierSettingTable(),
    settings: settingTable(),
    "state rules": stateRuleTable(),
    problems: problemSections(),
    "dead jobs": jobTable(),
  };
}

function callTable(calls: Call[]): string {
  const rows = calls.map(({ method, path, access, summary }) => {
    const grant = typeof access === "object" ? code(access.client) : "";
    return [code(`${method} ${toTemplate(path)}`), summary, grant];
  });
  return toTable(["Call", "Does", "Grant"], rows);
}

function stateRuleTable(): string {
  const rows = STATE_RULES.map(({ state, windows, rule, source, known }) => [
    state,
    describeWindows(windows),
    rule,
    source,
    known,
  ]);
  return toTable(["State", "Open", "Rule", "Source", "How known"], rows);
}
