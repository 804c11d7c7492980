// What a move has left behind is deleted.
import type { Move } from "../domain/move.ts";
import { deleteRows, keysOf, readPage } from "../platform/store/move-rows.ts";
import { PAGED } from "../platform/store/moved-tables.ts";
import { deleteMove } from "../platform/store/moves.ts";
import { isLateError } from "../platform/store/moving.ts";
import {
  endTriggers,
  PASS,
  type Presence,
  type Progress,
  readPresence,
  takeTurn,
  trimLog,
} from "../platform/store/presence.ts";
import type { MoveWork } from "./move-website.ts";

/** Rows that are deleted at once, with what follows them. */
const CLEARED_ROWS = 500;

/** Other websites that have left the database need the triggers. */
export async function dropUnused(db: D1Database): Promise<void> {
  await endTriggers(db).catch((error) => {
    if (!isLateError(error)) throw error;
  });
}

/** What is not needed any more: in the source of a move that has ended, or in the target of one that has failed. */
export async function clearMove(work: MoveWork): Promise<void> {
  const { deps, move, source, target } = work;
  const db = move.movedAt === null ? target : source;
  const presence = await readPresence(db, move.home);
  if (presence) {
    if (await clearPage(db, move, presence)) await takeTurn(db, move.home, presence.turn, [], null);
    return;
  }
  await trimLog(source, move.home, Number.MAX_SAFE_INTEGER);
  await dropUnused(source);
  await deleteMove(deps.db, move);
}

/** The progress of what is cleared. */
const CLEARING: Progress = {
  ...{ run: 0, shifts: { changes: { by: 0, end: 0 }, feed: { by: 0, end: 0 } }, feedUntil: 0, pass: PASS.done },
  ...{ at: null, rows: [], total: 0, log: 0 },
};

/** @returns whether nothing is left. The last tables come first: what a row refers to is deleted after it */
export async function clearPage(
  db: D1Database,
  { home, websiteId }: Move,
  { turn, progress }: Presence,
): Promise<boolean> {
  const names = PAGED.toReversed();
  const name = progress?.run === CLEARING.run ? progress.at?.name : names[0];
  if (name === undefined) return true;
  const { rows, end } = await readPage(db, name, { home, websiteId }, { after: null, most: CLEARED_ROWS });
  const next = end ? name : names[names.indexOf(name) + 1];
  const at = next ? { name: next, after: null } : null;
  await takeTurn(db, home, turn, deleteRows(db, keysOf(rows)), { ...CLEARING, at });
  return false;
}
