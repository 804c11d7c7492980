// One person, set by hand: an import of one row, so that whoever has opted out stays so, and the page of imports can undo it.
import type { JSX } from "preact";
import { inShell } from "../../src/operator/in-shell.ts";
import type { ImportAnswer } from "../answers.ts";
import { websitePath } from "../lib/addresses.ts";
import { ask, Failure } from "../lib/ask.ts";
import { commandOf } from "../lib/shell-command.ts";
import { FromShell } from "../parts/empty.tsx";

interface Row {
  websiteId: string;
  head: string;
  row: string;
  /** It is not complete. */
  isOff?: boolean;
}

/** @throws Failure where the row has no effect */
export async function importRow({ websiteId, head, row }: Row): Promise<void> {
  const csv = new Blob([`${head}\n${row}\n`]);
  const done = await ask<ImportAnswer>(`${websitePath(websiteId)}/subscribers?file=by+hand`, { method: "POST", csv });
  const message = faultIn(done);
  if (message) throw new Failure(400, { code: 40001, message }, null);
}

export const RowFromShell = ({ websiteId, head, row, isOff }: Row): JSX.Element => (
  <FromShell
    line={commandOf("import-subscribers", [websiteId, "-"])}
    around={[`printf '%s\\n' ${head} ${inShell(row)} | `]}
    {...{ isOff }}
  />
);

function faultIn({
  invalidPhoneNumbers,
  invalidCells,
  optedOutNumbers,
  keptUnsubscribed,
}: ImportAnswer): string | null {
  if (invalidPhoneNumbers.length > 0) return `The number ${invalidCells?.[0]?.message ?? "is none"}.`;
  if (optedOutNumbers) return "They have opted out themselves: only their START brings them back.";
  return keptUnsubscribed > 0 ? "Somebody has opted them out." : null;
}
