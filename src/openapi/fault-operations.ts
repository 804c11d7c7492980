import type * as z from "zod";
import { CALLBACK_OUTCOMES, MESSAGE_STATES, SUBMISSION_OUTCOMES } from "../domain/service-state.ts";
import { MESSAGE_ID, TIME } from "./examples.ts";
import { type ApiOperation, pathParameter } from "./operation.ts";
import { type OperatorAnswers, ok } from "./operator-operations.ts";

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
    summary: "Ask whether the service can work",
    description:
      "Asks each part that every request depends on: `configuration` (the settings can be read, and there is a key to sign callbacks with), `database` (D1 answers, and has the latest migration), `credentials` (KV answers), `limiter` (the Durable Object answers; while it does not, requests are not limited). A check fails after 2 seconds. An answer is up to 5 seconds old.",
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

const COMMON = { tag: "Faults", access: "operator" } satisfies Partial<ApiOperation>;

const HARMLESS =
  "Safe to repeat: a job acts only on what its claim or its message's status still allows, so one that is put back twice, or that is done already, changes nothing. One that fails again comes back as another dead job.";

export function faultOperations(answers: OperatorAnswers): ApiOperation[] {
  return [
    {
      ...COMMON,
      id: "getServiceState",
      method: "get",
      path: "/operator/health",
      summary: "See what waits, what is stuck and what fails",
      description:
        "Messages that are not final: `waiting` for their job, `retrying` (the carrier asked for a later try), `claimed` (being submitted), `stuck` (claimed for longer than a run can last: the sweep ends them) and `withoutReceipt`. `lastHour` counts submissions and callbacks by how they ended.",
      answers: [ok(answers.ServiceState, "The state at this moment.", serviceState())],
    },
    {
      ...COMMON,
      id: "listDeadJobs",
      method: "get",
      path: "/operator/dead-jobs",
      summary: "List the jobs that failed for good",
      description: "The latest first, 100 at a time; also those that have been put back.",
      parameters: [
        {
          name: "before",
          in: "query",
          required: false,
          description: "The `id` of the last one of the page before.",
          schema: { type: "string" },
        },
      ],
      answers: [ok(answers.DeadJobList, "A page of them.", { deadJobs: [DEAD_JOB] })],
    },
    {
      ...COMMON,
      id: "putBackDeadJobs",
      method: "post",
      path: "/operator/dead-jobs/put-back",
      summary: "Put back dead jobs",
      description: `Queues the oldest 100 again that nobody has put back. ${HARMLESS}`,
      answers: [ok(answers.PutBackAll, "How many were queued, and how many are left.", { putBack: 100, left: 23 })],
    },
    {
      ...COMMON,
      id: "putBackDeadJob",
      method: "post",
      path: "/operator/dead-jobs/{jobId}/put-back",
      summary: "Put back a dead job",
      description: `Queues it again, also one that has been put back before. ${HARMLESS}`,
      parameters: [pathParameter("jobId", "As it is listed.", { type: "string" }, DEAD_JOB.id)],
      answers: [ok(answers.PutBackOne, "It is queued.", { putBack: 1 })],
      errors: ["resource-unknown"],
    },
  ];
}
