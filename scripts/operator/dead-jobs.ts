import type { DeadJobAnswers } from "../../src/http/operator/dead-jobs.ts";
import { callOperator, type Service } from "./api.ts";
import { type Command, segment, toQuery, type Values } from "./command.ts";
import { toTable } from "./table.ts";

type PutBackAll = DeadJobAnswers["PutBackAll"];

export const DEAD_JOB_COMMANDS: Command[] = [
  {
    name: "dead-jobs",
    parameters: [],
    summary: "show the jobs that failed for good, the latest first, 100 at a time",
    options: { before: { value: "<id>", summary: "only what died before this one" } },
    notes: "--json shows the jobs themselves.",
    run: (service, _, { before }) => callOperator(service, "GET", `/dead-jobs${toQuery({ before })}`),
    show: showDeadJobs,
  },
  {
    name: "put-back",
    parameters: ["<id or --all>"],
    inPlace: "all",
    summary: "queue a dead job again; twice is harmless",
    options: { all: { summary: "every one that nobody has put back" } },
    notes: "A job changes only what its claim, or its message's status, still allows.",
    run: putBack,
    show: showPutBack,
  },
];

/**
 * With --all, 100 jobs per call, and only as many as wait when the first call is answered: jobs that die again at once would
 * never end.
 */
async function putBack(service: Service, [id]: string[], values: Values): Promise<string> {
  if (!values.all) return callOperator(service, "POST", `/dead-jobs/${segment(id)}/put-back`);
  const step = async () => JSON.parse(await callOperator(service, "POST", "/dead-jobs/put-back")) as PutBackAll;
  const first = await step();
  let { putBack, left } = first;
  while (left > 0 && putBack < first.putBack + first.left) {
    const next = await step();
    putBack += next.putBack;
    left = next.left;
  }
  return JSON.stringify({ putBack, left });
}

export function showDeadJobs(answer: string): string {
  const { deadJobs } = JSON.parse(answer) as DeadJobAnswers["DeadJobList"];
  if (deadJobs.length === 0) return "No dead jobs.";
  const rows = deadJobs.map((it) => [it.id, it.diedAt, it.putBackAt, toKind(it.body), it.error]);
  return toTable([["ID", "DIED", "PUT BACK", "KIND", "ERROR"], ...rows]);
}

function toKind(body: unknown): string {
  const isNamed = typeof body === "object" && body !== null && "kind" in body;
  return isNamed ? String(body.kind) : "unknown";
}

export function showPutBack(answer: string): string {
  const { putBack, left = 0 } = JSON.parse(answer) as DeadJobAnswers["PutBackOne"] & Partial<PutBackAll>;
  const jobs = `Put back ${putBack} ${putBack === 1 ? "job" : "jobs"}`;
  return left > 0 ? `${jobs}, ${left} left.` : `${jobs}.`;
}
