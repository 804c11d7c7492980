import * as z from "zod/mini";
import { toMetrics } from "../../domain/metrics.ts";
import { PROBLEMS } from "../../domain/problems.ts";
import {
  CALLBACK_OUTCOMES,
  MESSAGE_STATES,
  QUEUES,
  RECEIPT_OUTCOMES,
  STATE_PARTS,
  SUBMISSION_OUTCOMES,
} from "../../domain/service-state.ts";
import { readServiceState } from "../../flows/read-service-state.ts";
import type { Handler } from "../api-request.ts";
import type { Answers } from "./answers.ts";
import { databaseSchema } from "./databases.ts";

export function serviceStateAnswers() {
  const backlog = z.object({
    count: z.nullable(z.int()).check(z.describe("null: its part does not answer.")),
    oldestSeconds: z.nullable(z.int()).check(z.describe("Of the oldest.")),
  });
  const queue = z.object({
    queue: z.enum(QUEUES),
    backlog: z.nullable(z.int()),
    oldestSeconds: z.nullable(z.int()),
  });
  const states = each(MESSAGE_STATES, backlog);
  return {
    ServiceState: z.object({
      requestId: z.string().check(z.describe("As in `X-Request-Id`: the log has the causes under it.")),
      checkedAt: z.iso.datetime(),
      problems: z
        .array(z.enum(PROBLEMS))
        .check(z.describe("Problems that need an operator. The description of the operation explains each.")),
      details: z
        .array(detailSchema())
        .check(z.describe("An entry for each problem and carrier, or client's endpoint, that it concerns.")),
      database: firstDatabaseSchema(),
      failing: z
        .array(z.object({ part: z.enum(STATE_PARTS), error: z.string() }))
        .check(z.describe("What could not be read. Its counts are null, its lists empty.")),
      isCut: z.boolean().check(z.describe("A state has 10,000 or more: only the oldest 10,000 are counted.")),
      sweep: z.object({
        endedAt: z.nullable(z.iso.datetime()).check(z.describe("null: never.")),
        ageSeconds: z.nullable(z.int()),
        failedJobs: z.array(z.string()),
      }),
      databases: z.array(databaseSchema()).check(z.describe("Empty while the first does not answer.")),
      queues: z.array(queue).check(z.describe("As the queues report them; null where they do not.")),
      messages: states,
      retriedSeconds: z
        .nullable(z.int())
        .check(z.describe("Age of the oldest waiting message that the carrier could not accept at first.")),
      carriers: z.array(z.extend(states, carrierFields())),
      senders: z
        .array(senderSchema())
        .check(z.describe("The senders of websites whose texts of the last hour have final receipts, at most 100.")),
      callbacks: z.object({ due: backlog, claimed: backlog, ...callbackFields() }),
      deadJobs: backlog,
      credentialsBehind: backlog,
      keywordsWithoutEffect: backlog.check(
        z.describe(
          "Of the last day: STOP, START and HELP that reached no website, or whose sender is no phone number.",
        ),
      ),
      maybeOptOuts: backlog.check(
        z.describe("Texts of the last three days with an opt-out word in them, whose sender is not opted out."),
      ),
    }),
  };
}

const optionalText = () => z.nullable(z.string());
const count = () => z.nullable(z.int());

function detailSchema() {
  return z.object({
    problem: z.enum(PROBLEMS),
    carrier: optionalText(),
    sender: optionalText().check(z.describe("The sender of the websites whose texts it concerns.")),
    websiteId: optionalText(),
    clientId: optionalText(),
    host: optionalText(),
    since: z.nullable(z.iso.datetime()),
    cause: optionalText(),
    nextTryAt: z.nullable(z.iso.datetime()),
    database: optionalText(),
  });
}

function firstDatabaseSchema() {
  return z.object({
    status: z.enum(["ok", "behind", "away"]),
    milliseconds: z.nullable(z.int()).check(z.describe("null: it did not answer.")),
    cause: optionalText(),
    missing: optionalText().check(z.describe("Which migration is not applied.")),
  });
}

function carrierFields() {
  const pause = z.object({ since: z.iso.datetime(), cause: z.string(), nextTryAt: z.nullable(z.iso.datetime()) });
  return {
    carrier: z.string(),
    isInUse: z.boolean().check(z.describe("A website names it.")),
    isSetUp: z.boolean(),
    missingSettings: z.array(z.string()),
    isUnauthorized: z.boolean().check(z.describe("It rejects our credentials.")),
    pause: z
      .nullable(pause)
      .check(z.describe("Its circuit breaker is open. nextTryAt is null while a try is under way.")),
    lastFiveMinutes: each(SUBMISSION_OUTCOMES, count()),
    lastHour: each(SUBMISSION_OUTCOMES, count()),
    receipts: z
      .object({ lastFiveMinutes: each(RECEIPT_OUTCOMES, count()), lastHour: each(RECEIPT_OUTCOMES, count()) })
      .check(z.describe("What became of the texts that it took in that time: their final receipt.")),
  };
}

function senderSchema() {
  const counts = z.object({ delivered: z.int(), undelivered: z.int() });
  return z.object({
    carrier: z.string(),
    sender: optionalText(),
    lastFiveMinutes: counts.check(z.describe("What became of the texts that were submitted in that time.")),
    lastHour: counts,
    cause: optionalText().check(
      z.describe("Why most of the undelivered ones failed: the reason and the carrier's code. null: none failed."),
    ),
  });
}

function callbackFields() {
  const endpoint = z.object({
    websiteId: z.string(),
    clientId: z.string(),
    host: z.string(),
    since: z.iso.datetime(),
    failures: z.int().check(z.describe("In a row.")),
    cause: z.string(),
  });
  return {
    lastFiveMinutes: each(CALLBACK_OUTCOMES, count()),
    lastHour: each(CALLBACK_OUTCOMES, count()),
    answered: z
      .array(z.object({ status: z.int(), lastFiveMinutes: z.int(), lastHour: z.int() }))
      .check(z.describe("What the `refused` ones were answered.")),
    failingEndpoints: z.array(endpoint),
  };
}

function each<Name extends string, Schema extends z.ZodMiniType>(names: readonly Name[], schema: Schema) {
  return z.object(Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>);
}

export type ServiceStateAnswers = Answers<typeof serviceStateAnswers>;

/** GET /operator/health */
export const getServiceStateHandler: Handler = async (request, deps) => {
  const { requestId } = request;
  const state = await readServiceState(deps, new URL(request.url).origin, requestId);
  const answer: ServiceStateAnswers["ServiceState"] = { requestId, ...state };
  return Response.json(answer);
};

/** GET /operator/metrics */
export const getMetricsHandler: Handler = async (request, deps) => {
  const state = await readServiceState(deps, new URL(request.url).origin, request.requestId);
  return new Response(toMetrics(state), { headers: { "content-type": METRICS_TYPE } });
};

/** The version is that of Prometheus' format. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
