import type { Deps } from "../../deps.ts";
import type { Job } from "../../domain/messages/job.ts";
import { describeError } from "../../platform/describe-error.ts";

export interface Entry {
  message: Message;
  /** undefined when it is malformed. */
  job: Job | undefined;
}

const LEVELS = { done: "info", retried: "warn", dead: "error" } as const;

/** One line for jobs of one kind. Its id and number of tries are those of the first. */
export function logJobs(deps: Deps, entries: Entry[], outcome: keyof typeof LEVELS, started: number, error?: unknown) {
  const [first] = entries;
  const counts = entries.map(({ job }) => (job ? countOf(job) : 1));
  deps.log(LEVELS[outcome], "job", {
    queueMessageId: first?.message.id,
    kind: first?.job?.kind ?? "malformed",
    count: counts.reduce((sum, count) => sum + count, 0),
    outcome,
    attempts: first?.message.attempts,
    milliseconds: deps.now() - started,
    ...(error === undefined ? {} : { error: describeError(error) }),
  });
}

/** The number of messages, or of callbacks, in a job. */
function countOf(job: Job): number {
  if (job.kind === "release-callbacks") return job.eventIds.length;
  if (job.kind === "receipts") return job.receipts.length + (job.rehearsals ?? []).length;
  return job.kind === "record" ? job.records.length : job.messageIds.length;
}
