// The jobs of moves, and what the sweep does for them.
import type { Deps } from "../deps.ts";
import { IDLE_MILLISECONDS, isUnderWay, keptUntil, type Move } from "../domain/move.ts";
import { describeError } from "../platform/describe-error.ts";
import { listMoves, readMove, setStep } from "../platform/store/moves.ts";
import { isLateError } from "../platform/store/moving.ts";
import { clearMove } from "./clear-move.ts";
import { beginWork, goOn, type MoveWork, passOn, prepareMove } from "./move-website.ts";
import { inFirst } from "./places.ts";
import { queueJobs } from "./queue-jobs.ts";
import { switchOver } from "./switch-website.ts";

/** A job begins no piece after this, and queues the next. */
const JOB_MILLISECONDS = 2000;
const MOST_PIECES = 20;

/** Both databases are free for others in nine tenths of the time, or more. */
const PAUSES = 9;
const LONGEST_PAUSE_MILLISECONDS = 2000;

const STEPS: Partial<Record<Move["step"], (work: MoveWork) => Promise<void>>> = {
  prepare: prepareMove,
  copy: passOn,
  check: passOn,
  switch: switchOver,
  fence: switchOver,
  clear: clearMove,
};

export const queueMove = (deps: Deps, websiteId: string): Promise<boolean> =>
  queueJobs(deps, [{ kind: "move", websiteId }], 0, "bulk");

/** Works on a move for a while. Safe to run again, and twice at once. Never throws while the directory answers. */
export async function workOnMove(deps: Deps, websiteId: string): Promise<void> {
  const until = deps.now() + JOB_MILLISECONDS;
  for (let piece = 0; ; piece++) {
    const move = await readMove(inFirst(deps).db, websiteId);
    const work = move && STEPS[move.step];
    if (!move || !work) return;
    if (piece === MOST_PIECES || deps.now() > until) {
      await goOn(beginWork(deps, move), move.step);
      await queueMove(deps, websiteId);
      return;
    }
    try {
      const began = deps.now();
      await work(beginWork(deps, move));
      await scheduler.wait(Math.min((deps.now() - began) * PAUSES, LONGEST_PAUSE_MILLISECONDS));
    } catch (error) {
      // Another run is further, and goes on; or this one is, without having heard of it: then the sweep goes on.
      if (!isLateError(error)) await noteFault(deps, move, error);
      return;
    }
  }
}

async function noteFault(deps: Deps, move: Move, error: unknown): Promise<void> {
  const cause = describeError(error);
  deps.log("error", "move.interrupted", { websiteId: move.websiteId, step: move.step, error: cause });
  await setStep(inFirst(deps).db, move, move.step, move.workedAt, cause).catch(() => {});
}

/** Takes up moves whose job was lost, and clears what is kept no longer. @returns how many */
export async function takeUpMoves(deps: Deps, now: number): Promise<number> {
  if (deps.first || deps.others.size === 0) return 0;
  const due = (await listMoves(deps.db)).filter((move) => {
    if (isUnderWay(move)) return move.workedAt <= now - IDLE_MILLISECONDS;
    return keptUntil(move) <= now;
  });
  for (const move of due) {
    if (!isUnderWay(move)) await setStep(deps.db, move, "clear", now, move.error);
    await queueMove(deps, move.websiteId);
  }
  return due.length;
}
