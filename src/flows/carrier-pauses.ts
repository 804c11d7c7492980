// What isolates know of one another's circuit breakers: a pause is stored when a breaker opens, and ends with the first answer.
// Pauses are in the first database; what waits for a carrier is in each.
import type { Deps } from "../deps.ts";
import type { CircuitBreaker } from "../domain/circuit-breaker.ts";
import { maskNumbers } from "../domain/mask.ts";
import { describeError } from "../platform/describe-error.ts";
import {
  endPause,
  readPauses,
  readRelease,
  releasePause,
  storePause,
  takeRetries,
} from "../platform/store/carrier-pauses.ts";
import { askEach } from "./ask-each.ts";
import { inEach, inFirst } from "./places.ts";
import { queueOverdue } from "./queue-jobs.ts";
import { unlessItFails } from "./unless-it-fails.ts";

/** After the answer of the invocation: the pause is for the operator, and for other isolates. */
export function notePause(deps: Deps, carrier: string, breaker: CircuitBreaker, cause: string): void {
  const now = deps.now();
  const openUntil = breaker.openUntil(now) ?? now;
  const pause = { carrier, openUntil, cause: maskNumbers(cause) };
  deps.log("warn", "carrier.paused", { carrier, seconds: Math.ceil((openUntil - now) / 1000), error: cause });
  deps.waitUntil(
    unlessItFails(deps, "carrier.pause-unknown", { carrier }, () => storePause(inFirst(deps).db, pause, now)),
  );
}

/** The carrier has answered: what waits for it is due now. Its pause ends, unless the answer was slow: that is a problem too. */
export function noteAnswer(deps: Deps, carrier: string, isSlow: boolean): void {
  deps.waitUntil(
    unlessItFails(deps, "carrier.pause-unknown", { carrier }, async () => {
      const { db } = inFirst(deps);
      if (!(await (isSlow ? releasePause(db, carrier, deps.now()) : endPause(db, carrier)))) return;
      const count = await wake(deps, carrier);
      deps.log("info", "carrier.answers", { carrier, count });
    }),
  );
}

/** The pause is stored in the background: a missing one says something once that is surely over. */
const STORED_AFTER_MILLISECONDS = 10_000;

/** Whether another isolate, the sweep or an operator has let the next submission through. Never throws. */
export async function isReleased(deps: Deps, carrier: string, { openedAt }: CircuitBreaker): Promise<boolean> {
  try {
    const pause = await readRelease(inFirst(deps).db, carrier);
    return pause ? pause.releasedAt > openedAt : deps.now() - openedAt > STORED_AFTER_MILLISECONDS;
  } catch (error) {
    deps.log("error", "carrier.pause-unknown", { carrier, error: describeError(error) });
    return false;
  }
}

/** An operator knows better. @returns how many messages are due now */
export async function tryCarrier(deps: Deps, carrier: string): Promise<number> {
  await releasePause(inFirst(deps).db, carrier, deps.now());
  deps.breakers.get(carrier)?.release();
  return wake(deps, carrier);
}

/** The sweep runs so often. */
const PROBE_MILLISECONDS = 60_000;

/** After so long without another opening, nothing waits for the carrier any more. */
const FORGOTTEN_MILLISECONDS = 900_000;

/**
 * Each minute, one message is tried at a carrier that pauses for longer, or whose messages all wait for longer than it: its
 * recovery is noticed within a minute, and the others that wait cost nothing meanwhile.
 */
export async function probeCarriers(deps: Deps, now: number): Promise<number> {
  const { db } = inFirst(deps);
  const pauses = await readPauses(db);
  const isTriedSoon = (at: number) => at > now && at <= now + PROBE_MILLISECONDS;
  const resting = pauses.filter(({ openUntil }) => !isTriedSoon(openUntil));
  for (const { carrier } of resting) {
    const probe = await takeRetries(deps.db, carrier, now, 1);
    if (probe.length > 0) await releasePause(db, carrier, now);
    await queueDue(deps, probe, now);
  }
  const forgotten = resting.filter(({ openUntil }) => openUntil < now - FORGOTTEN_MILLISECONDS);
  if (!deps.first) for (const { carrier } of forgotten) await endPause(db, carrier);
  return resting.length;
}

const STEP = 1000;

/** The rest is due as it says: minutes later at most. */
const MOST_STEPS = 20;

/** In each database that answers: where one does not, its sweep finds what is due. */
async function wake(deps: Deps, carrier: string): Promise<number> {
  const { answers } = await askEach(inEach(deps), (own) => wakeIn(own, carrier));
  return answers.reduce((sum, count) => sum + count, 0);
}

async function wakeIn(deps: Deps, carrier: string): Promise<number> {
  const now = deps.now();
  let count = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const due = await takeRetries(deps.db, carrier, now, STEP);
    await queueDue(deps, due, now);
    count += due.length;
    if (due.length < STEP) break;
  }
  return count;
}

const queueDue = (deps: Deps, due: { messageId: string; websiteId: string }[], now: number) =>
  queueOverdue(
    deps,
    due.map((message) => ({ ...message, at: now })),
    now,
  );
