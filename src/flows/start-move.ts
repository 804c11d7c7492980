import type { Deps } from "../deps.ts";
import type { Author } from "../domain/audit.ts";
import { FULL_SHARE, percentOf, shareOf } from "../domain/database-state.ts";
import { failField, RequestFailure } from "../domain/failure.ts";
import { canGoBack, isUnderWay, keptUntil, type Move } from "../domain/move.ts";
import type { Website } from "../domain/website.ts";
import { insertMove, readMove } from "../platform/store/moves.ts";
import { countLog, hasForeignNotices, readPresence } from "../platform/store/presence.ts";
import { audited } from "./audit.ts";
import { isKnownEverywhere } from "./choose-database.ts";
import { inDatabase, inFirst } from "./places.ts";
import { readDatabases } from "./read-databases.ts";
import { queueMove } from "./run-moves.ts";

function refuse(why: string): never {
  throw new RequestFailure({ kind: "move-refused", why });
}

/**
 * Begins to move a website.
 * @param own where the website is
 * @throws RequestFailure move-refused, fields-wrong
 */
export async function startMove(own: Deps, author: Author, website: Website, target: string): Promise<Move> {
  const { websiteId } = website;
  const first = inFirst(own);
  const before = await readMove(first.db, websiteId);
  if (before && isUnderWay(before)) refuse(`it is on its way to ${before.target}`);
  if (before?.movedAt)
    refuse(`its last move is kept until ${new Date(keptUntil(before)).toISOString()}: move it back, or wait`);
  if (before && before.target !== target) refuse(`${before.target} still has what a failed move has left there`);
  return begin(own, author, website, target);
}

/** Moves a website back to where it was. @throws RequestFailure move-refused */
export async function moveBack(own: Deps, author: Author, website: Website): Promise<Move> {
  const before = await readMove(inFirst(own).db, website.websiteId);
  if (!before || !canGoBack(before, own.now())) refuse("it was not moved within the last 24 hours");
  return begin(own, author, website, before.source);
}

async function begin(own: Deps, author: Author, { websiteId, home, database }: Website, target: string): Promise<Move> {
  await requireRoom(own, database, target);
  if (await hasForeignNotices(own.db, websiteId, home))
    refuse("a text to several websites still has callbacks that are due: wait for them");
  const now = own.now();
  const move: Move = {
    ...{ websiteId, home, source: database, target, step: "prepare" },
    ...{ startedAt: now, workedAt: now, movedAt: null, error: null },
  };
  const first = inFirst(own);
  const entry = { action: "move-website", websiteId, before: { database }, after: { database: target } } as const;
  const isBegun = await audited(
    first,
    author,
    entry,
    () => insertMove(first.db, move),
    (isBegun) => ({ isBegun }),
  );
  if (!isBegun) refuse("another website is being moved: one moves at a time");
  await queueMove(first, websiteId);
  return move;
}

async function requireRoom(deps: Deps, source: string, target: string): Promise<void> {
  const databases = await readDatabases(deps);
  const found = databases.find(({ database }) => database === target);
  if (!found) failField("database", `must be one of: ${databases.map(({ database }) => database).join(", ")}`);
  if (source === target) refuse(`it is in ${target} already`);
  for (const { database, status } of databases) {
    if (status !== "ok" && [source, target].includes(database)) refuse(`${database} is ${status}`);
  }
  if (!isKnownEverywhere(databases, deps.now())(found))
    refuse(`${target} was added just now: it takes websites ten minutes after its first sweep`);
  if (shareOf(found) >= FULL_SHARE) refuse(`${target} is full: ${percentOf(found)} %`);
}

/** What an operator sees of a move. Numbers are null where its databases need not be asked. */
export interface MoveStatus extends Move {
  rowsCopied: number | null;
  rowsCompared: number | null;
  rowsTotal: number | null;
  logLength: number | null;
  isFenced: boolean;
}

const MOST_LOGGED = 100_000;

export async function readMoveStatus(deps: Deps, websiteId: string): Promise<MoveStatus | undefined> {
  const move = await readMove(inFirst(deps).db, websiteId);
  if (!move) return undefined;
  const nothing = { rowsCopied: null, rowsCompared: null, rowsTotal: null, logLength: null, isFenced: false };
  if (!isUnderWay(move)) return { ...move, ...nothing };
  const [source, target] = [inDatabase(deps, move.source).db, inDatabase(deps, move.target).db];
  const [left, arrival] = [await readPresence(source, move.home), await readPresence(target, move.home)];
  const progress = arrival?.progress?.run === move.startedAt ? arrival.progress : null;
  if (!progress) return { ...move, ...nothing };
  return {
    ...move,
    rowsCopied: progress.rows[0] ?? 0,
    rowsCompared: progress.rows[1] ?? 0,
    rowsTotal: progress.total,
    logLength: await countLog(source, move.home, progress.log, MOST_LOGGED),
    isFenced: left !== undefined && left.state > 0,
  };
}
