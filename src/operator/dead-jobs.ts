import type * as z from "zod";
import { expectedCount, jsonObject } from "../domain/fields.ts";
import { audited } from "../flows/operations/audit.ts";
import { findWaitingJobs, requeue } from "../flows/operations/dead-jobs.ts";
import { authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readOptionalFields } from "../http/body.ts";
import { inPath, inQuery, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { parseJsonColumn } from "../store/database.ts";
import { type DeadJob, findDeadJob, listDeadJobs } from "../store/operations/dead-jobs.ts";
import { deadJobAnswers, type deadJobSchema } from "./answers/dead-jobs.ts";
import { countOf, operatorCall, settingsBody } from "./operator-call.ts";
import { PAGE, requireFound } from "./params.ts";

const putBackSchema = jsonObject({ expected: expectedCount("jobs") });

const jobsOf = (count: number) => `${countOf(count, "job")} ${count === 1 ? "is" : "are"}`;

/** What became of the jobs, for the shell. */
const said = ({ putBack, unreadable: count }: { putBack: number; unreadable: number }) => [
  ...(putBack > 0 || count === 0 ? [`${jobsOf(putBack)} requeued.`] : []),
  ...(count > 0
    ? [
        `${countOf(count, "job")} cannot be read by this version, and ${count === 1 ? "is" : "are"} no problem any more. If a newer version can read ${count === 1 ? "it" : "them"}, deploy it, and run \`put-back <jobId>\`.`,
      ]
    : []),
];

const DEAD_JOB = {
  id: "8f1c2b3a4d5e6f708192a3b4c5d6e7f8",
  queue: "textgate-messages",
  body: { kind: "deliver", messageIds: [MESSAGE_ID] },
  diedAt: TIME,
  error: "TypeError: carrier.submit is not a function",
  putBackAt: null,
} satisfies z.output<typeof deadJobSchema>;

const HARMLESS =
  "Requeueing is idempotent: a job changes only what its claim, or its message's status, still allows. A job that this version cannot read (`malformed`) is not requeued, because it would fail again: it is marked, and no problem any more.";

function deadJobView(job: DeadJob): z.output<typeof deadJobSchema> {
  const { id, queue, body, diedAt, error, putBackAt } = job;
  return {
    id,
    queue,
    body: parseJsonColumn<unknown>(body, body),
    diedAt: toTime(diedAt),
    error,
    putBackAt: toTime(putBackAt),
  };
}

const list = operatorCall({
  id: "listDeadJobs",
  method: "GET",
  path: "/operator/dead-jobs",
  tag: "Service state",
  summary: "List the dead jobs",
  description: "Newest first, 100 per page, requeued ones included.",
  parameters: [inQuery("before", "The `id` of the last job of the previous page.")],
  answers: [ok(deadJobAnswers.DeadJobList, "One page.", { deadJobs: [DEAD_JOB] })],
  command: { name: "dead-jobs", notes: "--json shows the jobs themselves." },
  run: async (request, deps) => {
    const { before } = request.query;
    const jobs = await listDeadJobs(deps.db, before ? String(before) : null, PAGE);
    return { deadJobs: jobs.map(deadJobView) };
  },
});

const putBackAll = operatorCall({
  id: "putBackDeadJobs",
  method: "POST",
  path: "/operator/dead-jobs/put-back",
  tag: "Service state",
  summary: "Requeue dead jobs",
  description: `The oldest 100 that were not requeued yet. ${HARMLESS}`,
  body: { ...settingsBody(putBackSchema, { all: {}, counted: { expected: 100 } }), isOptional: true },
  answers: [
    ok(deadJobAnswers.PutBackAll, "How many were requeued, and how many are left.", {
      ...{ putBack: 100, left: 23, unreadable: 0 },
    }),
  ],
  errors: ["count-changed"],
  command: {
    name: "put-back",
    chosenBy: { option: "all", summary: "Requeue every job that was not requeued yet." },
    next: (done) =>
      [
        ...said(done),
        done.left === 0
          ? "None is left. `dead-jobs` shows those that fail again."
          : `${jobsOf(done.left)} left: run it again.`,
      ].join(" "),
  },
  run: async (request, deps) => {
    const { expected } = await readOptionalFields(request, putBackSchema, BODY_LIMITS.settings);
    const jobs = await findWaitingJobs(deps, expected ?? null);
    const {
      requeued: putBack,
      unreadable,
      left,
    } = await audited(
      deps,
      authorOf(request),
      { action: "put-back" },
      () => requeue(deps, jobs),
      (done) => ({ ...done }),
    );
    request.logged = { putBack, unreadable, left };
    return { putBack, left, unreadable };
  },
});

const putBack = operatorCall({
  id: "putBackDeadJob",
  method: "POST",
  path: "/operator/dead-jobs/:jobId/put-back",
  tag: "Service state",
  summary: "Requeue one dead job",
  description: "The job is requeued even if it was requeued before.",
  parameters: [inPath("jobId", "The `id` in the list.", DEAD_JOB.id)],
  answers: [ok(deadJobAnswers.PutBackOne, "Whether the job is requeued.", { putBack: 1, unreadable: 0 })],
  errors: ["resource-unknown"],
  command: {
    name: "put-back",
    notes: HARMLESS,
    next: (done) =>
      [...said(done), ...(done.putBack > 0 ? ["`dead-jobs` shows whether it fails again."] : [])].join(" "),
  },
  run: async (request, deps) => {
    const id = request.params.jobId ?? "";
    const job = requireFound(await findDeadJob(deps.db, id), "dead job");
    const entry = { action: "put-back", subject: id } as const;
    const { requeued: putBack, unreadable } = await audited(
      deps,
      authorOf(request),
      entry,
      () => requeue(deps, [job]),
      ({ requeued, unreadable }) => ({ requeued, unreadable }),
    );
    return { putBack, unreadable };
  },
});

export const deadJobs: Resource = {
  calls: [list, putBackAll, putBack],
  schemas: { PutBackRequest: putBackSchema, ...deadJobAnswers },
};
