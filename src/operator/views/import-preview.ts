// What an operator sees of a file before it is imported, and after its undo.
import * as z from "zod";
import { DONE, type FigureCounter, type Outcome, sumOf } from "../../domain/people/import-figures.ts";
import { toE164 } from "../../domain/people/phone.ts";
import type { FirstRow, SubscriberFile } from "../../domain/people/subscriber-file.ts";
import type { Imported } from "../../flows/people/import-subscribers.ts";
import { toTime } from "../../http/time.ts";
import { personIdShape } from "../answers.ts";
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

const BECOMES = [...DONE, "keptUnsubscribed", "refused"] as const;

/** What only a dry run answers. */
export const previewShape = {
  rows: z.int().optional().describe("With `dryRun`: those of the file."),
  refused: z
    .int()
    .optional()
    .describe("With `dryRun`: the rows whose number is invalid, except opt-outs of numbers that the website knows."),
  repeated: z
    .int()
    .optional()
    .describe(
      "With `dryRun`: the rows whose number an earlier row has. With `imported`, `keptUnsubscribed` and `refused`, the sum of the rows.",
    ),
  withoutProof: z
    .int()
    .optional()
    .describe(
      "With `dryRun`: the rows that subscribe a valid number, and have neither `consented_at` nor `evidence`: no proof of its consent.",
    ),
  separator: z.string().optional().describe("With `dryRun`: the separator of the file's columns."),
  preview: z
    .array(
      z.object({
        line: z.int().describe("The line of the file on which the row begins, from 1."),
        phone: z.string(),
        ...personIdShape,
        email: z.string().nullable(),
        consentedAt: z.iso.datetime().nullable(),
        evidence: z.string().nullable().describe("Its first 100 characters."),
        becomes: z.enum(BECOMES),
        reason: z.string().nullable().describe("Why it is refused, or stays unsubscribed."),
      }),
    )
    .optional()
    .describe("With `dryRun`: the first 20 rows, and what the import would do with each."),
};

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
