// The log: one JSON object per line, as Workers Logs indexes it. The platform takes a line's level, for its views and alerts,
// from the method of `console` that wrote it.
import { maskAddresses, maskNumbers } from "./domain/operations/mask.ts";

export type LogLevel = "info" | "warn" | "error";

/** Ids, counts, durations and outcomes; never a text, a phone number, an e-mail address or a secret. */
export interface LogFields {
  [name: string]: string | number | boolean | null | undefined | LogFields;
}

const WRITE = { info: "log", warn: "warn", error: "error" } as const;

export function log(level: LogLevel, event: string, fields: LogFields = {}): void {
  console[WRITE[level]](logLine(level, event, { time: new Date().toISOString(), ...fields }));
}

/** @returns JSON. The words of an error come from elsewhere, so numbers and addresses in them are masked. */
export function logLine(level: LogLevel, event: string, fields: LogFields = {}): string {
  const { error } = fields;
  return JSON.stringify({
    level,
    event,
    ...fields,
    ...(typeof error === "string" ? { error: maskNumbers(maskAddresses(error)) } : {}),
  });
}
