import type * as z from "zod";
import { inEach } from "../flows/databases/places.ts";
import { readDatabases } from "../flows/databases/read-databases.ts";
import { inParallel } from "../flows/in-parallel.ts";
import { ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { readSchemaVersion } from "../store/databases/database-state.ts";
import { countHomes } from "../store/databases/directory.ts";
import { databaseAnswers, type databaseSchema } from "./answers/databases.ts";
import { operatorCall } from "./operator-call.ts";

export const DATABASE = {
  ...{ database: "DB", status: "ok", bytes: 2_400_000_000, limitBytes: 10_000_000_000, bytesPerDay: 81_000_000 },
  ...{ daysLeft: 93, sweptAt: TIME, sweepAgeSeconds: 0 },
} satisfies z.output<typeof databaseSchema>;

const AT_ONCE = 3;

const list = operatorCall({
  id: "listDatabases",
  method: "GET",
  path: "/operator/databases",
  tag: "Service state",
  summary: "List the databases",
  description: "How large each is, how fast it grows, and how many websites are in it. The first has the directory.",
  answers: [
    ok(databaseAnswers.DatabaseList, "Every database.", {
      databases: [{ ...DATABASE, websites: 12, schemaVersion: "0001_schema.sql" }],
    }),
  ],
  command: { name: "databases", notes: "docs/procedures.md says what to do when a database fills." },
  run: async (_request, deps) => {
    const [databases, websites] = await Promise.all([readDatabases(deps), countHomes(deps.db)]);
    const versions = await inParallel(inEach(deps), AT_ONCE, async ({ database, db }) => {
      const isAway = databases.some((it) => it.database === database && it.status === "away");
      return [database, isAway ? null : await readSchemaVersion(db)] as const;
    });
    const schemaVersions = new Map(versions);
    return {
      databases: databases.map(({ sweptSince: _, ...state }) => ({
        ...state,
        websites: websites.get(state.database) ?? 0,
        schemaVersion: schemaVersions.get(state.database) ?? null,
      })),
    };
  },
});

export const databases: Resource = { calls: [list], schemas: databaseAnswers };
