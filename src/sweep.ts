import type { Deps } from "./deps.ts";
import { LONGEST_RECOVERY_SECONDS } from "./domain/retry-policy.ts";
import { LONGEST_RUN_MILLISECONDS } from "./domain/service-state.ts";
import { inTurn } from "./flows/in-turn.ts";
import { copyCredentials } from "./flows/manage-clients.ts";
import { queueCallbacks, queueDeliveriesAt } from "./flows/queue-jobs.ts";
import { describeError } from "./platform/describe-error.ts";
import { cancelKept, TOMBSTONE_MILLISECONDS } from "./platform/store/cancelled-messages.ts";
import { purgeDeadJobs } from "./platform/store/dead-jobs.ts";
import { purgeKeys } from "./platform/store/idempotency-keys.ts";
import { changeStatus, type StatusChange } from "./platform/store/messages.ts";
import { purgeOutcomes } from "./platform/store/outcome-counts.ts";
import {
  findInterrupted,
  findUnsubmitted,
  findWithoutReceipt,
  markInterrupted,
  takeOverdue,
  takeOverdueCallbacks,
} from "./platform/store/overdue.ts";
import { purgeInbound, purgeMessages } from "./platform/store/reports.ts";
import { recordSweep } from "./platform/store/sweeps.ts";
import { listWebsites } from "./platform/store/websites.ts";

/** How many steps of 1,000 rows a job takes on in one sweep; the next sweep goes on. */
const MOST_STEPS = 20;

interface SweepJob {
  name: string;
  /** What it finds is no fault of anybody: it is part of every day. */
  isRoutine?: boolean;
  /** @returns how many it found; anything but a number where it does not count */
  run(deps: Deps, now: number): Promise<unknown>;
}

const JOBS: SweepJob[] = [
  // First: what is to be cancelled must not be queued.
  { name: "cancel-messages", run: ({ kv, db }, now) => cancelKept(kv, db, now) },
  { name: "requeue-messages", run: requeueMessages },
  { name: "requeue-callbacks", run: requeueCallbacks },
  { name: "end-interrupted", run: endInterrupted },
  { name: "end-unsubmitted", run: endUnsubmitted },
  { name: "end-without-receipt", run: endWithoutReceipt },
  { name: "copy-credentials", isRoutine: true, run: copyCredentials },
  { name: "purge-messages", isRoutine: true, run: purgeOld },
  { name: "purge-send-keys", isRoutine: true, run: ({ db }, now) => purgeKeys(db, now, now - TOMBSTONE_MILLISECONDS) },
  { name: "purge-outcomes", isRoutine: true, run: ({ db }, now) => purgeOutcomes(db, now) },
  {
    name: "purge-dead-jobs",
    isRoutine: true,
    run: ({ db, config }, now) => purgeDeadJobs(db, now - config.retentionMilliseconds),
  },
];

interface SweepResult {
  name: string;
  /** null: it does not count, or failed. */
  count: number | null;
  milliseconds: number;
  failed: boolean;
}

/** Each minute: finds what a crash, a lost job or a silent carrier left behind. Its jobs do not hold one another up. */
export async function sweep(deps: Deps): Promise<void> {
  const now = deps.now();
  const results: SweepResult[] = [];
  for (const job of JOBS) results.push(await run(deps, job, now));
  const failedJobs = results.filter(({ failed }) => failed).map(({ name }) => name);
  deps.log(failedJobs.length > 0 ? "error" : "info", "sweep", {
    milliseconds: deps.now() - now,
    failed: failedJobs.length,
    jobs: Object.fromEntries(results.map(({ name, count, milliseconds }) => [name, { count, milliseconds }])),
  });
  try {
    await recordSweep(deps.db, deps.now(), failedJobs);
  } catch (error) {
    deps.log("error", "sweep.failed", { job: "record-sweep", error: describeError(error) });
  }
}

