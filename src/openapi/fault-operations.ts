import type * as z from "zod";
import { CALLBACK_OUTCOMES, MESSAGE_STATES, SUBMISSION_OUTCOMES } from "../domain/service-state.ts";
import { CHECK_TIMEOUT_MILLISECONDS, REMEMBERED_MILLISECONDS } from "../platform/health-memory.ts";
import { MESSAGE_ID, TIME } from "./examples.ts";
import { type ApiOperation, pathParameter } from "./operation.ts";
import { type OperatorAnswers, ok } from "./operator-operations.ts";
import { checkTable, problemTable, stateTable } from "./tables.ts";

/** What anyone may ask. */
export function healthOperation(schema: z.ZodType): ApiOperation {
  const check = { status: "ok", milliseconds: 4 };
  const checks = { configuration: { status: "ok", milliseconds: 0 }, database: check, credentials: check };
  const failing = { status: "failing", milliseconds: 2000 };
  return {
    id: "health",
    method: "get",
    path: "/health",
    tag: "Health",
    summary: "Check whether the service can work",
    description: `A check fails after ${CHECK_TIMEOUT_MILLISECONDS / 1000} seconds; the log has the reason (\`health.failing\`). A result is up to ${REMEMBERED_MILLISECONDS / 1000} seconds old.\n\n${checkTable()}`,
    access: "open",
    answers: [
      ok(schema, "Every check is ok.", { status: "ok", checks: { ...checks, limiter: check } }),
      ok(schema, "A check fails.", { status: "failing", checks: { ...checks, limiter: failing } }, 503),
    ],
  };
}

const NONE = { count: 0, oldestSeconds: null };

function zeros<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

function serviceState() {
  const states = {
    ...Object.fromEntries(MESSAGE_STATES.map((name) => [name, NONE])),
    retrying: { count: 7, oldestSeconds: 95 },
  };
  const lastHour = { ...zeros(SUBMISSION_OUTCOMES), accepted: 412, later: 7 };
  return {
    checkedAt: TIME,
    problems: ["dead-jobs"],
    isCut: false,
    sweep: { endedAt: TIME, ageSeconds: 0, failedJobs: [] },
    queues: [
      { queue: "messages", backlog: 7, oldestSeconds: 12 },
      { queue: "callbacks", backlog: 0, oldestSeconds: null },
    ],
    messages: states,
    carriers: [
      {
        carrier: "twilio",
        isInUse: true,
        isSetUp: true,
        missingSettings: [],
        isUnauthorized: false,
        ...states,
        lastHour,
      },
    ],
    callbacks: { due: NONE, claimed: NONE, lastHour: { ...zeros(CALLBACK_OUTCOMES), accepted: 398 } },
    deadJobs: { count: 1, oldestSeconds: 3600 },
    credentialsBehind: NONE,
    keywordsWithoutEffect: NONE,
  };
}

const DEAD_JOB = {
  id: "8f1c2b3a4d5e6f708192a3b4c5d6e7f8",
  queue: "textgate-messages",
  body: { kind: "deliver", messageIds: [MESSAGE_ID] },
  diedAt: TIME,
  error: "TypeError: carrier.submit is not a function",
  putBackAt: null,
};

const COMMON = { tag: "Service state", access: "operator" } satisfies Partial<ApiOperation>;

const HARMLESS = "Requeueing is idempotent: a job changes only what its claim, or its message's status, still allows.";

export function faultOperations(answers: OperatorAnswers): ApiOperation[] {
  return [
    {
      ...COMMON,
      id: "getServiceState",
      method: "get",
      path: "/operator/health",
      summary: "Read the state of the service",
      description: `Counts the messages that are not final by their state, in all and by carrier, each with the age of the oldest; \`lastHour\` counts submissions and callbacks by outcome.\n\n${stateTable()}\n\n\`problems\` names what needs an operator.\n\n${problemTable()}`,
      answers: [ok(answers.ServiceState, "The present state.", serviceState())],
    },
    {
      ...COMMON,
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
      answers: [ok(answers.DeadJobList, "One page.", { deadJobs: [DEAD_JOB] })],
    },
    {
      ...COMMON,
      id: "putBackDeadJobs",
      method: "post",
      path: "/operator/dead-jobs/put-back",
      summary: "Requeue dead jobs",
      description: `The oldest 100 that were not requeued yet. ${HARMLESS}`,
      answers: [ok(answers.PutBackAll, "How many were requeued, and how many are left.", { putBack: 100, left: 23 })],
    },
    {
      ...COMMON,
      id: "putBackDeadJob",
      method: "post",
      path: "/operator/dead-jobs/{jobId}/put-back",
      summary: "Requeue one dead job",
      description: "Even if it was requeued before.",
      parameters: [pathParameter("jobId", "The `id` in the list.", { type: "string" }, DEAD_JOB.id)],
      answers: [ok(answers.PutBackOne, "The job is requeued.", { putBack: 1 })],
      errors: ["resource-unknown"],
    },
  ];
}
