// The fields of a call that are options in the shell: the parameters of its query, and the fields of its JSON body.
import type { Call } from "../../src/http/call.ts";
import { toJsonSchema } from "../../src/openapi/schemas.ts";
import { type Option, toNumber, UsageError, type Values } from "./command.ts";
import { toTime } from "./times.ts";

interface JsonSchema {
  type?: string;
  format?: string;
  description?: string;
  enum?: readonly string[];
  items?: JsonSchema;
  minItems?: number;
  anyOf?: JsonSchema[];
}

export interface Field {
  name: string;
  in: "query" | "body";
  /** Without what may stand in its place: `""` or null. */
  schema: JsonSchema;
  isRequired: boolean;
  description: string;
}

export function fieldsOf({ parameters = [], body }: Call): Field[] {
  const query = parameters.filter((parameter) => parameter.in === "query");
  return [
    ...query.map((it) => toField(it.name, "query", it.schema, it.required, it.description)),
    ...(body?.mediaTypes.includes("application/json") ? fieldsOfBody(toJsonSchema(body.schema)) : []),
  ];
}

function fieldsOfBody({ properties = {}, required = [] }: ReturnType<typeof toJsonSchema>): Field[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) =>
    toField(name, "body", schema, (required as string[]).includes(name), schema.description ?? ""),
  );
}

function toField(name: string, where: Field["in"], schema: JsonSchema, isRequired: boolean, about: string): Field {
  return { name, in: where, schema: schema.anyOf?.[0] ?? schema, isRequired, description: about };
}

/** One option: the field that it gives, and the value where it is a switch. */
export interface FieldOption extends Option {
  name: string;
  field: Field;
  sets?: string | boolean | null | undefined;
}

/** An option for each field, except those that are arguments; in the names of the declaration, where it gives others. */
export function optionsOf(call: Call): FieldOption[] {
  const named = Object.entries(call.command?.options ?? {});
  return fieldsOf(call)
    .filter(({ name }) => !call.command?.arguments?.includes(name))
    .flatMap((field) => {
      const own = named.filter(([, option]) => option.field === field.name);
      const names = own.length > 0 ? own : [[toKebab(field.name), { field: field.name }] as (typeof named)[number]];
      return names.map(([name, { sets, summary = field.description }]) => ({
        ...{ name, field, sets },
        summary: [toSentence(summary), ...(sets === undefined ? sayChoices(field.schema) : [])].join(" "),
        value: sets === undefined ? toPlaceholder(field.schema) : undefined,
      }));
    });
}

/** A switch has no value to name. */
const toSentence = (summary: string) =>
  summary.replaceAll("`", "").replace(/^true: (.)/, (_, first: string) => first.toUpperCase());

const toKebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const FORMATS: Record<string, string> = { date: "<day>", "date-time": "<time>" };

const MOST_SHOWN = 5;

/** undefined: it is a switch. */
function toPlaceholder({ type, format = "", enum: choices = [] }: JsonSchema): string | undefined {
  if (type === "boolean") return undefined;
  if (type === "integer") return "<n>";
  if (type === "array") return "<list>";
  if (type === "object") return "<json>";
  return choices.length > 0 && choices.length <= MOST_SHOWN ? `<${choices.join("|")}>` : (FORMATS[format] ?? "<text>");
}

function sayChoices({ type, items, enum: choices = [] }: JsonSchema): string[] {
  if (type === "array")
    return [items?.enum ? `With commas between, of: ${items.enum.join(", ")}.` : "With commas between."];
  return choices.length > MOST_SHOWN ? [`One of: ${choices.join(", ")}.`] : [];
}

/** What is given, by the names of the fields. @throws UsageError */
export function readOptions(options: FieldOption[], values: Values): Record<Field["in"], Record<string, unknown>> {
  const read: Record<Field["in"], Record<string, unknown>> = { query: {}, body: {} };
  const given = options.filter(({ name }) => values[name] !== undefined && values[name] !== false);
  for (const [, some] of Map.groupBy(given, ({ field }) => field.name)) {
    const [{ name, field, sets }, other] = some as [FieldOption, FieldOption?];
    if (other) throw new UsageError(`--${name} and --${other.name} exclude each other`);
    read[field.in][field.name] = sets === undefined ? toValue(name, field, values[name]) : sets;
  }
  const missing = options.find(({ field }) => field.isRequired && !(field.name in read[field.in]));
  if (missing) throw new UsageError(sayMissing(options.filter(({ field }) => field.name === missing.field.name)));
  return read;
}

/** @param choices the options that set one field */
const sayMissing = (choices: FieldOption[]) =>
  choices.length === 1
    ? `--${choices[0]?.name} is missing: ${choices[0]?.summary}`
    : `one of these is missing: ${choices.map(({ name }) => `--${name}`).join(", ")}`;

function toValue(option: string, { schema, in: where }: Field, given: Values[string]): unknown {
  if (given === true) return where === "query" ? "true" : true;
  const text = String(given);
  if (schema.type === "integer") return toNumber(option, text);
  if (schema.type === "object") return text === "" ? null : toObject(option, text);
  if (schema.type !== "array") return toTime(text, schema.format);
  if (text === "") return schema.minItems ? null : [];
  return text.split(",").map((item) => item.trim());
}

function toObject(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${option} must be JSON, such as '{"count": 3, "hours": 24}'`);
  }
}
