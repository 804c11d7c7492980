// What follows from circuit breakers: the messages of a sender or a carrier wait while its breaker is open, and go once it works. Each
// database has the breakers of the messages that are in it.
import type { Deps } from "../../deps.ts";
import type { BreakerChange, BreakerKey, BreakerState } from "../../domain/messages/circuit-breaker.ts";
import type { Lane } from "../../domain/messages/job.ts";
import { longestWaitMilliseconds } from "../../domain/messages/retry-policy.ts";
import {
  type DueMessage,
  forgetPause,
  putOff,
  readBreakers,
  releasePause,
  storeBreakers,
  takeRetries,
  whyPaused,
} from "../../store/messages/carrier-pauses.ts";
import { askEach } from "../databases/ask-each.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { queueDeliveriesAt, queueOverdue } from "./queue-jobs.ts";

/**
 * Messages of a sender or a carrier that pauses wait in the store and in the queue.
 * @returns their ids
 */
export async function waitForPauses(
  deps: Deps,
  lane: Lane,
  ids: string[],
  pauses: BreakerState[],
): Promise<Set<string>> {
  if (pauses.length === 0) return new Set();
  const now = deps.now();
  const waiting = await putOff(deps.db, ids, pauses, { now, longestWait: longestWaitMilliseconds(deps.config) });
  for (const pause of pauses) {
    const count = waiting.filter(({ reason }) => reason === whyPaused(pause)).length;
    const seconds = Math.ceil((pause.openUntil - now) / 1000);
    if (count > 0) deps.log("warn", "carrier.rests", { ...toLogged(pause), count, seconds });
  }
  await queueDeliveriesAt(deps, lane, waiting, now);
  return new Set(waiting.map(({ messageId }) => messageId));
}

/** The sender is left out where all of them pause. */
const toLogged = ({ carrier, sender }: BreakerKey) => ({ carrier, ...(sender === "" ? {} : { sender }) });

/** A line of the log for each breaker that has opened. */
export function logOpened(deps: Deps, changes: BreakerChange[]): void {
  for (const change of changes) {
    if (change.openUntil === null) continue;
    const seconds = Math.ceil((change.openUntil - deps.now()) / 1000);
    deps.log("warn", "carrier.paused", { ...toLogged(change), about: change.about, seconds, error: change.cause });
  }
}

/** Stores an opening in the background: the submissions still hang, so it cannot be stored with their outcomes. */
export function noteHang(deps: Deps, carrier: string, changes: BreakerChange[]): void {
  logOpened(deps, changes);
  deps.waitUntil(
    unlessItFails(deps, "carrier.pause-unknown", { carrier }, () => storeBreakers(deps.db, changes, deps.now())),
  );
}

/** A sender or a carrier works again: makes the messages that wait for it due now, in the background. */
export function wakeLater(deps: Deps, key: BreakerKey): void {
  deps.waitUntil(
    unlessItFails(deps, "carrier.pause-unknown", toLogged(key), async () => {
      const count = await wakeIn(deps, key);
      deps.log("info", "carrier.answers", { ...toLogged(key), count });
    }),
  );
}

/** Makes the messages that wait for a retry by this sender due now, in the background: new settings of a website give them another way. */
export function tryNewWay(deps: Deps, key: BreakerKey): void {
  deps.waitUntil(
    unlessItFails(deps, "carrier.pause-unknown", toLogged(key), async () => {
      await wakeIn(deps, key);
    }),
  );
}

/**
 * Ends the pauses of a carrier and of its senders when an operator asks for it, and makes their waiting messages due now.
 * @returns how many messages are due now, in the databases that answer
 */
export async function tryCarrier(deps: Deps, carrier: string): Promise<number> {
  const { answers } = await askEach(deps, async (own) => {
    await releasePause(own.db, { carrier, sender: null }, own.now());
    return wakeIn(own, { carrier, sender: "" });
  });
  return answers.reduce((sum, count) => sum + count, 0);
}

/** The sweep runs so often. */
const PROBE_MILLISECONDS = 60_000;

/** How long after the last failure no message waits for it any more. */
const FORGOTTEN_MILLISECONDS = 900_000;

/**
 * Tries one message a minute of each sender and carrier that pauses for more than a minute, or whose messages all wait for longer than the
 * pause. So a recovery is noticed within a minute, and the other messages cost nothing while they wait.
 */
export async function probeCarriers(deps: Deps, now: number): Promise<number> {
  const breakers = await readBreakers(deps.db);
  // If a pause ends before the next sweep, the messages that wait for its end try it.
  const endsSoon = (at: number) => at > now && at <= now + PROBE_MILLISECONDS;
  // No message of a sender goes while its carrier pauses.
  const paused = breakers.filter(({ sender, openUntil }) => sender === "" && openUntil > now);
  const isStopped = (key: BreakerKey) => key.sender !== "" && paused.some(({ carrier }) => carrier === key.carrier);
  const probed = breakers.filter((it) => it.hasOpened && !endsSoon(it.openUntil) && !isStopped(it));
  // Once the pause of its own sender ends, a message does not wait for the fallback any more: so all are taken before the first ends.
  const probes: [BreakerKey, DueMessage[]][] = [];
  for (const key of probed) probes.push([key, await takeRetries(deps.db, key, now, 1)]);
  for (const [key, due] of probes) {
    if (due.length > 0) await releasePause(deps.db, key, now);
    await queueDue(deps, due, now);
  }
  const isForgotten = (at: number) => at < now - FORGOTTEN_MILLISECONDS;
  for (const breaker of breakers) {
    if (isForgotten(breaker.openUntil) && isForgotten(breaker.failedAt)) await forgetPause(deps.db, breaker);
  }
  return probed.length;
}

const STEP = 1000;

/** Messages beyond these steps keep their own times, which are minutes later at most. */
const MOST_STEPS = 20;

async function wakeIn(deps: Deps, key: BreakerKey): Promise<number> {
  const now = deps.now();
  let count = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const due = await takeRetries(deps.db, key, now, STEP);
    await queueDue(deps, due, now);
    count += due.length;
    if (due.length < STEP) break;
  }
  return count;
}

const queueDue = (deps: Deps, due: DueMessage[], now: number) =>
  queueOverdue(
    deps,
    due.map((message) => ({ ...message, at: now })),
    now,
  );
