import type { Deps } from "../../deps.ts";
import type { Author } from "../../domain/operations/audit.ts";
import type { StoredImport } from "../../store/people/imports.ts";
import { undoStep } from "../../store/people/undo-import.ts";
import { audited } from "../operations/audit.ts";

/** A call begins no step after this: a caller and what stands between wait for an answer. */
export const UNDO_MILLISECONDS = 20_000;

const isUndone = ({ isClosed, undoneTo, lastId }: StoredImport) => isClosed && undoneTo >= lastId;

/**
 * Gives each number back what it was before an import, unless it was set again since. Goes on where an earlier call ended. An import
 * that still goes on is closed: what it has stored is taken back, and it stores nothing more.
 * @param begun as it is stored
 * @returns how far it is undone
 */
export async function undoImport(deps: Deps, author: Author, begun: StoredImport): Promise<StoredImport> {
  const { importId, websiteId } = begun;
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
    state = await undoStep(deps.db, state, deps.now());
  } while (!isUndone(state) && deps.now() - started < UNDO_MILLISECONDS);
  return state;
}
