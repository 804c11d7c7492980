import type { Deps } from "../../deps.ts";
import { RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { type StoredImport, undoStep } from "../../store/people/imports.ts";
import { requireOpen } from "../databases/places.ts";
import { audited } from "../operations/audit.ts";

/** An import that has stored nothing for so long was cut off: a part is tried for less than a minute. */
const CUT_OFF_MILLISECONDS = 5 * 60_000;

/** A call begins no step after this: a caller and what stands between wait for an answer. */
const UNDO_MILLISECONDS = 20_000;

const isUndone = ({ undoneTo, lastId }: StoredImport) => undoneTo >= lastId;

/**
 * Gives each number back what it was before an import, unless it was set again since. Goes on where an earlier call ended.
 * @param begun as it is stored
 * @returns how far it is undone
 * @throws RequestFailure import-running
 */
export async function undoImport(deps: Deps, author: Author, begun: StoredImport): Promise<StoredImport> {
  const { importId, websiteId, outcome, storedAt } = begun;
  if (outcome === null && deps.now() - storedAt < CUT_OFF_MILLISECONDS) {
    throw new RequestFailure({ kind: "import-running", until: storedAt + CUT_OFF_MILLISECONDS });
  }
  if (isUndone(begun)) return begun;
  const entry = { action: "undo-import", websiteId, subject: importId } as const;
  return audited(
    deps,
    author,
    entry,
    () => undo(deps, begun),
    ({ restored, changedSince }) => ({ restored: restored - begun.restored, changedSince }),
  );
}

async function undo(deps: Deps, begun: StoredImport): Promise<StoredImport> {
  const started = deps.now();
  let state = begun;
  do {
    await requireOpen(deps);
    state = await undoStep(deps.db, state, deps.now());
  } while (!isUndone(state) && deps.now() - started < UNDO_MILLISECONDS);
  return state;
}
