// What of README.md and docs/ is written from the code: tables between two marks.
import type * as z from "zod";
import { CALLS } from "../calls.ts";
import { sendRequestSchema } from "../domain/messages/send-request.ts";
import { STATE_RULES } from "../domain/messages/sending-rules.ts";
import { describeWindows } from "../domain/messages/weekly-windows.ts";
import { phoneListSchema } from "../domain/people/phone-list.ts";
import type { Call } from "../http/call.ts";
import { carrierCodeTable } from "./carrier-codes.ts";
import { limitsThatMatter, limitTable } from "./limits.ts";
import { fieldsOf } from "./schemas.ts";
import { carrierSettingTable, settingTable } from "./settings.ts";
import {
  code,
  errorSections,
  fillDescription,
  jobTable,
  keywordTable,
  problemSections,
  reasonTable,
  sandboxTable,
  stateTable,
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
    "limits that matter": limitsThatMatter(),
    "fields of a send request": fieldTable(sendRequestSchema),
    "fields of a list of numbers": fieldTable(phoneListSchema),
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
    checks: fillDescription(CALLS.find(({ id }) => id === "health")?.description ?? ""),
    states: stateTable(),
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

/** The first sentence of a description beside the summary; `/docs/operator` has the rest. */
const MOST_WORDS = 25;

function operatorTable(calls: Call[]): string {
  const rows = calls.map(({ summary, description, ...call }) => {
    const [about = ""] = /^[^\n]*?\.(?= |$)/m.exec(description) ?? [];
    return [callOf(call), [`${summary}.`, ...(about.split(" ").length <= MOST_WORDS ? [about] : [])].join(" ")];
  });
  return toTable(["Call", "Does"], rows);
}

/** Method and path, the query, and the fields of a JSON body; a question mark follows an optional field. */
function callOf({
  method,
  path,
  parameters = [],
  body,
}: Pick<Call, "method" | "path" | "parameters" | "body">): string {
  const query = parameters.flatMap((parameter) => (parameter.in === "query" ? `${parameter.name}=` : []));
  const call = code(`${method} ${toTemplate(path)}${query.length > 0 ? `?${query.join("&")}` : ""}`);
  if (!body) return call;
  if (!body.mediaTypes.includes("application/json")) return `${call} ${body.mediaTypes.map(code).join(" or ")}`;
  const fields = fieldsOf(body.schema).map(({ name, isRequired }) => `${name}${isRequired ? "" : "?"}`);
  return `${call} ${code(`{${fields.join(", ")}}`)}`;
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

function fieldTable(schema: z.ZodType): string {
  return toTable(
    ["Field", "", "Rule"],
    fieldsOf(schema).map(({ name, isRequired, rule }) => [
      code(name),
      isRequired ? "required" : "",
      rule.replaceAll(/(?<![+\d]|ISO )\d{4,6}(?!\d)/g, (digits) => Number(digits).toLocaleString("en")),
    ]),
  );
}
