import * as z from "zod";
import { audited } from "../../flows/operations/audit.ts";
import { requeueOne, requeueWaiting } from "../../flows/operations/dead-jobs.ts";
import { parseJsonColumn } from "../../store/database.ts";
import { type DeadJob, findDeadJob, listDeadJobs } from "../../store/operations/dead-jobs.ts";
import { authorOf, type Handler } from "../api-request.ts";
import { toTime } from "../time.ts";
import type { Answers } from "./answers.ts";
import { PAGE, requireFound } from "./params.ts";

const deadJobSchema = z.object({
  id: z.string(),
  queue: z.string(),
  body: z.unknown().describe("The job: ids and outcomes. Phone numbers are masked."),
  diedAt: z.iso.datetime(),
  error: z.string().nullable().describe("Of its last try; null where it is unknown."),
  putBackAt: z.iso.datetime().nullable(),
});

export const deadJobAnswers = {
  DeadJobList: z.object({ deadJobs: z.array(deadJobSchema) }),
  PutBackOne: z.object({ putBack: z.int() }),
  PutBackAll: z.object({
    putBack: z.int(),
    left: z.int().describe("How many were never requeued; 1,000 means 1,000 or more."),
  }),
};

export type DeadJobAnswers = Answers<typeof deadJobAnswers>;

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

/** GET /operator/dead-jobs?before=<id> : newest first. */
export const listDeadJobsHandler: Handler = async (request, deps) => {
  const { before } = request.query;
  const jobs = await listDeadJobs(deps.db, before ? String(before) : null, PAGE);
  const answer: DeadJobAnswers["DeadJobList"] = { deadJobs: jobs.map(deadJobView) };
  return Response.json(answer);
};

/** POST /operator/dead-jobs/put-back : the oldest 100 that were never requeued. */
export const putBackDeadJobsHandler: Handler = async (request, deps) => {
  const { requeued: putBack, left } = await audited(
    deps,
    authorOf(request),
    { action: "put-back" },
    () => requeueWaiting(deps),
    (jobs) => ({ ...jobs }),
  );
  request.logged = { putBack, left };
  const answer: DeadJobAnswers["PutBackAll"] = { putBack, left };
  return Response.json(answer);
};

/** POST /operator/dead-jobs/:jobId/put-back */
export const putBackDeadJobHandler: Handler = async (request, deps) => {
  const id = request.params.jobId ?? "";
  const job = requireFound(await findDeadJob(deps.db, id), "dead job");
  const entry = { action: "put-back", subject: id } as const;
  await audited(
    deps,
    authorOf(request),
    entry,
    () => requeueOne(deps, job),
    () => ({}),
  );
  const answer: DeadJobAnswers["PutBackOne"] = { putBack: 1 };
  return Response.json(answer);
};
