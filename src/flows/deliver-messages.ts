import type { Deps } from "../deps.ts";
import { CircuitBreaker } from "../domain/circuit-breaker.ts";
import { longestWaitMilliseconds } from "../domain/retry-policy.ts";
import {
  type ClaimedMessage,
  claimMessages,
  findWaiting,
  postpone,
  type WaitingMessages,
} from "../platform/store/messages.ts";
import { type CarrierRun, type DeliveryRun, isOver } from "./delivery-run.ts";
import { claimOrRelease, queueCallbacks, queueDeliveries } from "./queue-jobs.ts";
import { recordEndings } from "./store-outcomes.ts";
import { type Ended, submit } from "./submit-message.ts";

/** A small claim: when a run is cut off, the outcome of each message that it has claimed is unknown. */
const SUBMISSIONS_A_CONNECTION = 2;

/** How long a run waits for the submissions of one claim. Slower ones end in the background, and hold up no other batch. */
const CLAIM_WAIT_MILLISECONDS = 2000;

/**
 * Submits each of the messages that still wait, once: a run submits only messages that it has claimed in the store, and a
 * message that may have been submitted is never claimed again. Neither carriers nor websites wait for one another.
 * @throws RequestFailure store-unavailable: safe to run again
 */
export async function deliverMessages(deps: Deps, ids: string[], run: DeliveryRun): Promise<void> {
  if (isOver(deps, run)) {
    await queueDeliveries(deps, run.lane, ids);
    return;
  }
  const waiting = [...Map.groupBy(await findWaiting(deps.db, ids), ({ carrier }) => carrier)];
  const { free } = run.connections;
  const share = Math.max(1, Math.floor(free / waiting.length));
  const ends = await Promise.allSettled(
    waiting.map(async ([carrier, websites], place) => {
      const own = alternate(websites);
      const part = { run, carrier, breaker: breakerOf(deps, carrier), share };
      // If earlier submissions of this invocation still hang, another invocation has connections of its own.
      await (place < free ? deliverThrough(deps, part, own) : queueDeliveries(deps, run.lane, own));
    }),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

/** One message of each website in turn, so that many of one do not keep the others waiting. */
function alternate(websites: WaitingMessages[]): string[] {
  const longest = Math.max(...websites.map(({ messageIds }) => messageIds.length));
  return Array.from({ length: longest }, (_, turn) =>
    websites.flatMap(({ messageIds }) => messageIds.slice(turn, turn + 1)),
  ).flat();
}

async function deliverThrough(deps: Deps, part: CarrierRun, ids: string[]): Promise<unknown> {
  const { run, breaker } = part;
  const step = part.share * SUBMISSIONS_A_CONNECTION;
  for (let start = 0; start < ids.length; start += step) {
    const until = breaker.openUntil(deps.now());
    if (until !== undefined) return waitForBreaker(deps, part, ids.slice(start), until);
    if (isOver(deps, run)) return queueDeliveries(deps, "bulk", ids.slice(start));
    const isDone = await deliverSome(deps, part, ids.slice(start, start + step));
    if (!isDone) return queueDeliveries(deps, run.lane, ids.slice(start + step));
  }
  return undefined;
}

function breakerOf({ breakers }: Deps, carrier: string): CircuitBreaker {
  const breaker = breakers.get(carrier) ?? new CircuitBreaker();
  breakers.set(carrier, breaker);
  return breaker;
}

/** Messages for a carrier whose breaker is open wait in the store and in the queue. That does not count as an attempt. */
async function waitForBreaker(deps: Deps, part: CarrierRun, ids: string[], until: number): Promise<void> {
  const { run, carrier } = part;
  const seconds = Math.ceil((until - deps.now()) / 1000);
  deps.log("warn", "carrier.rests", { carrier, count: ids.length, seconds });
  const reason = `${carrier} keeps failing: its circuit breaker is open`;
  await postpone(deps.db, ids, { retryAt: until, reason, longestWait: longestWaitMilliseconds(deps.config) });
  await queueDeliveries(deps, run.lane, ids, seconds);
}

/**
 * Submits the messages of one claim. Outcomes are stored when all submissions have ended, or when the run stops waiting. After
 * that, the remaining submissions are stored when they end, and messages that were not submitted are requeued.
 * @returns whether every submission has ended
 */
async function deliverSome(deps: Deps, part: CarrierRun, ids: string[]): Promise<boolean> {
  const claim = deps.newId();
  const left = await claimSome(deps, ids, claim);
  if (left.length === 0) return true;
  const ended: Ended[] = [];
  const runner = async () => {
    for (let next = left.shift(); next; next = left.shift()) ended.push(await submit(deps, part, next));
  };
  const work = Promise.all(Array.from({ length: part.share }, runner));
  const isDone = await Promise.race([work.then(() => true), scheduler.wait(CLAIM_WAIT_MILLISECONDS).then(() => false)]);
  if (!isDone && ended.length === 0) part.breaker.recordHang(deps.now());
  const reason = `${part.carrier} is slow`;
  const skipped = left
    .splice(0)
    .map((message): Ended => ({ message, ending: { kind: "skipped", reason, seconds: 0 } }));
  await recordEndings(deps, part.run.lane, claim, [...ended.splice(0), ...skipped]);
  if (!isDone) deps.waitUntil(work.then(() => recordEndings(deps, part.run.lane, claim, ended)));
  return isDone;
}

async function claimSome(deps: Deps, ids: string[], claim: string): Promise<ClaimedMessage[]> {
  const now = deps.now();
  const acceptedAfter = now - deps.config.submitWithinMilliseconds;
  const claiming = claimMessages(deps.db, { ids, claim, now, acceptedAfter });
  const { claimed, due } = await claimOrRelease(deps, { claim, messageIds: ids }, claiming);
  await queueCallbacks(deps, due);
  return claimed;
}
