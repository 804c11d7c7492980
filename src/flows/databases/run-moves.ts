// The jobs of moves, and what the sweep does for them.
import type { Deps } from "../../deps.ts";
import {
  canAbort,
  GIVE_UP_MILLISECONDS,
  IDLE_MILLISECONDS,
  isForgotten,
  isGivenUp,
  isUnderWay,
  leftBehind,
  type Move,
  type MoveState,
} from "../../domain/databases/move.ts";
import { describeError } from "../../platform/describe-error.ts";
import { deleteMove, listMoves, noteProblem, readMove, saveMove } from "../../store/databases/moves.ts";
import { queueJobs } from "../messages/queue-jobs.ts";
import { arrive, beginWork, clear, compare, copy, giveUp, type MoveWork, type Piece, pause } from "./move-website.ts";
import { inFirst } from "./places.ts";

/** A job begins no piece after this, and queues the next. */
const JOB_MILLISECONDS = 10_000;
const MOST_PIECES = 200;

/** Other websites of the two databases have their turn between two pieces: a quarter of the time, or more. */
const PAUSE_SHARE = 1 / 3;
const LEAST_PAUSE_MILLISECONDS = 5;

const PIECES: Record<MoveState, (work: MoveWork) => Promise<Piece>> = {
  paused: pause,
  copying: copy,
  comparing: compare,
  switched: arrive,
  done: clear,
  aborted: giveUp,
  failed: giveUp,
};

export const queueMove = (deps: Deps, websiteId: string, delaySeconds = 0): Promise<boolean> =>
  queueJobs(deps, [{ kind: "move", websiteId }], delaySeconds, "bulk");

/** Works on a move for a while. Safe to run again, and twice at once. Never throws while the directory answers. */
export async function workOnMove(deps: Deps, websiteId: string, mostPieces = MOST_PIECES): Promise<void> {
  const first = inFirst(deps);
  const until = first.now() + JOB_MILLISECONDS;
  let move = await readMove(first.db, websiteId);
  for (let pieces = 0; move; pieces++) {
    if (pieces === mostPieces || first.now() > until) return void (await queueMove(first, websiteId));
    const began = first.now();
    const worked = await workOnPiece(first, move);
    await scheduler.wait(Math.max(LEAST_PAUSE_MILLISECONDS, (first.now() - began) * PAUSE_SHARE));
    if (worked?.waitSeconds) return void (await queueMove(first, websiteId, worked.waitSeconds));
    move = worked?.move;
  }
}

/** @returns undefined: the move is complete, it has failed, or another job is further and continues it */
async function workOnPiece(deps: Deps, move: Move): Promise<{ move: Move; waitSeconds?: number } | undefined> {
  try {
    const piece = await PIECES[move.state](beginWork(deps, move));
    const saved = piece && (await save(deps, move, piece));
    return saved ? { move: saved, waitSeconds: piece.waitSeconds ?? 0 } : undefined;
  } catch (error) {
    await noteFault(deps, move, error);
    return undefined;
  }
}

async function save(deps: Deps, move: Move, piece: NonNullable<Piece>): Promise<Move | undefined> {
  const { waitSeconds: _, progress, ...changed } = piece;
  const next: Move = {
    ...{ ...move, problem: null, workedAt: deps.now(), ...changed },
    progress: { ...move.progress, ...progress },
  };
  // Why it has failed stays, and why it copies anew.
  if (isGivenUp(move) || (canAbort(next) && next.progress.copies > 0)) next.problem = changed.problem ?? move.problem;
  const saved = await saveMove(deps.db, move, next);
  const { websiteId, source, target } = move;
  if (saved && saved.state !== move.state)
    deps.log("info", "move.went-on", { websiteId, source, target, state: saved.state, problem: saved.problem });
  return saved;
}

/** The sweep calls it. If the databases of a website do not let its move continue, the website is not paused forever. */
async function noteFault(deps: Deps, move: Move, error: unknown): Promise<void> {
  const problem = describeError(error);
  deps.log("error", "move.interrupted", { websiteId: move.websiteId, state: move.state, error: problem });
  if (isGivenUp(move)) return;
  const isStuck = canAbort(move) && deps.now() - move.workedAt > GIVE_UP_MILLISECONDS;
  const note = async () =>
    isStuck ? saveMove(deps.db, move, { ...move, state: "failed", problem }) : noteProblem(deps.db, move, problem);
  await note().catch(() => {});
  if (isStuck) await queueMove(deps, move.websiteId);
}

/** Resumes moves whose job was lost, or which have rows to delete, and deletes the records of moves that are over. @returns how many it resumes */
export async function takeUpMoves(deps: Deps, now: number): Promise<number> {
  if (deps.first || deps.others.size === 0) return 0;
  const moves = await listMoves(deps.db);
  const isDue = (move: Move) => isUnderWay(move) || (!move.progress.isCleared && leftBehind(move).until <= now);
  const due = moves.filter((move) => isDue(move) && move.workedAt <= now - IDLE_MILLISECONDS);
  for (const { websiteId } of due) await queueMove(deps, websiteId);
  for (const move of moves) if (isForgotten(move, now)) await deleteMove(deps.db, move);
  return due.length;
}
