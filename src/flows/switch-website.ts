// The end of a move: the source refuses what is written of the website, the rest is copied, and the directory leads to the target.
import { describeError } from "../platform/describe-error.ts";
import { copyPlace } from "../platform/store/directory.ts";
import { flipHome, keepRoutes, readRoutes } from "../platform/store/moves.ts";
import { STATE } from "../platform/store/moving.ts";
import { endArrival, readPresence, setPresence } from "../platform/store/presence.ts";
import { type Arrival, catchUp, compareLogged, failMove, goOn, type MoveWork, readArrival } from "./move-website.ts";
import { inDatabase } from "./places.ts";
import { spreadChange } from "./spread-changes.ts";

/** Isolates that have not heard of the move ask again after a second: guarded-database.ts. Their clocks stand while they compute. */
const UNHEARD_MILLISECONDS = 3000;

/** The fence is put up when no more than these rows of the log are left. */
const SHORT_LOG = 500;

/** The fence is taken down again where the rest takes longer: requests wait for it. */
const FENCE_MILLISECONDS = 1500;

const MOST_COMPARISONS = 3;

/** Goes on where an earlier piece was cut off. */
export async function switchOver(work: MoveWork): Promise<void> {
  const { source, move } = work;
  const presence = await readPresence(source, move.home);
  // A run was cut off while it ended the move, or the log is lost.
  if (!presence) return failMove(work, "the source has no log of the changes");
  if (presence.state === STATE.left) return arrive(work);
  // Of a run that was cut off, or takes too long: requests wait.
  if (presence.state === STATE.fenced) return openFence(work, presence.turn);
  const { arrival, count } = await catchUp(work, await readArrival(work), SHORT_LOG);
  if (count > SHORT_LOG) return;
  // What reads the directory keeps the jobs of the website by themselves from now on.
  if (move.step === "switch") {
    await scheduler.wait(UNHEARD_MILLISECONDS);
    return goOn(work, "fence");
  }
  const { state, turn } = presence;
  const fenced = await setPresence(source, move.home, { state, turn }, STATE.fenced);
  if (fenced === undefined) return;
  try {
    await behindFence(work, arrival, fenced);
  } catch (error) {
    await openFence(work, fenced);
    throw error;
  }
}

/** @param turn of the fence: a run that has taken it down since has changed it */
async function behindFence(work: MoveWork, begun: Arrival, turn: number): Promise<void> {
  const { deps, source, target, move } = work;
  const fencedAt = deps.now();
  let { arrival, count } = await catchUp(work, begun, 0);
  let fault = await compareLogged(work, arrival);
  // What was deleted by age meanwhile is in the log.
  for (let tries = 0; fault && tries < MOST_COMPARISONS; tries++) {
    ({ arrival, count } = await catchUp(work, arrival, 0));
    fault = await compareLogged(work, arrival);
  }
  if (fault) return failMove(work, fault);
  if (count > 0) return openFence(work, turn);
  await keepRoutes(deps.db, move.home, await readRoutes(target, move.websiteId));
  const isLate = deps.now() - fencedAt > FENCE_MILLISECONDS;
  if (isLate) return openFence(work, turn);
  // The commit point: nothing was written since the fence was put up, or the turn is another one.
  const left = await setPresence(source, move.home, { state: STATE.fenced, turn }, STATE.left);
  if (left !== undefined) await arrive(work);
}

/** Never throws: the next piece puts the fence up again, or takes it down. */
async function openFence({ deps, source, move }: MoveWork, turn: number): Promise<void> {
  try {
    await setPresence(source, move.home, { state: STATE.fenced, turn }, STATE.leaving);
  } catch (error) {
    deps.log("error", "move.fenced", { websiteId: move.websiteId, error: describeError(error) });
  }
}

/** The source has let the website go. */
async function arrive(work: MoveWork): Promise<void> {
  const { deps, target, move } = work;
  const { home, websiteId } = move;
  const arrival = await readPresence(target, home);
  if (arrival?.progress) await endArrival(target, move, arrival as Arrival, deps.now());
  await flipHome(deps.db, move, deps.now());
  deps.places.set(home, move.target);
  deps.log("info", "move.done", { websiteId, database: move.target });
  // The sweep spreads what is not spread here; a place in KV that is outdated leads to the source, which leads on.
  await copyPlace(deps.kv, { home, database: move.target }).catch(() => {});
  await spreadChange(inDatabase(deps, move.target), { websiteId });
}
