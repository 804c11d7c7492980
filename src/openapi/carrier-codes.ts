// What the codes of carriers mean, as a table of docs/carriers.md.
import type { Codes, Meaning } from "../carriers/codes.ts";
import { CODES as TELNYX } from "../carriers/telnyx-codes.ts";
import { CODES as TWILIO } from "../carriers/twilio-codes.ts";
import { code, toTable } from "./tables.ts";

const ANSWERS: Record<Meaning["outcome"], string> = {
  final: "refused",
  permanent: "refused; counts for `unreachableAfter`",
  later: "retried",
  "once-fixed": "retried; `carrier-credentials`",
  unknown: "unknown outcome, as in a receipt",
};

const kindOf = ({ about, outcome, reason }: Meaning) =>
  [about, ANSWERS[outcome], reason ? code(reason) : ""] as const satisfies readonly string[];

/** A row for each kind of meaning. */
export function carrierCodeTable(): string {
  const kinds = new Map([...TWILIO.values(), ...TELNYX.values()].map((meaning) => [kindOf(meaning).join(), meaning]));
  const codesOf = (codes: Codes, kind: string) =>
    [...codes].flatMap(([name, meaning]) => (kindOf(meaning).join() === kind ? name : [])).join(", ");
  const rows = [...kinds].map(([kind, meaning]) => [...kindOf(meaning), codesOf(TWILIO, kind), codesOf(TELNYX, kind)]);
  return toTable(["About the", "In an answer", "Reason", "Twilio", "Telnyx"], rows);
}
