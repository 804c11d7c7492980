// Pure. What a website keeps to prove that somebody has agreed to be texted.
import * as z from "zod";
import { isAbsent, text } from "../fields.ts";
import { instant } from "../messages/send-times.ts";
import { strip } from "./invisible.ts";

export interface Consent {
  /** Milliseconds since 1970; null: not told. */
  consentedAt: number | null;
  evidence: string | null;
}

export const MAX_EVIDENCE_CHARACTERS = 1000;
const EARLIEST = Date.UTC(1990, 0, 1);
/** Clocks differ. */
const AHEAD_MILLISECONDS = 5 * 60_000;

export const consentedAt = instant.meta({
  description:
    "When the people agreed to be texted, for example by a form: not before 1990, and at most 5 minutes in the future. It is kept as proof of each number that the call subscribes.",
  examples: ["2026-11-02T18:04:00-05:00"],
});

export const evidence = text(MAX_EVIDENCE_CHARACTERS).meta({
  description: "Proof that they agreed, such as the address of a form and its wording. It is kept with `consentedAt`.",
  examples: ["Checkbox at https://brand.example.com/join, version 3"],
});

const COLUMNS = z.object({ consentedAt, evidence });

/**
 * What is wrong with a time of the right form; undefined: nothing.
 * @param now milliseconds since 1970
 */
export function findConsentFault(time: string, now: number): string | undefined {
  const at = Date.parse(time);
  if (at < EARLIEST) return "must not be before 1990";
  return at > now + AHEAD_MILLISECONDS ? "must not be more than 5 minutes in the future" : undefined;
}

/** @returns undefined if the request has no proof */
export function toConsent(time: string | null | undefined, shown: string | null | undefined): Consent | undefined {
  if (isAbsent(time) && isAbsent(shown)) return undefined;
  return {
    consentedAt: isAbsent(time) ? null : Date.parse(String(time)),
    evidence: isAbsent(shown) ? null : String(shown),
  };
}

/** A time with its offset as programs and databases write it. */
const WRITTEN = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)? ?(?:Z|UTC|([+-]\d\d)(?::?(\d\d))?)$/i;

/** The time of a cell as RFC 3339 writes it; as given, where the cell has another form. */
function toInstant(cell: string): string {
  const [, day, minute, seconds = ":00", hours, minutes = "00"] = WRITTEN.exec(cell) ?? [];
  return day === undefined ? cell : `${day}T${minute}${seconds}${hours === undefined ? "Z" : `${hours}:${minutes}`}`;
}

/** A cell that is wrong: its column, its text, and why. */
export interface CellFault {
  column: "consented_at" | "evidence";
  value: string;
  message: string;
}

/**
 * The proof of a row of a file.
 * @param now milliseconds since 1970
 * @param add gets what is wrong with it
 * @returns undefined if the row has none
 */
export function readConsentCells(
  given: { time: string | null; evidence: string | null },
  now: number,
  add: (fault: CellFault) => void,
): Consent | undefined {
  const [written, shown] = [strip(given.time ?? ""), strip(given.evidence ?? "")];
  const time = toInstant(written);
  const timeFault = findCellFault("consentedAt", time, now);
  if (timeFault) add({ column: "consented_at", value: written, message: timeFault });
  const evidenceFault = findCellFault("evidence", shown, now);
  if (evidenceFault) add({ column: "evidence", value: shown, message: `${evidenceFault}, and has ${shown.length}` });
  return toConsent(time, shown);
}

/** What is wrong with a cell; undefined: nothing, as with an empty one. */
function findCellFault(column: keyof Consent, cell: string, now: number): string | undefined {
  if (isAbsent(cell)) return undefined;
  const { error } = COLUMNS.shape[column].safeParse(cell);
  if (error) return error.issues[0]?.message;
  return column === "consentedAt" ? findConsentFault(cell, now) : undefined;
}
