// The move of a website to another database, in pieces. The website is paused. Once nobody writes its rows any more, the rows are copied
// and compared. Then the directory leads to the target: that is the commit point. A piece may be cut off anywhere, and two pieces may run
// at once. The rows that a piece writes in the target count only in its turn, so a late call changes nothing.
import type { Deps } from "../../deps.ts";
import {
  isUnderWay,
  type Key,
  leftBehind,
  MOST_COPIES,
  type Move,
  type Progress,
  quietAfterMilliseconds,
  type Shifts,
} from "../../domain/databases/move.ts";
import { isStoreUnavailable } from "../../domain/failure.ts";
import { describeError } from "../../platform/describe-error.ts";
import { prepareArrival } from "../../store/databases/arrivals.ts";
import { copyPlace } from "../../store/databases/directory.ts";
import { readNumbers, reserveNumbers, shiftNumbers } from "../../store/databases/move-numbers.ts";
import {
  countDifferences,
  countRows,
  deleteRows,
  NoRoomError,
  PAGE_ROWS,
  readPage,
  toTarget,
  toTargetPlace,
  writeRows,
} from "../../store/databases/move-rows.ts";
import { PAGED, type TableName } from "../../store/databases/moved-tables.ts";
import { keepRoutes, readRoutes } from "../../store/databases/moves.ts";
import { STATE, setState, setTurn, type Turn } from "../../store/databases/moving.ts";
import { spreadChange } from "../clients/spread-changes.ts";
import { receiveWaiting } from "../people/receive-inbound.ts";
import { forgetClosed, inDatabase, inFirst, withAllOpen } from "./places.ts";

/** A move, and the databases between which it is. */
export interface MoveWork {
  /** In the first database. */
  deps: Deps;
  move: Move;
  source: D1Database;
  target: D1Database;
}

/** What a piece has changed of the move. `waitSeconds`: the next one has to wait. null: nothing is left to do. */
export type Piece = (Partial<Omit<Move, "progress">> & { progress?: Partial<Progress>; waitSeconds?: number }) | null;

export function beginWork(deps: Deps, move: Move): MoveWork {
  const [source, target] = [inDatabase(deps, move.source).db, inDatabase(deps, move.target).db];
  return { deps: inFirst(deps), move, source, target };
}

/** Where the pages of a table are: from the first table on, or in the table after one that is done. */
const nextTable = (name: TableName | undefined, names: readonly TableName[] = PAGED): Progress["at"] => {
  const following = name === undefined ? names[0] : names[names.indexOf(name) + 1];
  return following ? { name: following, after: null } : null;
};

const placeOf = ({ progress }: Move) => progress.at as { name: TableName; after: Key | null };

/** Each copy has two turns in the target: one to clear it, one to fill it. */
const clearingTurn = ({ copies }: Progress) => 2 * copies + 1;
const copyingTurn = ({ copies }: Progress) => 2 * copies + 2;

const LONGEST_WAIT_SECONDS = 20;

/** Pauses the website, waits until nobody writes its rows any more, and clears what an earlier move has left in the target. */
export async function pause({ deps, move, source, target }: MoveWork): Promise<Piece> {
  const { pausedAt, at } = move.progress;
  if (pausedAt === null) {
    // A client that was made while there was one database is not in the directory: its calls would not be found to be paused.
    await keepRoutes(deps.db, move.home, await readRoutes(source, move.websiteId));
    await setState(source, move, STATE.paused);
    await setState(target, move, STATE.arriving);
    return { progress: { pausedAt: deps.now() } };
  }
  const waitSeconds = Math.ceil((pausedAt + quietAfterMilliseconds() - deps.now()) / 1000);
  if (waitSeconds > 0) return { waitSeconds: Math.min(waitSeconds, LONGEST_WAIT_SECONDS) };
  const turn = clearingTurn(move.progress);
  if (at === null) await setTurn(target, move, turn);
  const left = await clearPage(target, move, { ...move, state: STATE.arriving, turn });
  if (left) return { progress: { at: left } };
  const totalRows = await countRows(source, move.websiteId);
  const room = shiftNumbers(await readNumbers(source, move.websiteId), await readNumbers(target, move.websiteId));
  await reserveNumbers(target, room.shifts, deps.now());
  await setTurn(target, move, copyingTurn(move.progress));
  return {
    state: "copying",
    progress: { at: nextTable(undefined), ...room },
    totalRows,
    copiedRows: 0,
    comparedRows: 0,
  };
}

/** Deletes the next page. The last tables come first: what a row refers to is deleted after it. @returns null: nothing is left */
async function clearPage(db: D1Database, move: Move, turn: Turn): Promise<Progress["at"]> {
  const names = PAGED.toReversed();
  const { name } = (move.progress.at ?? nextTable(undefined, names)) as { name: TableName };
  const { rows, end } = await readPage(db, name, move, { after: null });
  await deleteRows(db, rows, turn);
  return end ? { name, after: null } : nextTable(name, names);
}

