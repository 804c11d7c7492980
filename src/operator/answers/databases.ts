import * as z from "zod";
import { DATABASE_STATUSES } from "../../domain/databases/database-state.ts";
import type { Answers } from "../answers.ts";

export const databaseSchema = z.object({
  database: z.string().describe("Its binding."),
  status: z
    .enum(DATABASE_STATUSES)
    .describe(
      "`away`: it does not answer. `unmigrated`: it lacks a migration. `unbound`: websites are in it, and no database is bound under this name.",
    ),
  bytes: z.int().nullable().describe("Null while it does not answer."),
  limitBytes: z.int(),
  bytesPerDay: z.int().nullable().describe("Growth per day over the last seven days; null: less than a day is known."),
  daysLeft: z.int().nullable().describe("At this growth; null: it does not grow, or that is not known."),
  sweptAt: z.iso.datetime().nullable().describe("When its last sweep ended; null: never."),
  sweepAgeSeconds: z.int().nullable(),
});

export const databaseAnswers = {
  DatabaseList: z.object({
    databases: z.array(
      databaseSchema.extend({
        websites: z.int().describe("How many are in it."),
        schemaVersion: z.string().nullable().describe("The latest migration; null where that is not known."),
      }),
    ),
  }),
};

export type DatabaseAnswers = Answers<typeof databaseAnswers>;
