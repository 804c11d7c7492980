import type { Deps } from "../deps.ts";
import { alternate } from "../domain/chunk.ts";
import { CircuitBreaker } from "../domain/circuit-breaker.ts";
import { longestWaitMilliseconds } from "../domain/retry-policy.ts";
import type { ClaimedMessage } from "../platform/store/claims.ts";
import { findWaiting, postpone } from "../platform/store/messages.ts";
import { isReleased, notePause } from "./carrier-pauses.ts";
import { OUTBOUND_CONNECTIONS } from "./connections.ts";
import { type CarrierRun, CLAIM_WAIT_MILLISECONDS, type DeliveryRun, isOver, whyPaused } from "./delivery-run.ts";
import { queueDeliveries } from "./queue-jobs.ts";
import { type EndedGroup, recordAndClaimNext, recordEndings } from "./store-outcomes.ts";
import { type Ended, logAccepted, skip, submit } from "./submit-message.ts";

/** Small claims: when a run is cut off, the outcome of each message that it has claimed is unknown. */
const SUBMISSIONS_A_CONNECTION = { first: 2, fast: 4 };

/** After a claim that took no longer, the next one is larger. */
const FAST_CLAIM_MILLISECONDS = CLAIM_WAIT_MILLISECONDS / 4;

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
  const { free } = run.connections;
  const isResting = [...deps.breakers.values()].some(({ hasOpened }) => hasOpened);
  if (ids.length <= free * SUBMISSIONS_A_CONNECTION.first && !isResting) return deliverFew(deps, ids, run);
  const waiting = [...Map.groupBy(await findWaiting(deps.db, ids), ({ carrier }) => carrier)];
  await withShares(deps, run, waiting, async (part, websites) => {
    const own = alternate(websites.map(({ messageIds }) => messageIds));
    // If earlier submissions of this invocation still hang, another invocation has connections of its own.
    await (part.share > 0 ? deliverThrough(deps, part, own) : queueDeliveries(deps, run.lane, own));
  });
}

/** Claims all of them at once, for want of others that could be claimed before them. */
async function deliverFew(deps: Deps, ids: string[], run: DeliveryRun): Promise<void> {
  const { claim, claimed } = await recordAndClaimNext(deps, run, null, ids);
  const carriers = [...Map.groupBy(claimed, ({ carrier }) => carrier)];
  await withShares(deps, run, carriers, async (part, messages) => {
    const { ended, isDone } = await submitAll(deps, part, { claim, claimed: messages, isLast: true });
    await recordEndings(deps, run, ended, isDone && isAlone(part));
  });
}

/** Whether the run has no other carrier, and nothing of earlier hangs. */
const isAlone = ({ share }: CarrierRun) => share === OUTBOUND_CONNECTIONS;

/**
 * Works on what each carrier has, with equal shares of the free connections. Carriers that get no connection have a share of 0.
 * @throws the first failure, after all have ended
 */
