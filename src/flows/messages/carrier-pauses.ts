// What follows from the circuit breakers of carriers: messages wait while one is open, and go once the carrier answers. Each database
// has the breakers of the messages that are in it.
import type { Deps } from "../../deps.ts";
import type { BreakerChange, BreakerState } from "../../domain/messages/circuit-breaker.ts";
import type { Lane } from "../../domain/messages/job.ts";
import { longestWaitMilliseconds } from "../../domain/messages/retry-policy.ts";
import {
  forgetPause,
  putOff,
  readBreakers,
  releasePause,
  storeBreaker,
  takeRetries,
} from "../../store/messages/carrier-pauses.ts";
import { askEach } from "../databases/ask-each.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { queueDeliveriesAt, queueOverdue } from "./queue-jobs.ts";

/** Messages of a carrier that pauses wait in the store and in the queue. */
export async function waitForCarrier(deps: Deps, lane: Lane, ids: string[], breaker: BreakerState): Promise<void> {
  const now = deps.now();
  const waiting = await putOff(deps.db, ids, breaker, { now, longestWait: longestWaitMilliseconds(deps.config) });
  if (waiting.length === 0) return;
  const seconds = Math.ceil((breaker.openUntil - now) / 1000);
  deps.log("warn", "carrier.rests", { carrier: breaker.carrier, count: waiting.length, seconds });
  await queueDeliveriesAt(deps, lane, waiting, now);
}

/** A line of the log for a breaker that has opened. */
export function logOpened(deps: Deps, change: BreakerChange | null): void {
  if (!change || change.openUntil === null) return;
  const seconds = Math.ceil((change.openUntil - deps.now()) / 1000);
  deps.log("warn", "carrier.paused", { carrier: change.carrier, seconds, error: change.cause });
}

/** Stores an opening in the background: the submissions still hang, so it cannot be stored with their outcomes. */
export function noteHang(deps: Deps, change: BreakerChange | null): void {
  if (!change) return;
  logOpened(deps, change);
  const { carrier } = change;
  deps.waitUntil(
    unlessItFails(deps, "carrier.pause-unknown", { carrier }, () => storeBreaker(deps.db, change, deps.now())),
  );
}

/** A carrier that had paused has answered: makes the messages that wait for it due now, in the background. */
export function wakeLater(deps: Deps, carrier: string): void {
  deps.waitUntil(
    unlessItFails(deps, "carrier.pause-unknown", { carrier }, async () => {
      const count = await wakeIn(deps, carrier);
      deps.log("info", "carrier.answers", { carrier, count });
    }),
  );
}

/**
 * Ends the pause of a carrier when an operator asks for it, and makes its waiting messages due now.
 * @returns how many messages are due now, in the databases that answer
 */
export async function tryCarrier(deps: Deps, carrier: string): Promise<number> {
  const { answers } = await askEach(deps, async (own) => {
    await releasePause(own.db, carrier, own.now());
    return wakeIn(own, carrier);
  });
  return answers.reduce((sum, count) => sum + count, 0);
}

/** The sweep runs so often. */
const PROBE_MILLISECONDS = 60_000;

/** How long after the last failure no message waits for the carrier any more. */
const FORGOTTEN_MILLISECONDS = 900_000;

/**
 * Tries one message a minute at each carrier that pauses for more than a minute, or whose messages all wait for longer than the pause.
 * So a recovery is noticed within a minute, and the other messages cost nothing while they wait.
 */
export async function probeCarriers(deps: Deps, now: number): Promise<number> {
  const breakers = await readBreakers(deps.db);
  // If a pause ends before the next sweep, the messages that wait for its end try the carrier.
  const endsSoon = (at: number) => at > now && at <= now + PROBE_MILLISECONDS;
  const probed = breakers.filter(({ hasOpened, openUntil }) => hasOpened && !endsSoon(openUntil));
  for (const { carrier } of probed) {
    const probe = await takeRetries(deps.db, carrier, now, 1);
    if (probe.length > 0) await releasePause(deps.db, carrier, now);
    await queueDue(deps, probe, now);
  }
  const isForgotten = (at: number) => at < now - FORGOTTEN_MILLISECONDS;
  for (const { carrier, openUntil, failedAt } of breakers) {
    if (isForgotten(openUntil) && isForgotten(failedAt)) await forgetPause(deps.db, carrier);
  }
  return probed.length;
}

const STEP = 1000;

/** Messages beyond these steps keep their own times, which are minutes later at most. */
const MOST_STEPS = 20;

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
