// What an operator sees of a file before it is imported, and after its undo.
import { type FigureCounter, type Outcome, sumOf } from "../../domain/people/import-figures.ts";
import { toE164 } from "../../domain/people/phone.ts";
import type { FirstRow, SubscriberFile } from "../../domain/people/subscriber-file.ts";
import type { Imported } from "../../flows/people/import-subscribers.ts";
import { toTime } from "../../http/time.ts";
import { countOf } from "../operator-call.ts";

/** What came of an undo, for the shell. */
export const sayUndone = (done: { restored: number; changedSince: number; restoredBefore: number }): string =>
  [
    `${countOf(done.restored, "number")} ${done.restored === 1 ? "is" : "are"} again as before the import.`,
    done.restoredBefore > 0 && `An earlier undo had restored ${done.restoredBefore.toLocaleString("en-US")}.`,
    done.changedSince > 0 && `What changed after the import stays as it is: ${countOf(done.changedSince, "number")}.`,
    "The import is closed.",
  ]
    .filter((it) => it)
    .join(" ");

/** @param refused rows whose number is invalid, without those that are opted out all the same */
export function previewOf(file: SubscriberFile, done: Imported, counter: FigureCounter, refused: number) {
  const { rows, withoutProof } = file.counts;
  const known = new Map(done.knownOptOuts.map((phone) => [toE164(phone), phone]));
  const told = sumOf(done) - done.otherForms + done.refused.count + refused;
  return {
    rows,
    refused,
    repeated: Math.max(0, rows - told),
    withoutProof,
    separator: file.separator,
    preview: file.preview.map((row) =>
      rowView({ ...row, digits: row.digits ?? known.get(row.phone) ?? null }, counter),
    ),
  };
}

const KEPT: Partial<Record<Outcome, string>> = {
  byPerson: "the person has opted out, or was erased: only START brings them back",
  byOthers: "unsubscribed by a client, an import or an operator",
};

const MOST_EVIDENCE_SHOWN = 100;

function rowView({ digits, fault, consent, line, phone, email }: FirstRow, counter: FigureCounter) {
  const shown = {
    ...{ line, phone, email, consentedAt: toTime(consent?.consentedAt ?? null) },
    evidence: consent?.evidence?.slice(0, MOST_EVIDENCE_SHOWN) ?? null,
  };
  if (digits === null) return { ...shown, becomes: "refused" as const, reason: fault };
  const outcome = counter.outcomeOf(digits) ?? "unchanged";
  if (outcome !== "byPerson" && outcome !== "byOthers") return { ...shown, becomes: outcome, reason: null };
  return { ...shown, becomes: "keptUnsubscribed" as const, reason: KEPT[outcome] ?? null };
}
