import type { Deps } from "../../deps.ts";
import { alternate } from "../../domain/chunk.ts";
import { isStoreRefused } from "../../domain/failure.ts";
import type { CircuitBreaker } from "../../domain/messages/circuit-breaker.ts";
import { refusedSeconds } from "../../domain/messages/retry-policy.ts";
import { LONGEST_URGENT_MILLISECONDS } from "../../domain/messages/sender-pace.ts";
import { describeError } from "../../platform/describe-error.ts";
import type { ClaimedMessage } from "../../store/messages/claimed-message.ts";
import { findWaiting } from "../../store/messages/messages.ts";
import { noteHang, waitForPauses } from "./carrier-pauses.ts";
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
    const lines = await toLines(deps, run, ids);
    await allEnded(lines.map((line) => deliverLine(deps, run, line)));
  } catch (error) {
    // If the store is overloaded, the messages get new jobs, which run together again: alone, each job would ask as much of the store as
    // hundreds do together.
    const isQueued =
      isStoreRefused(error) && (await queueDeliveries(deps, run.lane, ids, refusedSeconds(deps.random())));
    if (!isQueued) throw error;
    deps.log("warn", "deliveries.refused", { count: ids.length, error: describeError(error) });
  } finally {
    await queueRest(deps, run);
  }
}

/** Messages that are claimed some at a time, one claim after another. */
interface Line {
  ids: string[];
  /** Its share of the free connections. 0: there are more lines than free connections. */
  share: number;
}

/**
 * One line for messages so few that one claim takes them. For many, each carrier has a line, so that none waits for another carrier, and a
 * second one for the senders that have paused, so that no sender waits for another. The second one needs one connection: see submitAll. A
 * sender with a pace has a line of its own, which waits for its turns.
 */
async function toLines(deps: Deps, run: DeliveryRun, ids: string[]): Promise<Line[]> {
  const { free } = run.connections;
  if (ids.length <= free * SUBMISSIONS_A_CONNECTION.first) return [{ ids, share: free }];
  const waiting = await findWaiting(deps.db, ids);
  const [paused = [], working = []] = [true, false].map((isOf) => {
    const lines = Map.groupBy(
      waiting.filter(({ hasPaused }) => hasPaused === isOf),
      ({ carrier, paced }) => JSON.stringify([carrier, paced]),
    );
    return [...lines.values()].map((websites) => alternate(websites.map(({ messageIds }) => messageIds)));
  });
  const share = Math.max(1, Math.floor(free / working.length));
  return [
    ...working.map((own, index) => ({ ids: own, share: index < free ? share : 0 })),
    ...paused.map((own) => ({ ids: own, share: 1 })),
  ];
}

