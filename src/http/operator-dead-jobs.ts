import { RequestFailure } from "../domain/failure.ts";
import { putBackOne, putBackWaiting } from "../flows/dead-jobs.ts";
import { parseJsonColumn } from "../platform/store/database.ts";
import { type DeadJob, listDeadJobs } from "../platform/store/dead-jobs.ts";
import type { Handler } from "./api-request.ts";
import { toTime } from "./operator-views.ts";

const PAGE = 100;

/** GET /operator/dead-jobs?before=<id> : the latest first, 100 at a time. */
export const listDeadJobsHandler: Handler = async (request, deps) => {
  const { before } = request.query;
  const jobs = await listDeadJobs(deps.db, before ? String(before) : null, PAGE);
  return Response.json({ deadJobs: jobs.map(deadJobView) });
};

/** POST /operator/dead-jobs/put-back : the oldest 100 that nobody has put back. */
export const putBackAllHandler: Handler = async (request, deps) => {
  const { putBack, left } = await putBackWaiting(deps);
  request.logged = { putBack, left };
  return Response.json({ putBack, left });
};

/** POST /operator/dead-jobs/:jobId/put-back */
export const putBackHandler: Handler = async (request, deps) => {
  if (!(await putBackOne(deps, request.params.jobId ?? ""))) {
    throw new RequestFailure({ kind: "resource-unknown", what: "dead job" });
  }
  return Response.json({ putBack: 1 });
};

function deadJobView({ id, queue, body, diedAt, error, putBackAt }: DeadJob) {
  return {
    id,
    queue,
    body: parseJsonColumn<unknown>(body, body),
    diedAt: toTime(diedAt),
    error,
    putBackAt: toTime(putBackAt),
  };
}
