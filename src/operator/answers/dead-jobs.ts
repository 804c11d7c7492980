import * as z from "zod";
import type { Answers } from "../answers.ts";

export const deadJobSchema = z.object({
  id: z.string(),
  queue: z.string(),
  body: z.unknown().describe("The job: ids and outcomes. Phone numbers are masked."),
  diedAt: z.iso.datetime(),
  error: z.string().nullable().describe("The error of its last try; null: unknown."),
  putBackAt: z.iso
    .datetime()
    .nullable()
    .describe("When an operator has put it back: from then on, it is no problem any more. null: nobody has."),
});

const unreadable = z
  .int()
  .describe(
    "Jobs that this version cannot read, and that were not requeued. They are marked, and no problem any more.",
  );

export const deadJobAnswers = {
  DeadJobList: z.object({ deadJobs: z.array(deadJobSchema) }),
  PutBackOne: z.object({ putBack: z.int(), unreadable }),
  PutBackAll: z.object({
    putBack: z.int(),
    left: z.int().describe("How many were never put back; 1,000 means 1,000 or more."),
    unreadable,
  }),
};

export type DeadJobAnswers = Answers<typeof deadJobAnswers>;
