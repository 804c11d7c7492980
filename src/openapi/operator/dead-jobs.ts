import { type DeadJobAnswers, deadJobAnswers } from "../../http/operator/dead-jobs.ts";
import { MESSAGE_ID, TIME } from "../examples.ts";
import { type ApiOperation, ok, pathParameter } from "../operation.ts";
import type { Resource } from "./resource.ts";

const DEAD_JOB = {
  id: "8f1c2b3a4d5e6f708192a3b4c5d6e7f8",
  queue: "textgate-messages",
  body: { kind: "deliver", messageIds: [MESSAGE_ID] },
  diedAt: TIME,
  error: "TypeError: carrier.submit is not a function",
  putBackAt: null,
} satisfies DeadJobAnswers["DeadJobList"]["deadJobs"][number];

const HARMLESS = "Requeueing is idempotent: a job changes only what its claim, or its message's status, still allows.";

export function describeDeadJobs(): Resource {
  const common = { tag: "Service state", access: "operator" } satisfies Partial<ApiOperation>;
  const operations: ApiOperation[] = [
    {
      ...common,
      id: "listDeadJobs",
      method: "get",
      path: "/operator/dead-jobs",
      summary: "List the jobs that failed for good",
      description: "Newest first, 100 per page, requeued ones included.",
      parameters: [
        {
          name: "before",
          in: "query",
          required: false,
          description: "The `id` of the last job of the previous page.",
          schema: { type: "string" },
        },
      ],
      answers: [ok(deadJobAnswers.DeadJobList, "One page.", { deadJobs: [DEAD_JOB] })],
    },
    {
      ...common,
      id: "putBackDeadJobs",
      method: "post",
      path: "/operator/dead-jobs/put-back",
      summary: "Requeue dead jobs",
      description: `The oldest 100 that were not requeued yet. ${HARMLESS}`,
      answers: [
        ok(deadJobAnswers.PutBackAll, "How many were requeued, and how many are left.", { putBack: 100, left: 23 }),
      ],
    },
    {
      ...common,
      id: "putBackDeadJob",
      method: "post",
      path: "/operator/dead-jobs/{jobId}/put-back",
      summary: "Requeue one dead job",
      description: "Even if it was requeued before.",
      parameters: [pathParameter("jobId", "The `id` in the list.", { type: "string" }, DEAD_JOB.id)],
      answers: [ok(deadJobAnswers.PutBackOne, "The job is requeued.", { putBack: 1 })],
      errors: ["resource-unknown"],
    },
  ];
  return { operations, schemas: deadJobAnswers };
}
