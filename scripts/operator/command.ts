import type { ParseArgsOptionsConfig } from "node:util";
import type { Service } from "./api.ts";

export interface Command {
  name: string;
  /** What stands after the name. */
  parameters: string[];
  /** A switch that stands in the place of the first. */
  inPlace?: string | undefined;
  /** What it is about: the help lists it under this. */
  group: string;
  summary: string;
  options: Record<string, Option>;
  notes?: string | undefined;
  run(service: Service, parameters: string[], values: Values): Promise<Outcome>;
}

export interface Outcome {
  /** What the service answered, as text. */
  answer: string;
  /** The same for a person to read. */
  show(): string;
  /** Whether the answer shows a problem, for the exit code. */
  hasProblem: boolean;
}

/** What a command has of its own, beside what its calls declare. */
export interface Own {
  /** How its arguments are shown in the help. */
  parameters?: string[];
  options?: Record<string, Option>;
  notes?: string;
  /** @param ask makes the declared call. @returns the JSON that the service answered, as text */
  run?(service: Service, parameters: string[], values: Values, ask: () => Promise<string>): Promise<string>;
  show?(answer: string, service: Service): string;
}

/** Without `value` it is a switch. */
export interface Option {
  value?: string | undefined;
  summary: string;
}

/** The options of a command, as they were given. */
export type Values = Record<string, string | boolean | undefined>;

/** The command line was wrong. */
export class UsageError extends Error {}

/** As parseArgs wants them. */
export function toParseOptions(options: Record<string, Option>): ParseArgsOptionsConfig {
  const entries = Object.entries(options);
  return Object.fromEntries(entries.map(([name, { value }]) => [name, { type: value ? "string" : "boolean" }]));
}

export function segment(id: string | undefined): string {
  return encodeURIComponent(id ?? "");
}

/** What is given, as a query with its question mark. */
export function toQuery(values: Values): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** @returns null for `''` */
export function toNumber(option: string, text: Values[string]): number | null | undefined {
  if (typeof text !== "string") return undefined;
  if (text === "") return null;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${option} must be a whole number, not "${text}"`);
  return Number(text);
}
