import type { Deps } from "../deps.ts";
import { hasNoEffect, isStoreRefused, isStoreUnavailable } from "../domain/failure.ts";
import { DELIVERY_RUN_MILLISECONDS, RECOVERY_DELAY_SECONDS, refusedSeconds } from "../domain/retry-policy.ts";
import { describeError } from "../platform/describe-error.ts";
import { type CallbackRecord, recordAndRelease } from "../platform/store/callback-records.ts";
import {
  type ClaimedCallback,
  claimFirst,
  type DueCallback,
  recordAndClaimCallbacks,
} from "../platform/store/callbacks.ts";
import { type DueEvent, splitEventId } from "../platform/store/events.ts";
import { CallbackSchedule, firstToClaim } from "./callback-schedule.ts";
import { type Connections, OUTBOUND_CONNECTIONS } from "./connections.ts";
import { countOutcomes, type OutcomeTally } from "./count-outcomes.ts";
import { beginRun, type DeliveryRun } from "./delivery-run.ts";
import { EndpointTally } from "./endpoint-tally.ts";
import { endWithoutUrl, logTaken, type Posted, postCallback } from "./post-callback.ts";
import { queueCallbacks } from "./queue-jobs.ts";
import { claimOrRelease, queueRecoveryOrLog } from "./recovery-jobs.ts";
import { releaseUnposted } from "./release-unposted.ts";

/** After a post has timed out, the other callbacks to its endpoint wait so long. */
const PAUSE_SECONDS = 60;

/** A run begins no post after this: with the 10 seconds of its last post, it ends before an invocation may be cut off (30 s). */
const RUN_MILLISECONDS = 15_000;

/**
 * Posts each unclaimed callback once. It requeues callbacks that it cannot post in time, and those to an endpoint at which a
 * post has timed out; the latter wait a minute.
 */
export async function postCallbacks(deps: Deps, eventIds: DueEvent[], tally: OutcomeTally): Promise<void> {
  const run = new CallbackRun(deps, tally);
  const due = await run.begin(eventIds);
  await endWithoutUrl(deps, due);
  await run.postAll();
}

/** Posts callbacks that a run of deliveries or receipts has claimed, over its connections. Never throws. */
export function postClaimed(deps: Deps, run: DeliveryRun, claim: string, callbacks: ClaimedCallback[]): Promise<void> {
  return countOutcomes(deps, (tally) => new CallbackRun(deps, tally, run).postClaimed(claim, callbacks));
}

/** Claims for all of its connections at once, and stores what came back with the next claim. */
class CallbackRun {
  readonly #deps: Deps;
  readonly #tally: OutcomeTally;
  readonly #secrets = new Map<string, Promise<string>>();
  readonly #schedule = new CallbackSchedule();
  readonly #endpoints = new EndpointTally();
  readonly #claims: string[] = [];
  readonly #connections: Connections;
  /** When it begins no further post: milliseconds since 1970. */
  #until: number;
  /** Before what it leaves is tried again: more once the store has failed. */
  #pauseSeconds = 0;
  #posted: Posted[] = [];
  #claiming: Promise<void> | undefined;
  /** Of a post. */
  readonly #firstEnd = Promise.withResolvers<void>();

  constructor(
    deps: Deps,
    tally: OutcomeTally,
    { until, connections }: Pick<DeliveryRun, "until" | "connections"> = beginRun(deps, "messages", tally),
  ) {
    this.#deps = deps;
    this.#tally = tally;
    this.#until = until - DELIVERY_RUN_MILLISECONDS + RUN_MILLISECONDS;
    this.#connections = connections;
  }

  async postClaimed(claim: string, callbacks: ClaimedCallback[]): Promise<void> {
    this.#claims.push(claim);
    this.#schedule.addClaimed(callbacks);
    await this.postAll();
  }

