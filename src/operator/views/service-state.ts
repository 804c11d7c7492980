import * as z from "zod";
import { PROBLEMS } from "../../domain/operations/problems.ts";
import {
  CALLBACK_OUTCOMES,
  MESSAGE_STATES,
  QUEUES,
  RECEIPT_OUTCOMES,
  STATE_PARTS,
  SUBMISSION_OUTCOMES,
} from "../../domain/operations/service-state.ts";
import { REQUEST_ID, TIME } from "../../http/examples.ts";
import { databaseSchema } from "../answers/databases.ts";
import { problemSchema } from "../answers/problems.ts";
import type { Answers } from "../answers.ts";
import { DATABASE } from "../databases.ts";

const backlogSchema = z.object({
  count: z.int().nullable().describe("null: its part does not answer."),
  oldestSeconds: z.int().nullable().describe("Age of the oldest."),
});

const queueSchema = z.object({
  queue: z.enum(QUEUES),
  backlog: z.int().nullable(),
  oldestSeconds: z.int().nullable(),
});

const firstDatabaseSchema = z.object({
  status: z.enum(["ok", "behind", "away"]),
  milliseconds: z.int().nullable().describe("null: it did not answer."),
  cause: z.string().nullable(),
  missing: z.string().nullable().describe("Which migration is not applied."),
});

const sweepSchema = z.object({
  endedAt: z.iso.datetime().nullable().describe("null: never."),
  ageSeconds: z.int().nullable(),
  failedJobs: z.array(z.string()),
});

const statesSchema = each(MESSAGE_STATES, backlogSchema);
const submissionsSchema = each(SUBMISSION_OUTCOMES, z.int().nullable());
const receiptsSchema = each(RECEIPT_OUTCOMES, z.int().nullable());
const postsSchema = each(CALLBACK_OUTCOMES, z.int().nullable());

const pauseSchema = z.object({
  since: z.iso.datetime(),
  cause: z.string(),
  nextTryAt: z.iso.datetime().nullable().describe("null: a try is under way."),
});

const carrierSchema = statesSchema.extend({
  carrier: z.string(),
  isInUse: z.boolean().describe("A website names it."),
  isSetUp: z.boolean(),
  missingSettings: z.array(z.string()),
  isUnauthorized: z.boolean().describe("It rejects our account."),
  pause: pauseSchema
    .extend({ about: z.enum(["account", "carrier", "sender"]).describe("What `cause` is about.") })
    .nullable()
    .describe("The circuit breaker of the carrier and of our account there is open. No text of the carrier goes."),
  senderPauses: z
    .array(pauseSchema.extend({ sender: z.string(), websiteIds: z.array(z.string()) }))
    .describe("The senders whose circuit breakers are open. Only the texts of these senders wait."),
  lastFiveMinutes: submissionsSchema,
  lastHour: submissionsSchema,
  receipts: z
    .object({ lastFiveMinutes: receiptsSchema, lastHour: receiptsSchema })
    .describe("The final receipts of the texts that it accepted in that time."),
});

const deliveriesSchema = z.object({ delivered: z.int(), undelivered: z.int() });

const senderSchema = z.object({
  carrier: z.string(),
  sender: z.string().nullable(),
  lastFiveMinutes: deliveriesSchema.describe("The final receipts of the texts that were submitted in that time."),
  lastHour: deliveriesSchema,
  cause: z
    .string()
    .nullable()
    .describe("Why most of the undelivered ones failed: the reason and the carrier's code. null: none failed."),
});

const endpointSchema = z.object({
  websiteId: z.string(),
  clientId: z.string(),
  host: z.string(),
  since: z.iso.datetime(),
  failures: z.int().describe("In a row."),
  cause: z.string(),
});

const callbacksSchema = z.object({
  due: backlogSchema,
  claimed: backlogSchema,
  lastFiveMinutes: postsSchema,
  lastHour: postsSchema,
  answered: z
    .array(z.object({ status: z.int(), lastFiveMinutes: z.int(), lastHour: z.int() }))
    .describe("How the endpoints answered the `refused` ones."),
  failingEndpoints: z.array(endpointSchema),
});

export const serviceStateAnswers = {
  ServiceState: z.object({
    requestId: z.string().describe("As in `X-Request-Id`: the log has the causes under it."),
    checkedAt: z.iso.datetime(),
    problems: z
      .array(z.enum(PROBLEMS))
      .describe("Problems that need an operator. The description of the operation explains each."),
    details: z
      .array(problemSchema)
      .describe("An entry for each problem and carrier, or client's endpoint, that it concerns."),
    database: firstDatabaseSchema,
    failing: z
      .array(z.object({ part: z.enum(STATE_PARTS), error: z.string() }))
      .describe("The parts that could not be read. Its counts are null, its lists empty."),
    isCut: z.boolean().describe("A state has 10,000 or more: only the oldest 10,000 are counted."),
    sweep: sweepSchema,
    databases: z.array(databaseSchema).describe("Empty while the first does not answer."),
    queues: z.array(queueSchema).describe("As the queues report them; null where they do not."),
    messages: statesSchema,
    retriedSeconds: z
      .int()
      .nullable()
      .describe("Age of the oldest waiting message that the carrier could not accept at first."),
    carriers: z.array(carrierSchema),
    senders: z
      .array(senderSchema)
      .describe("The senders of websites whose texts of the last hour have final receipts, at most 100."),
    callbacks: callbacksSchema,
    deadJobs: backlogSchema,
    credentialsBehind: backlogSchema,
    keywordsWithoutEffect: backlogSchema.describe(
      "STOP, START and HELP of the last day that reached no website, or whose sender is no phone number.",
    ),
    maybeOptOuts: backlogSchema.describe(
      "Texts of the last three days with an opt-out word in them, whose sender is not opted out.",
    ),
    unreadableTexts: z
      .array(z.object({ carrier: z.string(), count: z.int(), since: z.iso.datetime(), cause: z.string() }))
      .describe(
        "Inbound calls of the last day that were in an unknown form, or whose text was in an unknown character set.",
      ),
  }),
};

function each<Name extends string, Schema extends z.ZodType>(names: readonly Name[], schema: Schema) {
  return z.object(Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>);
}

export type ServiceStateAnswers = Answers<typeof serviceStateAnswers>;

const NONE = { count: 0, oldestSeconds: null };

const MESSAGES = {
  waiting: NONE,
  held: NONE,
  retrying: { count: 7, oldestSeconds: 95 },
  claimed: NONE,
  stuck: NONE,
  withoutReceipt: NONE,
};

export const SERVICE_STATE = {
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
      senderPauses: [],
      lastFiveMinutes: { accepted: 35, refused: 0, unknown: 0, later: 7, limited: 0, unauthorized: 0 },
      lastHour: { accepted: 412, refused: 0, unknown: 0, later: 7, limited: 0, unauthorized: 0 },
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
  unreadableTexts: [],
} satisfies ServiceStateAnswers["ServiceState"];
