import type { Deps } from "../../deps.ts";
import type { Website } from "../../domain/clients/website.ts";
import { FULL_SHARE, percentOf, shareOf } from "../../domain/databases/database-state.ts";
import { canAbort, isGivenUp, isUnderWay, leftBehind, type Move, NO_PROGRESS } from "../../domain/databases/move.ts";
import { failField, RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { insertMove, readMove, saveMove } from "../../store/databases/moves.ts";
import { audited } from "../operations/audit.ts";
import { isKnownEverywhere } from "./choose-database.ts";
import { inFirst } from "./places.ts";
import { readDatabases } from "./read-databases.ts";
import { queueMove, workOnMove } from "./run-moves.ts";

function refuse(why: string): never {
  throw new RequestFailure({ kind: "move-refused", why });
}

/**
 * Begins to move a website, or goes on with the move to this database. Safe to repeat.
 * @param own where the website is
 * @throws RequestFailure move-refused, fields-wrong
 */
export async function startMove(own: Deps, author: Author, website: Website, target: string): Promise<Move> {
  const first = inFirst(own);
  const { websiteId, home, database: source } = website;
  const before = await readMove(first.db, websiteId);
  if (before && isUnderWay(before)) {
    if (isGivenUp(before)) refuse("its last move is being given up: wait a minute");
    if (before.target !== target) refuse(`it is on its way to ${before.target}`);
    await queueMove(first, websiteId);
    return before;
  }
  if (before?.state === "done" && before.target === target) return before;
  await requireRoom(first, source, target);
  requireCleared(before, target);
  const startedAt = Math.max(first.now(), (before?.startedAt ?? 0) + 1);
  const move: Move = {
    ...{ websiteId, home, source, target, state: "paused", startedAt, workedAt: startedAt, endedAt: null, turn: 0 },
    ...{ progress: NO_PROGRESS, copiedRows: 0, comparedRows: 0, totalRows: null, problem: null },
  };
  const entry = {
    action: "move-website",
    websiteId,
    before: { database: source },
    after: { database: target },
  } as const;
  const begin = () => insertMove(first.db, move);
  const isBegun = await audited(first, author, entry, begin, (isBegun) => ({ isBegun }));
  if (!isBegun) refuse("another website is being moved: one moves at a time");
  await queueMove(first, websiteId);
  return move;
}

/** The old rows of the last move are deleted once their time is over, or by a move back to their database. */
function requireCleared(before: Move | undefined, target: string): void {
  if (!before || before.progress.isCleared) return;
  const { database, until } = leftBehind(before);
  if (database !== target)
    refuse(`${database} keeps its old rows until ${new Date(until).toISOString()}: move it back there, or wait`);
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

/** The `problem` of a move that an operator has ended. */
export const ABORTED = "an operator has aborted it";

/** A job may store a piece at the same time. */
const MOST_TRIES = 10;

/**
 * Ends a move that is not decided yet: the website stays where it is. Safe to repeat.
 * @throws RequestFailure move-refused, resource-unknown
 */
export async function abortMove(deps: Deps, author: Author, websiteId: string): Promise<Move> {
  const first = inFirst(deps);
  const entry = { action: "abort-move", websiteId } as const;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const move = await readMove(first.db, websiteId);
    if (!move) throw new RequestFailure({ kind: "resource-unknown", what: "move" });
    if (isGivenUp(move)) return move;
    if (!canAbort(move)) refuse(`it is in ${move.target} already: move it back to ${move.source}`);
    const end = () => saveMove(first.db, move, { ...move, state: "aborted", problem: ABORTED, workedAt: first.now() });
    const ended = await audited(first, author, entry, end, (saved) => ({ isAborted: saved !== undefined }));
    if (!ended) continue;
    // The website is open again with the answer, where its database answers.
    await workOnMove(first, websiteId, 1);
    return (await readMove(first.db, websiteId)) ?? ended;
  }
  throw new RequestFailure({ kind: "store-unavailable", isRefused: true });
}

export const findMove = (deps: Deps, websiteId: string): Promise<Move | undefined> =>
  readMove(inFirst(deps).db, websiteId);
