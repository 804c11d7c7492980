import * as z from "zod/mini";
import { toMetrics } from "../../domain/metrics.ts";
import {
  CALLBACK_OUTCOMES,
  MESSAGE_STATES,
  PROBLEMS,
  QUEUES,
  SUBMISSION_OUTCOMES,
} from "../../domain/service-state.ts";
import { readServiceState } from "../../flows/read-service-state.ts";
import type { Handler } from "../api-request.ts";
import type { Answers } from "./answers.ts";
import { databaseSchema } from "./databases.ts";

export function serviceStateAnswers() {
  const time = z.iso.datetime();
  const backlog = z.object({
    count: z.int(),
    oldestSeconds: z.nullable(z.int()).check(z.describe("Of the oldest.")),
  });
  const states = each(MESSAGE_STATES, backlog);
  const queue = z.object({
    queue: z.enum(QUEUES),
    backlog: z.nullable(z.int()),
    oldestSeconds: z.nullable(z.int()),
  });
  const carrier = z.extend(states, {
    carrier: z.string(),
    isInUse: z.boolean().check(z.describe("A website names it.")),
    isSetUp: z.boolean(),
    missingSettings: z.array(z.string()),
    isUnauthorized: z.boolean().check(z.describe("It rejects our credentials.")),
    pause: z
      .nullable(z.object({ since: time, cause: z.string(), nextTryAt: z.nullable(time) }))
      .check(z.describe("Its circuit breaker is open. nextTryAt is null while a try is under way.")),
    lastFiveMinutes: each(SUBMISSION_OUTCOMES, z.int()),
    lastHour: each(SUBMISSION_OUTCOMES, z.int()),
  });
  const text = z.nullable(z.string());
  const detail = z.object({
    problem: z.enum(PROBLEMS),
    carrier: text,
    websiteId: text,
    clientId: text,
    host: text,
    since: z.nullable(time),
    cause: text,
    nextTryAt: z.nullable(time),
    database: text,
  });
  const endpoint = z.object({
    websiteId: z.string(),
    clientId: z.string(),
    host: z.string(),
    since: time,
    failures: z.int().check(z.describe("In a row.")),
    cause: z.string(),
  });
  return {
    ServiceState: z.object({
      checkedAt: z.iso.datetime(),
      problems: z
        .array(z.enum(PROBLEMS))
        .check(z.describe("Problems that need an operator. The description of the operation explains each.")),
      details: z
        .array(detail)
        .check(z.describe("An entry for each problem and carrier, or client's endpoint, that it concerns.")),
      isCut: z.boolean().check(z.describe("A state has 10,000 or more: only the oldest 10,000 are counted.")),
      sweep: z.object({
        endedAt: z.nullable(z.iso.datetime()).check(z.describe("null: never.")),
        ageSeconds: z.nullable(z.int()),
        failedJobs: z.array(z.string()),
      }),
      databases: z.array(databaseSchema()).check(z.describe("The first has the directory of the others.")),
      queues: z.array(queue).check(z.describe("As the queues report them; null where they do not.")),
      messages: states,
      retriedSeconds: z
        .nullable(z.int())
        .check(z.describe("Age of the oldest waiting message that the carrier could not accept at first.")),
      carriers: z.array(carrier),
      callbacks: z.object({
        due: backlog,
        claimed: backlog,
        lastFiveMinutes: each(CALLBACK_OUTCOMES, z.int()),
        lastHour: each(CALLBACK_OUTCOMES, z.int()),
        failingEndpoints: z.array(endpoint),
      }),
      deadJobs: backlog,
      credentialsBehind: backlog,
      keywordsWithoutEffect: backlog.check(
        z.describe(
          "Of the last day: STOP, START and HELP that reached no website, or whose sender is no phone number.",
        ),
      ),
    }),
  };
}

function each<Name extends string, Schema extends z.ZodMiniType>(names: readonly Name[], schema: Schema) {
  return z.object(Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>);
}

export type ServiceStateAnswers = Answers<typeof serviceStateAnswers>;

/** GET /operator/health */
export const getServiceStateHandler: Handler = async (request, deps) => {
  const answer: ServiceStateAnswers["ServiceState"] = await readServiceState(deps, new URL(request.url).origin);
  return Response.json(answer);
};

/** GET /operator/metrics */
export const getMetricsHandler: Handler = async (request, deps) => {
  const state = await readServiceState(deps, new URL(request.url).origin);
  return new Response(toMetrics(state), { headers: { "content-type": METRICS_TYPE } });
};

/** The version is that of Prometheus' format. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
