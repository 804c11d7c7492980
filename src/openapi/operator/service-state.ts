import * as z from "zod";
import { type ServiceStateAnswers, serviceStateAnswers } from "../../http/operator/service-state.ts";
import { REQUEST_ID, TIME } from "../examples.ts";
import { type ApiOperation, ok } from "../operation.ts";
import { problemTable, stateTable } from "../tables.ts";
import type { Resource } from "./resource.ts";

const NONE = { count: 0, oldestSeconds: null };

const MESSAGES = {
  waiting: NONE,
  held: NONE,
  retrying: { count: 7, oldestSeconds: 95 },
  claimed: NONE,
  stuck: NONE,
  withoutReceipt: NONE,
};

export const DATABASE = {
  ...{ database: "DB", status: "ok", bytes: 2_400_000_000, limitBytes: 10_000_000_000, bytesPerDay: 81_000_000 },
  ...{ daysLeft: 93, sweptAt: TIME, sweepAgeSeconds: 0 },
} satisfies ServiceStateAnswers["ServiceState"]["databases"][number];

const SERVICE_STATE = {
  requestId: REQUEST_ID,
  checkedAt: TIME,
  problems: ["dead-jobs"],
  details: [
    {
      problem: "dead-jobs",
      ...{ carrier: null, sender: null, websiteId: null, clientId: null, host: null, since: null, cause: null },
      ...{ nextTryAt: null, database: null },
    },
  ],
  database: { status: "ok", milliseconds: 12, cause: null, missing: null },
  failing: [],
  isCut: false,
  sweep: { endedAt: TIME, ageSeconds: 0, failedJobs: [] },
  databases: [DATABASE],
  queues: [
    { queue: "messages", backlog: 7, oldestSeconds: 12 },
    { queue: "bulk", backlog: 0, oldestSeconds: null },
    { queue: "callbacks", backlog: 0, oldestSeconds: null },
    { queue: "receipts", backlog: 0, oldestSeconds: null },
  ],
  messages: MESSAGES,
  retriedSeconds: 95,
  carriers: [
    {
      carrier: "twilio",
      isInUse: true,
      isSetUp: true,
      missingSettings: [],
      isUnauthorized: false,
      ...MESSAGES,
      pause: null,
      lastFiveMinutes: { accepted: 35, refused: 0, unknown: 0, later: 7, unauthorized: 0 },
      lastHour: { accepted: 412, refused: 0, unknown: 0, later: 7, unauthorized: 0 },
      receipts: {
        lastFiveMinutes: { delivered: 31, undelivered: 1, "no-receipt": 3 },
        lastHour: { delivered: 392, undelivered: 14, "no-receipt": 6 },
      },
    },
  ],
  senders: [
    {
      ...{ carrier: "twilio", sender: "+12125550123" },
      lastFiveMinutes: { delivered: 31, undelivered: 1 },
      lastHour: { delivered: 392, undelivered: 14 },
      cause: "UNDELIVERED, 30003 × 9 of 406",
    },
  ],
  callbacks: {
    due: NONE,
    claimed: NONE,
    lastFiveMinutes: { accepted: 33, refused: 0, "timed-out": 0, unreachable: 0, "not-posted": 0 },
    lastHour: { accepted: 398, refused: 2, "timed-out": 0, unreachable: 0, "not-posted": 0 },
    answered: [{ status: 500, lastFiveMinutes: 0, lastHour: 2 }],
    failingEndpoints: [],
  },
  deadJobs: { count: 1, oldestSeconds: 3600 },
  credentialsBehind: NONE,
  keywordsWithoutEffect: NONE,
  maybeOptOuts: NONE,
} satisfies ServiceStateAnswers["ServiceState"];

export function describeServiceState(): Resource {
  const getServiceState: ApiOperation = {
    id: "getServiceState",
    method: "get",
    path: "/operator/health",
    tag: "Service state",
    access: "operator",
    summary: "Read the state of the service",
    description: `Counts the messages that are not final by their state, in all and by carrier, each with the age of the oldest; \`lastHour\` counts submissions and callbacks by outcome, and \`receipts\` the texts of that time by their final receipt.\n\n${stateTable()}\n\n\`problems\` names what needs an operator.\n\n${problemTable()}`,
    answers: [ok(serviceStateAnswers.ServiceState, "The present state.", SERVICE_STATE)],
  };
  const getMetrics: ApiOperation = {
    ...{ id: "getMetrics", method: "get", path: "/operator/metrics", tag: "Service state", access: "operator" },
    summary: "Read the state of the service for Prometheus",
    description:
      "The same counts in Prometheus' text format. `textgate_problem` is 1 while a problem lasts. Nothing in it names a person, a website or a client.",
    answers: [
      {
        status: 200,
        description: "The present state.",
        mediaType: "text/plain",
        schema: z.string(),
        example: '# TYPE textgate_problem gauge\ntextgate_problem{problem="sweep-late"} 0\n',
      },
    ],
  };
  return { operations: [getServiceState, getMetrics], schemas: serviceStateAnswers };
}