/** Copies the next page. */
export const copy = (work: MoveWork): Promise<Piece> => orCopyAgain(work.move, () => copyPage(work));

/** Compares the next page. After the last, the directory leads to the target. */
export const compare = (work: MoveWork): Promise<Piece> =>
  work.move.progress.at === null ? switchOver(work) : orCopyAgain(work.move, () => comparePage(work));

async function copyPage({ move, source, target }: MoveWork): Promise<Piece> {
  const { name, after } = placeOf(move);
  const { rows: found, end } = await readPage(source, name, move, { after });
  const turn: Turn = { ...move, state: STATE.arriving, turn: copyingTurn(move.progress) };
  await writeRows(target, toTarget(found, move.progress.shifts as Shifts, move.target), turn);
  const copiedRows = move.copiedRows + (found[name]?.length ?? 0);
  const at = end ? { name, after: end } : nextTable(name);
  return at
    ? { progress: { at }, copiedRows }
    : { state: "comparing", progress: { at: nextTable(undefined) }, copiedRows };
}

async function comparePage({ move, source, target }: MoveWork): Promise<Piece> {
  const { name, after } = placeOf(move);
  const { rows: found, end } = await readPage(source, name, move, { after });
  const shifts = move.progress.shifts as Shifts;
  const range = { after: toTargetPlace(name, after, shifts), until: toTargetPlace(name, end, shifts) };
  // A page that has more rows than it should have differs.
  const { rows } = await readPage(target, name, move, { ...range, most: 2 * PAGE_ROWS });
  const differences = [...countDifferences(toTarget(found, shifts, move.target), rows)];
  const counts = differences.map(([table, count]) => `${table}: ${count}`);
  if (counts.length > 0) return copyAgain(move, `rows that differ in the target: ${counts.join(", ")}`);
  const comparedRows = move.comparedRows + (found[name]?.length ?? 0);
  return { progress: { at: end ? { name, after: end } : nextTable(name) }, comparedRows };
}

/** Copies again when a late write took a number that the target has not reserved. */
async function orCopyAgain(move: Move, work: () => Promise<Piece>): Promise<Piece> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoRoomError) return copyAgain(move, error.message);
    throw error;
  }
}

/** A write came late: all is copied anew, unless that was done too often. */
function copyAgain({ progress }: Move, problem: string): Piece {
  const copies = progress.copies + 1;
  if (copies === MOST_COPIES) return { state: "failed", problem };
  return { state: "paused", progress: { copies, at: null, shifts: null }, problem };
}

/** The state `switched` is the commit point: see saveMove. */
async function switchOver({ deps, move, target }: MoveWork): Promise<Piece> {
  const { websiteId, home } = move;
  const { feedUntil, shifts } = move.progress;
  await keepRoutes(deps.db, home, await readRoutes(target, websiteId));
  await prepareArrival(target, { websiteId, shifts: shifts as Shifts, feedUntil }, deps.now());
  return { state: "switched" };
}

/** The directory points to the target. This updates both databases, and then the website is open again. */
export async function arrive({ deps, move, source, target }: MoveWork): Promise<Piece> {
  const { home, websiteId } = move;
  deps.places.set(home, move.target);
  await open(deps, move, move.target, target);
  await setState(source, move, STATE.left);
  forgetClosed(deps, move.source);
  // If the copy in KV is missing or old, a call goes to the source, which knows that the website has left.
  await copyPlace(deps.kv, { home, database: move.target }).catch(() => {});
  await spreadChange(inDatabase(deps, move.target), { websiteId });
  return { state: "done", endedAt: deps.now() };
}

/** A move that has failed, or was aborted: the website is open where it was. */
export async function giveUp({ deps, move, source, target }: MoveWork): Promise<Piece> {
  if (!isUnderWay(move)) return clear({ deps, move, source, target });
  await open(deps, move, move.source, source);
  await setState(target, move, STATE.left);
  forgetClosed(deps, move.target);
  return { endedAt: deps.now(), progress: { at: null } };
}

/**
 * Opens the website. Inbound texts that waited are applied first, because one may be a STOP: while the store takes none, the website stays
 * paused. A text that cannot be applied for another reason is left to the sweep.
 * @throws RequestFailure store-unavailable
 */
async function open(deps: Deps, move: Move, database: string, db: D1Database): Promise<void> {
  const receive = async (own: Deps) => {
    try {
      await receiveWaiting(own);
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      deps.log("error", "inbound.still-waits", { error: describeError(error) });
    }
  };
  await receive(withAllOpen(deps, move.home, database));
  await setState(db, move, STATE.here);
  forgetClosed(deps, database);
  await receive(deps);
}

/** Deletes the old rows of a move that has ended, once their time is over. */
export async function clear({ deps, move, source, target }: MoveWork): Promise<Piece> {
  const { database, until } = leftBehind(move);
  if (move.progress.isCleared || deps.now() < until) return null;
  const db = database === move.source ? source : target;
  const left = await clearPage(db, move, { ...move, state: STATE.left, turn: 0 });
  return { progress: left ? { at: left } : { at: null, isCleared: true } };
}