async function withShares<T>(
  deps: Deps,
  run: DeliveryRun,
  carriers: [carrier: string, own: T][],
  work: (part: CarrierRun, own: T) => Promise<void>,
): Promise<void> {
  const { free } = run.connections;
  const share = Math.max(1, Math.floor(free / carriers.length));
  const ends = await Promise.allSettled(
    carriers.map(([carrier, own], place) =>
      work({ run, carrier, breaker: breakerOf(deps, carrier), share: place < free ? share : 0 }, own),
    ),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

async function deliverThrough(deps: Deps, part: CarrierRun, ids: string[]): Promise<void> {
  const { run, breaker } = part;
  let before: EndedGroup | null = null;
  let pace: keyof typeof SUBMISSIONS_A_CONNECTION = "first";
  for (let start = 0; start < ids.length; ) {
    const began = deps.now();
    const until = await restsUntil(deps, part);
    if (until !== undefined || isOver(deps, run)) {
      if (before) await recordEndings(deps, run, before);
      if (until !== undefined) await waitForBreaker(deps, part, ids.slice(start), until);
      else await queueDeliveries(deps, "bulk", ids.slice(start));
      return;
    }
    const step = breaker.hasOpened ? 1 : part.share * SUBMISSIONS_A_CONNECTION[pace];
    const next = ids.slice(start, start + step);
    start += step;
    const isLast = start >= ids.length;
    const group = await recordAndClaimNext(deps, run, before, next);
    const { ended, isDone } = await submitAll(deps, part, { ...group, isLast });
    before = ended;
    pace = deps.now() - began <= FAST_CLAIM_MILLISECONDS ? "fast" : "first";
    if (isDone && !isLast) continue;
    await recordEndings(deps, run, ended, isDone && isAlone(part));
    if (!isDone) await queueDeliveries(deps, run.lane, ids.slice(start));
    return;
  }
}

function breakerOf({ breakers }: Deps, carrier: string): CircuitBreaker {
  const breaker = breakers.get(carrier) ?? new CircuitBreaker();
  breakers.set(carrier, breaker);
  return breaker;
}

/** @returns undefined: the breaker is closed, or was released elsewhere. Then the next failure opens it again. */
async function restsUntil(deps: Deps, { carrier, breaker }: CarrierRun): Promise<number | undefined> {
  const until = breaker.openUntil(deps.now());
  if (until === undefined || !(await isReleased(deps, carrier, breaker))) return until;
  breaker.release();
  return undefined;
}

/** Messages for a carrier whose breaker is open wait in the store and in the queue. That does not count as an attempt. */
async function waitForBreaker(deps: Deps, part: CarrierRun, ids: string[], until: number): Promise<void> {
  const { run, carrier } = part;
  const seconds = Math.ceil((until - deps.now()) / 1000);
  deps.log("warn", "carrier.rests", { carrier, count: ids.length, seconds });
  const wait = { retryAt: until, reason: whyPaused(part), longestWait: longestWaitMilliseconds(deps.config) };
  await postpone(deps.db, ids, { ...wait, now: deps.now() });
  await queueDeliveries(deps, run.lane, ids, seconds);
}

/**
 * Submits the messages of one claim, until all submissions have ended or the run stops waiting. Submissions that end later are
 * stored in the background. Messages that were not submitted are skipped, and requeued.
 * @returns `ended`: for the caller to store; `isDone`: whether every submission has ended
 */
async function submitAll(
  deps: Deps,
  part: CarrierRun,
  { claim, claimed, isLast }: { claim: string; claimed: ClaimedMessage[]; isLast: boolean },
): Promise<{ ended: EndedGroup; isDone: boolean }> {
  const left = [...claimed];
  const ended: Ended[] = [];
  const runner = async () => {
    for (let next = left.shift(); next; next = left.shift()) ended.push(await submit(deps, part, next));
  };
  const work = Promise.all(Array.from({ length: part.share }, runner));
  const isDone = await Promise.race([work.then(() => true), scheduler.wait(CLAIM_WAIT_MILLISECONDS).then(() => false)]);
  if (!isDone && ended.length === 0) {
    const cause = `${part.carrier} leaves submissions without an answer`;
    part.breaker.recordHang(deps.now(), cause);
    notePause(deps, part.carrier, part.breaker, cause);
  }
  const reason = `${part.carrier} is slow`;
  const skipped = left.splice(0).map((message) => skip(message, deps.now(), reason, 0));
  const endings = [...ended.splice(0), ...skipped];
  logAccepted(deps, part.carrier, endings);
  if (!isDone) {
    const later = () => {
      logAccepted(deps, part.carrier, ended);
      return recordEndings(deps, part.run, { claim, endings: ended, isLast: false });
    };
    deps.waitUntil(work.then(later));
  }
  return { ended: { claim, endings, isLast: isLast || !isDone }, isDone };
}