  /** @returns the unclaimed callbacks. @throws the failure of the store; callbacks that it refused to claim are queued again */
  async begin(eventIds: DueEvent[]): Promise<DueCallback[]> {
    const claim = this.#newClaim();
    const claiming = claimFirst(this.#deps.db, { ...firstToClaim(eventIds), claim, now: this.#deps.now() });
    const { claimed, due } = await this.#orRelease(claim, eventIds, claiming).catch(async (error) => {
      await this.#requeueRefused(eventIds, error);
      throw error;
    });
    this.#schedule.addClaimed(claimed);
    this.#schedule.addUnclaimed(due.filter(({ callbackUrl }) => callbackUrl !== null));
    return due;
  }

  async postAll(): Promise<void> {
    await Promise.all(Array.from({ length: this.#deps.outbound ?? OUTBOUND_CONNECTIONS }, () => this.#postInTurn()));
    await this.#end();
  }

  #newClaim(): string {
    const claim = this.#deps.newId();
    this.#claims.push(claim);
    return claim;
  }

  /** What one connection posts. */
  async #postInTurn(): Promise<void> {
    while (this.#deps.now() <= this.#until) {
      const next = this.#schedule.next();
      if (next === "claim") this.#claiming ??= this.#claimNext();
      if (next !== undefined && next !== "claim") await this.#post(next);
      else if (this.#claiming) await this.#claiming;
      else if (this.#schedule.mayOpenUp) await this.#firstEnd.promise;
      else return;
    }
  }

  async #post(callback: ClaimedCallback): Promise<void> {
    const about = { tally: this.#tally, secrets: this.#secrets };
    const record = await this.#connections.use(() => postCallback(this.#deps, callback, about));
    this.#posted.push({ callback, record });
    this.#endpoints.add(callback, record);
    this.#schedule.ended(callback, record.outcome === "timed-out");
    this.#firstEnd.resolve();
  }

  async #claimNext(): Promise<void> {
    const eventIds = this.#schedule.takeForClaim();
    const records = this.#takeRecords();
    try {
      this.#schedule.addClaimed(await this.#recordAndClaim(records, eventIds));
    } catch (error) {
      // The sweep finds unclaimed callbacks.
      this.#deps.log("error", "callbacks.failed", { count: eventIds.length, error: describeError(error) });
      if (isStoreUnavailable(error)) this.#stop();
      await this.#requeueRefused(eventIds, error);
    } finally {
      this.#claiming = undefined;
    }
  }

  /** Where that fails by a fault of one of the two, each gets a call of its own. */
  async #recordAndClaim(records: CallbackRecord[], eventIds: DueEvent[]): Promise<ClaimedCallback[]> {
    const { db, now } = this.#deps;
    const claim = this.#newClaim();
    const run = (some: CallbackRecord[]) =>
      this.#orRelease(claim, eventIds, recordAndClaimCallbacks(db, some, { eventIds, claim, now: now() }));
    try {
      return await run(records);
    } catch (error) {
      if (isStoreUnavailable(error)) this.#logUnrecorded(records, error);
      if (isStoreUnavailable(error) || records.length === 0) throw error;
    }
    await this.#record(records);
    return run([]);
  }

  /** What came back since the last call, for the caller to store. */
  #takeRecords(): CallbackRecord[] {
    const posted = this.#posted.splice(0);
    logTaken(this.#deps, posted);
    return posted.map(({ record }) => record);
  }

  #stop(): void {
    this.#until = 0;
    this.#pauseSeconds = refusedSeconds(this.#deps.random());
  }

  #orRelease<T>(claim: string, eventIds: DueEvent[], claiming: Promise<T>): Promise<T> {
    const messageIds = [...new Set(eventIds.map((eventId) => splitEventId(eventId).messageId))];
    return claimOrRelease(this.#deps, { claim, messageIds }, claiming);
  }

  /** A refused call has claimed nothing. Any other failure may have: those callbacks are left to the sweep. */
  async #requeueRefused(eventIds: DueEvent[], error: unknown): Promise<void> {
    if (!isStoreRefused(error)) return;
    await queueCallbacks(this.#deps, eventIds, refusedSeconds(this.#deps.random()));
  }

  /** Stores what is left to store, and requeues what is left to post. */
  async #end(): Promise<void> {
    const now = this.#deps.now();
    const { timedOut, others } = this.#schedule.takeLeft();
    const released = [
      { eventIds: timedOut, queuedAt: now + PAUSE_SECONDS * 1000, delaySeconds: PAUSE_SECONDS },
      { eventIds: others, queuedAt: now + this.#pauseSeconds * 1000, delaySeconds: this.#pauseSeconds },
    ].filter(({ eventIds }) => eventIds.length > 0);
    const records = this.#takeRecords();
    const endpoints = this.#endpoints.take();
    if (records.length + released.length + endpoints.length === 0) return;
    const counts = records.length > 0 ? this.#tally.take() : [];
    try {
      await recordAndRelease(this.#deps.db, { records, counts, endpoints, released, claims: this.#claims, now });
    } catch (error) {
      if (hasNoEffect(error)) this.#tally.putBack(counts);
      await this.#endAfterFailure(records, released, error);
    }
    for (const { eventIds, delaySeconds } of released) await queueCallbacks(this.#deps, eventIds, delaySeconds);
  }

  /** Each part by itself, where the store works. What cannot be released now is released by a job. */
  async #endAfterFailure(
    records: CallbackRecord[],
    released: { eventIds: DueEvent[]; queuedAt: number }[],
    error: unknown,
  ): Promise<void> {
    const isAway = isStoreUnavailable(error);
    if (isAway) this.#logUnrecorded(records, error);
    else await this.#record(records);
    for (const { eventIds, queuedAt } of released) {
      const releaseLater = (failure: unknown) => this.#releaseLater(eventIds, failure);
      if (isAway) await releaseLater(error);
      else await releaseUnposted(this.#deps, this.#claims, eventIds, queuedAt).catch(releaseLater);
    }
  }

  async #releaseLater(eventIds: DueEvent[], failure: unknown): Promise<void> {
    this.#deps.log("error", "callbacks.failed", { count: eventIds.length, error: describeError(failure) });
    const job = { kind: "release-callbacks", claims: this.#claims, eventIds } as const;
    await queueRecoveryOrLog(this.#deps, job, RECOVERY_DELAY_SECONDS);
  }

  /** Never throws. */
  async #record(records: CallbackRecord[]): Promise<void> {
    try {
      if (records.length > 0) await recordAndRelease(this.#deps.db, { records, now: this.#deps.now() });
    } catch (error) {
      this.#logUnrecorded(records, error);
    }
  }

  #logUnrecorded(records: CallbackRecord[], error: unknown): void {
    if (records.length === 0) return;
    this.#deps.log("error", "callbacks.not-recorded", { count: records.length, error: describeError(error) });
  }
}
