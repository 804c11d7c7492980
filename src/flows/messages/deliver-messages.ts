import type { Deps } from "../../deps.ts";
import { alternate } from "../../domain/chunk.ts";
import { type BreakerState, CircuitBreaker } from "../../domain/messages/circuit-breaker.ts";
import type { ClaimedMessage } from "../../store/messages/claims.ts";
import { findWaiting } from "../../store/messages/messages.ts";
import { noteHang, waitForCarrier } from "./carrier-pauses.ts";
import { type CarrierRun, CLAIM_WAIT_MILLISECONDS, type DeliveryRun, isOver, queueRest } from "./delivery-run.ts";
import { queueDeliveries } from "./queue-jobs.ts";
import { type Claimed, type EndedGroup, storeAndClaim, storeEnded } from "./store-outcomes.ts";
import { type Ended, endedBefore, logAccepted, skip, submit } from "./submit-message.ts";

/** Small, because the outcome of each claimed message is unknown if a run is interrupted. */
export const SUBMISSIONS_A_CONNECTION = { first: 2, fast: 4 };

/** If a claim and its submissions took no longer than this, the next claim is larger. */
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
  try {
    await deliverInTime(deps, ids, run);
  } finally {
    await queueRest(deps, run);
  }
}

/** One claim takes few messages, whichever their carriers are. Many are claimed by carrier, some at a time. */
async function deliverInTime(deps: Deps, ids: string[], run: DeliveryRun): Promise<void> {
  if (ids.length <= run.connections.free * SUBMISSIONS_A_CONNECTION.first) return deliverFew(deps, ids, run);
  const waiting = [...Map.groupBy(await findWaiting(deps.db, ids), ({ carrier }) => carrier)];
  await withShares(run, waiting, async (carrier, share, websites) => {
    const own = alternate(websites.map(({ messageIds }) => messageIds));
    // If earlier submissions of this invocation still hang, another invocation has connections of its own.
    await (share > 0 ? deliverThrough(deps, run, carrier, share, own) : queueDeliveries(deps, run.lane, own));
  });
}

/** Delivers messages so few that one claim takes all of them. */
async function deliverFew(deps: Deps, ids: string[], run: DeliveryRun): Promise<void> {
  const claim = await storeAndClaim(deps, run, null, ids);
  await submitClaimed(deps, run, claim);
  // The claim has left out the messages of carriers that pause. Each carrier's own of `ids` wait for it.
  for (const state of claim.breakers.values())
    if (isPausing(deps, state)) await waitForCarrier(deps, run.lane, ids, state);
}

/**
 * Submits claimed messages, those of each carrier by themselves. A carrier for which no connection is left waits for one. Whatever may fail
 * comes after it, because nobody else submits a claimed message.
 */
async function submitClaimed(deps: Deps, run: DeliveryRun, { claim, claimed, breakers }: Claimed): Promise<void> {
  const carriers = [...Map.groupBy(claimed, ({ carrier }) => carrier)];
  await withShares(run, carriers, async (carrier, share, messages) => {
    const breaker = new CircuitBreaker(carrier, breakers.get(carrier));
    const part = { run, carrier, share: Math.max(1, share), breaker };
    const { ended } = await submitAll(deps, part, { claim, claimed: messages, isLast: true });
    await storeEnded(deps, run, ended);
  });
}

const isPausing = ({ now }: Deps, { openUntil }: BreakerState) => openUntil > now();

/**
 * Works on the messages of each carrier, with equal shares of the free connections. If there are more carriers than free connections, the
 * last carriers have a share of 0.
 * @throws the first failure, after all have ended
 */
