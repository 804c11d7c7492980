// What an error says to do about an import that ended early.
import type { ImportInterrupted, ImportProgress } from "../domain/failure.ts";

export function adviseImport(
  because: ImportInterrupted["because"]["kind"],
  { importId, storedRows }: ImportProgress,
): string {
  const rows = storedRows === 0 ? "no row" : `the first ${storedRows} rows`;
  const stored = `Stored before that: ${rows} of this file, in the import ${importId}.`;
  if (because === "import-closed") return `${stored} The undo has taken them back, or does so when it is repeated.`;
  return `${stored} An undo takes them back. To go on, send the file again with importId=${importId}: what is stored stays as it is.`;
}
