import type { Deps } from "./deps.ts";
import { longestWaitMilliseconds } from "./domain/messages/retry-policy.ts";
import { spreadUncopied } from "./flows/clients/spread-changes.ts";
import { inEach } from "./flows/databases/places.ts";
import { inParallel } from "./flows/in-parallel.ts";
import { inSteps, SWEEP_STEPS } from "./flows/in-steps.ts";
import { probeCarriers } from "./flows/messages/carrier-pauses.ts";
import { CONNECTIONS } from "./flows/messages/connections.ts";
import { endInterrupted, endUnsubmitted, endWithoutReceipt } from "./flows/messages/end-messages.ts";
import { purgeMessages } from "./flows/messages/purge-messages.ts";
import { queueCallbacks, queueOverdue } from "./flows/messages/queue-jobs.ts";
import { queueScheduled } from "./flows/messages/queue-scheduled.ts";
import { closeDays } from "./flows/operations/close-days.ts";
import { countLedgers } from "./flows/operations/count-ledgers.ts";
import { tellProblems } from "./flows/operations/tell-problems.ts";
import { describeError } from "./platform/describe-error.ts";
import { TOMBSTONE_MILLISECONDS } from "./store/messages/cancelled-messages.ts";
import { takeOverdue, takeOverdueCallbacks } from "./store/messages/overdue.ts";
import { DELETED_A_STEP, purgeDeadJobs, purgeInbound, purgeKeys, purgeOutcomes } from "./store/messages/retention.ts";
import { type LastSweep, readLastSweep, recordSweep } from "./store/operations/last-sweep.ts";

interface SweepJob {
  name: string;
  /** Findings are routine, and no sign of a fault. */
  isRoutine?: boolean;
  /** Runs with the first sweep of an hour, and again while it fails. */
  isHourly?: boolean;
  /** @returns how many it found, if it counts */
  run(deps: Deps, now: number): Promise<unknown>;
}

const JOBS: SweepJob[] = [
  // Must run before requeue-messages, which would requeue messages whose deadline has passed.
  { name: "end-unsubmitted", run: endUnsubmitted },
  { name: "queue-scheduled", isRoutine: true, run: queueScheduled },
  { name: "requeue-messages", run: requeueMessages },
  { name: "requeue-callbacks", run: requeueCallbacks },
  { name: "probe-carriers", run: probeCarriers },
  { name: "end-interrupted", run: endInterrupted },
  { name: "end-without-receipt", run: endWithoutReceipt },
  { name: "copy-credentials", isRoutine: true, run: spreadUncopied },
  { name: "count-ledgers", isRoutine: true, run: countLedgers },
  { name: "close-days", isRoutine: true, run: (deps, now) => closeDays(deps, now, SWEEP_STEPS) },
  {
    name: "purge-messages",
    isRoutine: true,
    run: (deps, now) => purgeMessages(deps, retainedSince(deps, now), SWEEP_STEPS),
  },
  {
    name: "purge-keys",
    run: (deps, now) => untilDeleted(() => purgeKeys(deps.db, expired(now))),
  },
  {
    name: "purge-inbound",
    isHourly: true,
    run: (deps, now) => untilDeleted(() => purgeInbound(deps.db, retainedSince(deps, now))),
  },
  { name: "purge-outcomes", isHourly: true, run: (deps, now) => untilDeleted(() => purgeOutcomes(deps.db, now)) },
  {
    name: "purge-dead-jobs",
    isHourly: true,
    run: (deps, now) => untilDeleted(() => purgeDeadJobs(deps.db, retainedSince(deps, now))),
  },
];

/** For the table in docs/monitoring.md. */
export const SWEEP_JOBS = JOBS.map(({ name }) => name);

interface SweepResult {
  name: string;
  /** null: the job does not count, or has failed. */
  count: number | null;
  milliseconds: number;
  failed: boolean;
}

/**
 * Runs every minute: repairs the effects of crashes, lost jobs and silent carriers, in each database by itself. A job that
 * fails does not stop the others.
 */
export async function sweep(deps: Deps): Promise<void> {
  const [isRecorded = false] = await inParallel(inEach(deps), CONNECTIONS, sweepOne);
  await tellProblems(deps, isRecorded);
}

/** @returns whether its end is stored */
async function sweepOne(deps: Deps): Promise<boolean> {
  const now = deps.now();
  const last = await readLast(deps);
  // This database does not answer. Each job would wait for it in vain, and hold a connection that the other databases need. The jobs of the
  // first database run all the same.
  if (last === "away" && deps.first) return false;
  const due = dueJobs(last === "away" ? null : last, now);
  const results: SweepResult[] = [];
  for (const job of due) results.push(await run(deps, job, now));
  const endedAt = deps.now();
  // The next sweep finds an end in this hour, and takes this sweep for the first of it.
  const late = hourOf(endedAt) === hourOf(now) ? [] : JOBS.filter(({ isHourly }) => isHourly);
  for (const job of late) results.push(await run(deps, job, endedAt));
  const failedJobs = results.filter(({ failed }) => failed).map(({ name }) => name);
  deps.log(failedJobs.length > 0 ? "error" : "info", "sweep", {
    milliseconds: deps.now() - now,
    failed: failedJobs.length,
    jobs: Object.fromEntries(results.map(({ name, count, milliseconds }) => [name, { count, milliseconds }])),
  });
  return record(deps, { endedAt, failedJobs });
}

async function record(deps: Deps, last: LastSweep): Promise<boolean> {
  try {
    await recordSweep(deps.db, last);
    return true;
  } catch (error) {
    deps.log("error", "sweep.failed", { job: "record-sweep", error: describeError(error) });
    return false;
  }
}

const HOUR_MILLISECONDS = 3_600_000;
const hourOf = (time: number) => Math.floor(time / HOUR_MILLISECONDS);

function dueJobs(last: LastSweep | null, now: number): SweepJob[] {
  const isNewHour = last === null || hourOf(last.endedAt) !== hourOf(now);
  return JOBS.filter(({ name, isHourly }) => !isHourly || isNewHour || last.failedJobs.includes(name));
}

/** @returns the last sweep; null: none has ended yet, so all jobs are due; "away": the database does not answer */
async function readLast(deps: Deps): Promise<LastSweep | null | "away"> {
  try {
    return await readLastSweep(deps.db);
  } catch (error) {
    deps.log("error", "sweep.failed", { job: "read-last-sweep", error: describeError(error) });
    return "away";
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
  const { requeueAfterMilliseconds } = deps.config;
  const times = {
    dueBefore: now - requeueAfterMilliseconds,
    longestWait: longestWaitMilliseconds(deps.config),
  };
  return inSteps(
    () => takeOverdue(deps.db, times, now),
    (overdue) => queueOverdue(deps, overdue, now),
  );
}

async function requeueCallbacks(deps: Deps, now: number): Promise<number> {
  const dueBefore = now - deps.config.requeueAfterMilliseconds;
  return inSteps(
    () => takeOverdueCallbacks(deps.db, dueBefore, now),
    (due) => queueCallbacks(deps, due),
  );
}

const retainedSince = ({ config }: Deps, now: number) => now - config.retentionMilliseconds;

const expired = (now: number) => ({
  now,
  cancelledBefore: now - TOMBSTONE_MILLISECONDS,
});

/** Deletes in steps, until a step deletes less than it may. */
async function untilDeleted(step: () => Promise<number>): Promise<void> {
  for (let steps = 0; steps < SWEEP_STEPS; steps++) {
    if ((await step()) !== DELETED_A_STEP) return;
  }
}