async function withShares<T>(
  run: DeliveryRun,
  carriers: [carrier: string, own: T][],
  work: (carrier: string, share: number, own: T) => Promise<void>,
): Promise<void> {
  const { free } = run.connections;
  const share = Math.max(1, Math.floor(free / carriers.length));
  const ends = await Promise.allSettled(
    carriers.map(([carrier, own], index) => work(carrier, index < free ? share : 0, own)),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

/** Claims and submits the messages of one carrier, some at a time, until none is left, the run is over, or the carrier pauses. */
async function deliverThrough(
  deps: Deps,
  run: DeliveryRun,
  carrier: string,
  share: number,
  ids: string[],
): Promise<void> {
  // The ended submissions of the last claim: they are stored together with the next claim.
  let unstored: EndedGroup | null = null;
  let pace: keyof typeof SUBMISSIONS_A_CONNECTION = "first";
  for (let start = 0; start < ids.length; ) {
    const began = deps.now();
    if (isOver(deps, run)) {
      if (unstored) await storeEnded(deps, run, unstored);
      // The rest of a long run goes to the bulk queue, behind which no single text waits.
      await queueDeliveries(deps, "bulk", ids.slice(start));
      return;
    }
    const step = share * SUBMISSIONS_A_CONNECTION[pace];
    const { claim, claimed, breakers } = await storeAndClaim(deps, run, unstored, ids.slice(start, start + step));
    if (claimed.some((message) => message.carrier !== carrier)) {
      // An operator has given a website another carrier since its messages were found: another job finds the rest anew.
      await submitClaimed(deps, run, { claim, claimed, breakers });
      await queueDeliveries(deps, run.lane, ids.slice(start));
      return;
    }
    const state = breakers.get(carrier);
    if (state && isPausing(deps, state)) return waitForCarrier(deps, run.lane, ids.slice(start), state);
    start += step;
    const isLast = start >= ids.length;
    const part = { run, carrier, share, breaker: new CircuitBreaker(carrier, state) };
    const { ended, isDone } = await submitAll(deps, part, { claim, claimed, isLast });
    unstored = ended;
    pace = deps.now() - began <= FAST_CLAIM_MILLISECONDS ? "fast" : "first";
    if (isDone && !isLast) continue;
    await storeEnded(deps, run, ended);
    if (!isDone) await queueDeliveries(deps, run.lane, ids.slice(start));
    return;
  }
}

/**
 * Submits the messages of one claim, until all submissions have ended or the run stops waiting. Submissions that end later are
 * stored in the background. Messages that were not submitted are skipped, and requeued. After a pause of the carrier, one submission
 * at a time shows whether it works again.
 * @returns `ended`: for the caller to store; `isDone`: whether every submission has ended
 */
async function submitAll(
  deps: Deps,
  part: CarrierRun,
  { claim, claimed, isLast }: { claim: string; claimed: ClaimedMessage[]; isLast: boolean },
): Promise<{ ended: EndedGroup; isDone: boolean }> {
  const { run, carrier, breaker } = part;
  const before = claimed.flatMap((message) => endedBefore(deps, message) ?? []);
  const left = claimed.filter((message) => message.before === null);
  const [inTime, late]: [Ended[], Ended[]] = [[], []];
  let isAwaited = true;
  const runner = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const ended = await submit(deps, part, next);
      (isAwaited ? inTime : late).push(ended);
    }
  };
  const work = Promise.all(Array.from({ length: breaker.hasOpened ? 1 : part.share }, runner));
  const isDone = await Promise.race([work.then(() => true), scheduler.wait(CLAIM_WAIT_MILLISECONDS).then(() => false)]);
  isAwaited = false;
  if (!isDone && inTime.length === 0) {
    breaker.recordHang(deps.now(), `${carrier} leaves submissions without an answer`);
    noteHang(deps, breaker.take());
  }
  const skipped = left.splice(0).map((message) => skip(message, deps.now(), `${carrier} is slow`, 0));
  const endings = [...before, ...inTime, ...skipped];
  logAccepted(deps, carrier, endings);
  if (!isDone) {
    const storeLate = async () => {
      logAccepted(deps, carrier, late);
      await storeEnded(deps, run, { claim, endings: late, breaker, isLast: false });
      await queueRest(deps, run);
    };
    deps.waitUntil(work.then(storeLate));
  }
  return { ended: { claim, endings, breaker, isLast: isLast || !isDone }, isDone };
}
