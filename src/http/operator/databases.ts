import * as z from "zod";
import { DATABASE_STATUSES } from "../../domain/databases/database-state.ts";
import { inEach } from "../../flows/databases/places.ts";
import { readDatabases } from "../../flows/databases/read-databases.ts";
import { inParallel } from "../../flows/in-parallel.ts";
import { readSchemaVersion } from "../../store/databases/database-state.ts";
import { countHomes } from "../../store/databases/directory.ts";
import type { Handler } from "../api-request.ts";
import type { Answers } from "./answers.ts";

export const databaseSchema = z.object({
  database: z.string().describe("Its binding."),
  status: z
    .enum(DATABASE_STATUSES)
    .describe(
      "`away`: it does not answer. `unmigrated`: it lacks a migration. `unbound`: websites are in it, and no database is bound under this name.",
    ),
  bytes: z.int().nullable().describe("Null while it does not answer."),
  limitBytes: z.int(),
  bytesPerDay: z.int().nullable().describe("Of the last seven days; null until a day is known."),
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

const AT_ONCE = 3;

/** GET /operator/databases */
export const listDatabasesHandler: Handler = async (_request, deps) => {
  const [databases, websites] = await Promise.all([readDatabases(deps), countHomes(deps.db)]);
  const versions = await inParallel(inEach(deps), AT_ONCE, async ({ database, db }) => {
    const isAway = databases.some((it) => it.database === database && it.status === "away");
    return [database, isAway ? null : await readSchemaVersion(db)] as const;
  });
  const schemaVersions = new Map(versions);
  const answer: DatabaseAnswers["DatabaseList"] = {
    databases: databases.map(({ sweptSince: _, ...state }) => ({
      ...state,
      websites: websites.get(state.database) ?? 0,
      schemaVersion: schemaVersions.get(state.database) ?? null,
    })),
  };
  return Response.json(answer);
};