async function run(deps: Deps, { name, isRoutine, run }: SweepJob, now: number): Promise<SweepResult> {
  const started = deps.now();
  try {
    const found = await run(deps, now);
    const count = typeof found === "number" ? found : null;
    const milliseconds = deps.now() - started;
    if (count) deps.log(isRoutine ? "info" : "warn", "sweep.found", { job: name, count, milliseconds });
    return { name, count, milliseconds, failed: false };
  } catch (error) {
    const milliseconds = deps.now() - started;
    deps.log("error", "sweep.failed", { job: name, milliseconds, error: describeError(error) });
    return { name, count: null, milliseconds, failed: true };
  }
}

async function requeueMessages(deps: Deps, now: number): Promise<number> {
  const queuedBefore = now - deps.config.requeueAfterMilliseconds;
  return inSteps(
    () => takeOverdue(deps.db, { queuedBefore, now, margin: recoveryMargin(deps) }),
    (forgotten) => queueDeliveriesAt(deps, forgotten, now, TOGETHER_SECONDS),
  );
}

/** Deliveries that wait nearly as long travel together. */
const TOGETHER_SECONDS = 5;

const LONGEST_RECOVERY_MARGIN_MILLISECONDS = 30_000;

/** What a job that makes up for a failed store may take beside its pauses. */
function recoveryMargin({ config }: Deps): number {
  return Math.min(LONGEST_RECOVERY_MARGIN_MILLISECONDS, config.requeueAfterMilliseconds);
}

async function requeueCallbacks(deps: Deps, now: number): Promise<number> {
  const queuedBefore = now - deps.config.requeueAfterMilliseconds;
  return inSteps(
    () => takeOverdueCallbacks(deps.db, queuedBefore, now),
    (due) => queueCallbacks(deps, due),
  );
}

/** A job may still know how it ended, or that it never began, if the store was away: that job comes first. */
async function endInterrupted(deps: Deps, now: number): Promise<number> {
  const claimedBefore = now - LONGEST_RUN_MILLISECONDS;
  const foundBefore = now - LONGEST_RECOVERY_SECONDS * 1000 - recoveryMargin(deps);
  await markInterrupted(deps.db, claimedBefore, now);
  return endAll(deps, () => findInterrupted(deps.db, claimedBefore, foundBefore), {
    status: "SENDING",
    claimedBefore,
    reason: "outcome unknown, not sent again: the run that submitted it was cut off",
  });
}

async function endUnsubmitted(deps: Deps, now: number): Promise<number> {
  return endAll(deps, () => findUnsubmitted(deps.db, now - deps.config.submitWithinMilliseconds), {
    status: "FAILED_TO_SEND",
    reason: "the carrier could not take it in time",
    onlyUnclaimed: true,
  });
}

async function endWithoutReceipt(deps: Deps, now: number): Promise<number> {
  return endAll(deps, () => findWithoutReceipt(deps.db, now - deps.config.receiptWithinMilliseconds), {
    status: "FAILED_TO_DELIVERY",
    reason: "no final receipt came in time",
  });
}

/** Texts and what belongs to them; subscriptions and their ledger stay. */
async function purgeOld(deps: Deps, now: number): Promise<number> {
  const before = now - deps.config.retentionMilliseconds;
  let count = 0;
  const purge = async (websiteId: string) => {
    count += await inSteps(
      () => purgeMessages(deps.db, websiteId, before),
      async () => {},
    );
  };
  const websites = (await listWebsites(deps.db)).map(
    ({ websiteId }) =>
      () =>
        purge(websiteId),
  );
  await inTurn([...websites, () => purgeInbound(deps.db, before)], (next) => next());
  return count;
}

async function endAll(
  deps: Deps,
  find: () => Promise<string[]>,
  change: Omit<StatusChange, "ids" | "now">,
): Promise<number> {
  return inSteps(find, async (ids) => {
    await queueCallbacks(deps, await changeStatus(deps.db, { ids, keepsReason: true, ...change, now: deps.now() }));
  });
}

async function inSteps<T>(take: () => Promise<T[]>, work: (found: T[]) => Promise<void>): Promise<number> {
  let count = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const found = await take();
    if (found.length === 0) break;
    await work(found);
    count += found.length;
  }
  return count;
}
