import * as z from "zod";
import { CALLBACK_OUTCOMES, MESSAGE_STATES, PROBLEMS, SUBMISSION_OUTCOMES } from "../domain/health.ts";

/** What an operator is answered about faults; see operator-answers.ts. */
export function faultAnswers(time: z.ZodISODateTime) {
  const deadJob = z.object({
    id: z.string(),
    queue: z.string(),
    body: z.unknown().meta({ description: "The job: ids and outcomes. Numbers in a carrier's words are masked." }),
    diedAt: time,
    error: z.string().nullable().meta({ description: "Of its last try; null where it is not known." }),
    putBackAt: time.nullable(),
  });
  const left = z.int().meta({ description: "How many nobody has put back; 1,000 stands for more, too." });
  return {
    ServiceState: serviceState(time),
    DeadJobList: z.object({ deadJobs: z.array(deadJob) }),
    PutBackOne: z.object({ putBack: z.int() }),
    PutBackAll: z.object({ putBack: z.int(), left }),
  };
}

function serviceState(time: z.ZodISODateTime) {
  const age = z.int().nullable().meta({ description: "Of the one that has waited longest." });
  const backlog = z.object({ count: z.int(), oldestSeconds: age });
  const each = <Name extends string>(names: readonly Name[], schema: z.ZodType) =>
    z.object(Object.fromEntries(names.map((name) => [name, schema])));
  return z.object({
    checkedAt: time,
    problems: z.array(z.enum(PROBLEMS)).meta({ description: "What needs somebody: the README says what to do." }),
    isCut: z.boolean().meta({ description: "A state has 10,000 or more: the 10,000 that have waited longest count." }),
    sweep: z.object({
      endedAt: time.nullable().meta({ description: "null: never." }),
      ageSeconds: z.int().nullable(),
      failedJobs: z.array(z.string()),
    }),
    queues: z
      .array(
        z.object({
          queue: z.enum(["messages", "callbacks"]),
          backlog: z.int().nullable(),
          oldestSeconds: z.int().nullable(),
        }),
      )
      .meta({ description: "What the queues say of themselves; null where they do not." }),
    messages: each(MESSAGE_STATES, backlog),
    carriers: z.array(
      each(MESSAGE_STATES, backlog).extend({
        carrier: z.string(),
        isInUse: z.boolean().meta({ description: "A website names it." }),
        isSetUp: z.boolean(),
        missingSettings: z.array(z.string()),
        lastHour: each(SUBMISSION_OUTCOMES, z.int()),
      }),
    ),
    callbacks: z.object({ due: backlog, claimed: backlog, lastHour: each(CALLBACK_OUTCOMES, z.int()) }),
    deadJobs: backlog,
    credentialsBehind: backlog,
    keywordsWithoutEffect: backlog.meta({
      description:
        "Of the last day: STOP, START and HELP that reached no website, or came from a sender that is not a phone number.",
    }),
  });
}
