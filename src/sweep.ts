import type { Deps } from "./deps.ts";
import { copyCredentials } from "./flows/manage-clients.ts";
import { queueCallbacks, queueDeliveries } from "./flows/queue-jobs.ts";
import { describeError } from "./platform/describe-error.ts";
import {
  findInterrupted,
  findUnsubmitted,
  findWithoutReceipt,
  takeForgotten,
  takeForgottenCallbacks,
} from "./platform/store/left-behind.ts";
import { changeStatus, type StatusChange } from "./platform/store/messages.ts";
import { purgeInbound, purgeMessages } from "./platform/store/reports.ts";
import { purgeExpiredKeys } from "./platform/store/store-messages.ts";
import { listWebsites } from "./platform/store/websites.ts";

/** A run of a queue's consumer lasts 15 minutes at most; a claim older than this has no run any more. */
const LONGEST_RUN_MILLISECONDS = 16 * 60_000;

/** How many steps of 1,000 rows a job takes on in one sweep; the next sweep goes on. */
const MOST_STEPS = 20;

/** Each minute: finds what a crash, a lost job or a silent carrier left behind. Its jobs do not hold one another up. */
export async function sweep(deps: Deps): Promise<void> {
  const { config } = deps;
  const now = deps.now();
  await run(deps, "requeue-messages", () => requeueMessages(deps, now));
  await run(deps, "requeue-callbacks", () => requeueCallbacks(deps, now));
  const claimedBefore = now - LONGEST_RUN_MILLISECONDS;
  await run(deps, "end-interrupted", () =>
    endAll(deps, () => findInterrupted(deps.db, claimedBefore), {
      status: "SENDING",
      claimedBefore,
      reason: "outcome unknown, not sent again: the run that submitted it was cut off",
    }),
  );
  await run(deps, "end-unsubmitted", () =>
    endAll(deps, () => findUnsubmitted(deps.db, now - config.submitWithinMilliseconds), {
      status: "FAILED_TO_SEND",
      reason: "the carrier could not take it in time",
      onlyUnclaimed: true,
    }),
  );
  await run(deps, "end-without-receipt", () =>
    endAll(deps, () => findWithoutReceipt(deps.db, now - config.receiptWithinMilliseconds), {
      status: "FAILED_TO_DELIVERY",
      reason: "no final receipt came in time",
    }),
  );
  await run(deps, "copy-credentials", () => copyCredentials(deps));
  await run(deps, "purge-messages", () => purgeOld(deps, now - config.retentionMilliseconds));
  await run(deps, "purge-send-keys", () => purgeExpiredKeys(deps.db, now));
}

async function run(deps: Deps, job: string, work: () => Promise<unknown>): Promise<void> {
  try {
    const count = await work();
    if (typeof count === "number" && count > 0) deps.log("warn", "sweep.found", { job, count });
  } catch (error) {
    deps.log("error", "sweep.failed", { job, error: describeError(error) });
  }
}

async function requeueMessages(deps: Deps, now: number): Promise<number> {
  const queuedBefore = now - deps.config.requeueAfterMilliseconds;
  return inSteps(
    () => takeForgotten(deps.db, queuedBefore, now),
    (ids) => queueDeliveries(deps, ids),
  );
}

async function requeueCallbacks(deps: Deps, now: number): Promise<number> {
  const queuedBefore = now - deps.config.requeueAfterMilliseconds;
  return inSteps(
    () => takeForgottenCallbacks(deps.db, queuedBefore, now),
    (due) => queueCallbacks(deps, due),
  );
}

/** Texts and what belongs to them; subscriptions and their ledger stay. */
async function purgeOld(deps: Deps, before: number): Promise<number> {
  let count = 0;
  for (const { websiteId } of await listWebsites(deps.db)) {
    count += await inSteps(
      () => purgeMessages(deps.db, websiteId, before),
      async () => {},
    );
  }
  await purgeInbound(deps.db, before);
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

async function inSteps(take: () => Promise<string[]>, work: (ids: string[]) => Promise<void>): Promise<number> {
  let count = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const ids = await take();
    if (ids.length === 0) break;
    await work(ids);
    count += ids.length;
  }
  return count;
}
