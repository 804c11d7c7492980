// Prints any answer: an object as rows, a list of objects as a table with a column for each field.
import type { Call } from "../../src/http/call.ts";
import { printable, toTable } from "./table.ts";

type Fields = Record<string, unknown>;
type Columns = Record<string, readonly string[]>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTable = (value: unknown): value is Fields[] =>
  Array.isArray(value) && value.length > 0 && value.every(isFields);

/** Whether a value needs lines of its own. */
const isPart = (value: unknown): value is Fields | Fields[] =>
  isTable(value) || (isFields(value) && Object.values(value).some((it) => isFields(it) || isTable(it)));

/**
 * @param answer JSON, or text that is printed as it is: metrics, CSV
 * @param given the arguments and options, by their names
 */
export function showAnswer(answer: string, { command, parameters = [], answers }: Call, given: Fields = {}): string {
  // Only JSON begins with a brace.
  if (!answer.startsWith("{") || answers[0]?.mediaType !== "application/json") return answer.replace(/\n$/, "");
  const fields = JSON.parse(answer) as Fields;
  const isPaged = parameters.some(({ name }) => name === "cursor");
  const { next, ...shown } = fields;
  const more = isPaged && typeof next === "string" ? `There may be more: --cursor ${printable(next)}` : undefined;
  return [showFields(isPaged ? shown : fields, command?.columns), more, command?.next?.(fields, given)]
    .filter((part) => part)
    .join("\n\n");
}

function showFields(fields: Fields, columns: Columns = {}): string {
  const entries = Object.entries(fields);
  const parts = entries.flatMap(([name, value]) => (isPart(value) ? [[name, value] as const] : []));
  const rows = entries.filter(([, value]) => !isPart(value)).map(([name, value]) => [name, toCell(value)]);
  const only = rows.length === 0 && parts.length === 1;
  return [
    ...(rows.length > 0 ? [toTable(rows)] : []),
    ...parts.map(([name, value]) => `${only ? "" : `${printable(name)}\n`}${showPart(name, value, columns)}`),
  ].join("\n\n");
}

function showPart(name: string, value: Fields | Fields[], columns: Columns): string {
  if (!Array.isArray(value)) return showFields(value, columns);
  const hasTables = !columns[name] && value.some((item) => Object.values(item).some(isTable));
  return hasTables ? value.map((item) => showFields(item, columns)).join("\n\n") : showTable(value, columns[name]);
}

const MOST_CHARACTERS = 120;

/** @param columns by default all. A column without any value is not shown, except the first, which names the row. */
function showTable(rows: Fields[], columns: readonly string[] = [...new Set(rows.flatMap(Object.keys))]): string {
  const used = columns.filter(
    (name, at) => at === 0 || rows.some((row) => row[name] !== null && row[name] !== undefined),
  );
  const cut = (value: unknown) => {
    const cell = toCell(value);
    return isFields(value) && cell.length > MOST_CHARACTERS ? `${cell.slice(0, MOST_CHARACTERS)}…` : cell;
  };
  return toTable([used, ...rows.map((row) => used.map((name) => cut(row[name])))]);
}

/** The audit log keeps times as milliseconds since 1970. */
function toNamedCell(name: string, value: unknown): string {
  return typeof value === "number" && /(At|Until)$/.test(name) ? new Date(value).toISOString() : toCell(value);
}

/** Counts that are 0 are left out of an object of counts, and null out of every other. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(toCell).join(", ") || "none";
  if (!isFields(value)) return printable(String(value));
  const entries = Object.entries(value);
  const areCounts = entries.every(([, it]) => typeof it === "number");
  const shown = entries.filter(([, it]) => (areCounts ? it !== 0 : it !== null));
  return (
    shown.map(([name, it]) => `${name}: ${isFields(it) ? JSON.stringify(it) : toNamedCell(name, it)}`).join(", ") ||
    "none"
  );
}
