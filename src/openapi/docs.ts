// What of README.md and docs/ is written from the code: tables between two marks.
import { CALLS } from "../calls.ts";
import { sendRequestSchema } from "../domain/messages/send-request.ts";
import { STATE_RULES } from "../domain/messages/sending-rules.ts";
import { describeWindows } from "../domain/messages/weekly-windows.ts";
import type { Call } from "../http/call.ts";
import { carrierCodeTable } from "./carrier-codes.ts";
import { limitTable } from "./limits.ts";
import { fieldsOf } from "./schemas.ts";
import { carrierSettingTable, settingTable } from "./settings.ts";
import {
  code,
  errorSections,
  jobTable,
  keywordTable,
  problemSections,
  reasonTable,
  sandboxTable,
  statusTable,
  toTable,
} from "./tables.ts";
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
    "fields of a send request": sendFieldTable(),
    errors: errorSections("clients"),
    "errors of operators and carriers": errorSections("others"),
    statuses: statusTable(),
    reasons: reasonTable(),
    "numbers of the sandbox": sandboxTable(),
    keywords: keywordTable(),
    "codes of carriers": carrierCodeTable(),
    "settings of carriers": carrierSettingTable(),
    settings: settingTable(),
    "operator calls": operatorTable(CALLS.filter(({ access }) => access === "operator")),
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

const operatorTable = (calls: Call[]) =>
  toTable(
    ["Call", "Does"],
    calls.map((call) => [callOf(call), call.summary]),
  );

/** Method and path, the query, and the types of a body that is no JSON: `/docs/operator` has the rest. */
function callOf({ method, path, parameters = [], body }: Call): string {
  const query = parameters.flatMap((parameter) => (parameter.in === "query" ? `${parameter.name}=` : []));
  const call = code(`${method} ${toTemplate(path)}${query.length > 0 ? `?${query.join("&")}` : ""}`);
  if (!body || body.mediaTypes.includes("application/json")) return call;
  return `${call} ${body.mediaTypes.map(code).join(" or ")}`;
}

function stateRuleTable(): string {
  const rows = STATE_RULES.map(({ state, windows, rule, since, source, known }) => [
    state,
    describeWindows(windows),
    rule,
    since,
    source,
    known,
  ]);
  return toTable(["State", "Open", "Rule", "Since", "Source", "How known"], rows);
}

function sendFieldTable(): string {
  return toTable(
    ["Field", "", "Rule"],
    fieldsOf(sendRequestSchema).map(({ name, isRequired, rule }) => [
      code(name),
      isRequired ? "required" : "",
      rule.replaceAll(/(?<![+\d]|ISO )\d{4,6}(?!\d)/g, (digits) => Number(digits).toLocaleString("en")),
    ]),
  );
}