/** @throws the first failure, after all have ended */
async function allEnded<T>(work: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Claims and submits the messages of a line, some at a time, until none is left, the run is over, or they all pause. */
async function deliverLine(deps: Deps, run: DeliveryRun, { ids, share }: Line): Promise<void> {
  // If earlier submissions of this invocation still hang, another invocation has connections of its own.
  if (share === 0) return void (await queueDeliveries(deps, run.lane, ids));
  // The ended submissions of the last claim: they are stored together with the next claim.
  let unstored: EndedGroup | null = null;
  let pace: keyof typeof SUBMISSIONS_A_CONNECTION = "first";
  for (let left = ids; left.length > 0; ) {
    const began = deps.now();
    if (isOver(deps, run)) {
      if (unstored) await storeEnded(deps, run, unstored);
      // The rest of a long run goes to the bulk queue, behind which no single text waits.
      return void (await queueDeliveries(deps, "bulk", left));
    }
    const step = left.slice(0, share * SUBMISSIONS_A_CONNECTION[pace]);
    const rest = left.slice(step.length);
    const claim = await storeAndClaim(deps, run, unstored, step);
    // The claim leaves out the messages of what pauses: they wait for it, and so do the others of it in the line.
    const pauses = claim.claimed.length < step.length ? claim.breakers.pauses(deps.now()) : [];
    const { ended, isDone } = await submitClaimed(deps, run, share, claim, rest.length === 0 || pauses.length > 0);
    const waiting = await waitForPauses(deps, run.lane, left, pauses);
    left = rest.filter((id) => !waiting.has(id));
    if (!isDone) return void (await queueDeliveries(deps, run.lane, left));
    unstored = ended;
    pace = deps.now() - began <= FAST_CLAIM_MILLISECONDS ? "fast" : "first";
  }
}

/**
 * Submits claimed messages, those of each carrier by themselves, and so those of each sender that has paused. A group for which no
 * connection is left waits for one. Whatever may fail comes after it, because nobody else submits a claimed message. If nothing follows,
 * those that wait for turns of their senders go in the background, and hold up no other batch.
 * @param isLast no other claim of the line follows
 * @returns `ended`: for the next claim to store; null: it is stored. `isDone`: whether every submission has ended
 */
async function submitClaimed(
  deps: Deps,
  run: DeliveryRun,
  share: number,
  { claim, claimed, breakers }: Claimed,
  isLast: boolean,
): Promise<{ ended: EndedGroup | null; isDone: boolean }> {
  const groups = [...Map.groupBy(claimed.filter(hasNoPace), (message) => breakers.sharedBy(message))];
  const paced = [...Map.groupBy(claimed.filter(hasPace), (message) => breakers.sharedBy(message))];
  const own = Math.max(1, Math.floor(share / (groups.length + paced.length)));
  const submitGroup = async ([breaker, messages]: [CircuitBreaker, ClaimedMessage[]]) => {
    const part = { run, carrier: breaker.key.carrier, share: own, breakers, breaker };
    const group = await submitAll(deps, part, { claim, claimed: messages });
    if (group.isDone && !isLast && groups.length + paced.length === 1) return group;
    await storeEnded(deps, run, group.ended);
    return { ended: null, isDone: group.isDone };
  };
  if (isLast) for (const group of paced.splice(0)) deps.waitUntil(submitGroup(group).then(() => queueRest(deps, run)));
  const ends = await allEnded([...groups, ...paced].map(submitGroup));
  return { ended: ends[0]?.ended ?? null, isDone: ends.every(({ isDone }) => isDone) };
}

const hasPace = ({ pace }: ClaimedMessage) => pace !== null;
const hasNoPace = ({ pace }: ClaimedMessage) => pace === null;

/**
 * Submits the messages of one claim, until all submissions have ended or the run stops waiting. Submissions that end later are
 * stored in the background. Messages that were not submitted are skipped, and requeued. After a pause, one submission at a time shows
 * whether the carrier or the sender works again.
 * @returns `ended`: for the caller to store; `isDone`: whether every submission has ended
 */
async function submitAll(
  deps: Deps,
  part: CarrierRun,
  { claim, claimed }: { claim: string; claimed: ClaimedMessage[] },
): Promise<{ ended: EndedGroup; isDone: boolean }> {
  const { run, carrier, breakers, breaker } = part;
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
  const patience = CLAIM_WAIT_MILLISECONDS + (claimed.some(hasPace) ? LONGEST_URGENT_MILLISECONDS : 0);
  const isDone = await Promise.race([work.then(() => true), scheduler.wait(patience).then(() => false)]);
  isAwaited = false;
  if (!isDone && inTime.length === 0) {
    breaker.recordHang(deps.now(), `${carrier} leaves submissions without an answer`);
    noteHang(deps, carrier, breakers.take());
  }
  const skipped = left.splice(0).map((message) => skip(message, deps.now(), `${carrier} is slow`, 0));
  const endings = [...before, ...inTime, ...skipped];
  logAccepted(deps, carrier, endings);
  if (!isDone) {
    const storeLate = async () => {
      logAccepted(deps, carrier, late);
      await storeEnded(deps, run, { claim, endings: late, breakers });
      await queueRest(deps, run);
    };
    deps.waitUntil(work.then(storeLate));
  }
  return { ended: { claim, endings, breakers }, isDone };
}
