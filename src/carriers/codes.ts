// Pure. What the codes of a carrier mean: the table of each carrier has a line for each code.
import * as z from "zod";
import type { Paused } from "../domain/messages/circuit-breaker.ts";
import type { Reason } from "../domain/messages/reason.ts";

/**
 * What a code says, as the answer to a submission. `later`: the carrier has not taken the text, and may take it in a while. `once-fixed`:
 * it takes the text once an operator has mended the account. `final`: it never takes it. `permanent`: it takes no text to this number, and
 * time does not change that. `unknown`: nobody knows whether it has arrived. A receipt ends the text, unless its code is `unknown`.
 */
type Line =
  | readonly [code: number, about: "number", outcome: "permanent"]
  | readonly [code: number, about: "number" | "text" | Paused, outcome: "final", reason?: Reason]
  | readonly [code: number, about: Paused, outcome: "later" | "once-fixed" | "unknown", reason?: Reason];

export type Meaning = {
  /** Left out: the answer has no code that is in a table. */
  code?: string;
  /** Why the text has ended; left out: CARRIER_REFUSED after an answer, UNDELIVERED after a receipt. */
  reason?: Reason | undefined;
} & (
  | { about: "number"; outcome: "permanent" }
  | { about: "number" | "text" | Paused; outcome: "final" }
  /** A pause belongs to what the code is about. */
  | { about: Paused; outcome: "later" | "once-fixed" | "unknown" }
);

/** By code. */
export type Codes = ReadonlyMap<string, Meaning>;

export const toCodes = (lines: readonly Line[]): Codes =>
  new Map(
    lines.map(([number, about, outcome, reason]) => {
      const code = String(number);
      return [code, { code, about, outcome, reason } as Meaning];
    }),
  );

/** Whether the carrier never takes the text. */
export const isFinal = (meaning: Meaning): meaning is Meaning & { outcome: "final" | "permanent" } =>
  meaning.outcome === "final" || meaning.outcome === "permanent";

/** A code of a carrier may be a number or a string. */
export const codeSchema = z.union([z.string(), z.number()]).transform(String).nullish().catch(null);

/** Why a text has ended, for a refusal or a receipt. */
export function reasonOf({ code, outcome, reason }: Partial<Meaning>): {
  code?: Reason;
  optedOut?: true;
  numberFault?: string;
} {
  if (outcome === "permanent" && code !== undefined) return { numberFault: code };
  if (reason === "OPTED_OUT") return { optedOut: true };
  return reason ? { code: reason } : {};
}
