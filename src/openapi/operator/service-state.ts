import { type ServiceStateAnswers, serviceStateAnswers } from "../../http/operator/service-state.ts";
import { TIME } from "../examples.ts";
import { type ApiOperation, ok } from "../operation.ts";
import type { Resource } from "./resource.ts";

const NONE = { count: 0, oldestSeconds: null };

const MESSAGES = {
  waiting: NONE,
  retrying: { count: 7, oldestSeconds: 95 },
  claimed: NONE,
  stuck: NONE,
  withoutReceipt: NONE,
};

const SERVICE_STATE = {
  checkedAt: TIME,
  problems: ["dead-jobs"],
  isCut: false,
  sweep: { endedAt: TIME, ageSeconds: 0, failedJobs: [] },
  queues: [
    { queue: "messages", backlog: 7, oldestSeconds: 12 },
    { queue: "callbacks", backlog: 0, oldestSeconds: null },
  ],
  messages: MESSAGES,
  carriers: [
    {
      carrier: "twilio",
      isInUse: true,
      isSetUp: true,
      missingSettings: [],
      isUnauthorized: false,
      ...MESSAGES,
      lastHour: { accepted: 412, refused: 0, unknown: 0, later: 7, unauthorized: 0 },
    },
  ],
  callbacks: {
    due: NONE,
    claimed: NONE,
    lastHour: { accepted: 398, refused: 0, "timed-out": 0, unreachable: 0, "not-posted": 0 },
  },
  deadJobs: { count: 1, oldestSeconds: 3600 },
  credentialsBehind: NONE,
  keywordsWithoutEffect: NONE,
} satisfies ServiceStateAnswers["ServiceState"];

export function describeServiceState(): Resource {
  const schemas = serviceStateAnswers();
  const getServiceState: ApiOperation = {
    id: "getServiceState",
    method: "get",
    path: "/operator/health",
    tag: "Service state",
    access: "operator",
    summary: "Read the state of the service",
    description:
      "Messages that are not final, by state: `waiting` for their job, `retrying` (the carrier asked for a later try), `claimed` (being submitted), `stuck` (claimed for longer than a run can last: the sweep ends them) and `withoutReceipt`. `lastHour` counts submissions and callbacks by outcome.",
    answers: [ok(schemas.ServiceState, "The present state.", SERVICE_STATE)],
  };
  return { operations: [getServiceState], schemas };
}
