import * as z from "zod";
import { checkHealth } from "../flows/operations/check-health.ts";
import { CHECK_TIMEOUT_MILLISECONDS, type Health, REMEMBERED_MILLISECONDS } from "../platform/health-memory.ts";
import { call, ok, type Resource } from "./call.ts";

const STATUSES = ["ok", "failing"] as const;

const checkSchema = z.object({ status: z.enum(STATUSES), milliseconds: z.int() });

const healthAnswerSchema = z.object({
  status: z.enum(STATUSES),
  checks: z
    .object({
      configuration: checkSchema,
      database: checkSchema.optional(),
      credentials: checkSchema.optional(),
      limiter: checkSchema.optional(),
    })
    .describe("If the configuration is wrong, it is the only check."),
  failingDatabases: z
    .array(z.object({ database: z.string(), status: z.enum(["away", "unmigrated"]) }))
    .optional()
    .describe("The databases that do not answer, or lack a migration."),
  advice: z.string().optional().describe("What to do about a database that lacks a migration."),
});

const CHECK = { status: "ok", milliseconds: 4 } as const;
const FAILING = { status: "failing", milliseconds: 2000 } as const;
const CHECKS = { configuration: { status: "ok", milliseconds: 0 }, database: CHECK, credentials: CHECK } as const;

const read = call({
  id: "health",
  method: "GET",
  path: "/health",
  tag: "Health",
  summary: "Check whether the service can work",
  description: `A check fails after ${CHECK_TIMEOUT_MILLISECONDS / 1000} seconds; the log has the reason (\`health.failing\`). A result is up to ${REMEMBERED_MILLISECONDS / 1000} seconds old.\n\n<!-- checks -->`,
  // It tells which check fails, and never why: the log does.
  access: "open",
  answers: [
    ok(healthAnswerSchema, "Every check is ok.", { status: "ok", checks: { ...CHECKS, limiter: CHECK } }),
    ok(healthAnswerSchema, "A check fails.", { status: "failing", checks: { ...CHECKS, limiter: FAILING } }, 503),
  ],
  run: async (_request, deps) => {
    return healthResponse(await deps.health.read(deps.now, () => checkHealth(deps)));
  },
});

export const health: Resource = { calls: [read], schemas: { Health: healthAnswerSchema } };

function healthResponse({ failingDatabases, ...checks }: Health): Response {
  const isFailing = Object.values(checks).some(({ status }) => status === "failing");
  const status = isFailing ? "failing" : "ok";
  const unmigrated = failingDatabases?.find((database) => database.status === "unmigrated");
  const advice = unmigrated && adviseMigrations(unmigrated.database);
  return Response.json({ status, checks, failingDatabases, advice }, { status: isFailing ? 503 : 200 });
}

const adviseMigrations = (database: string) =>
  `Run the migrations: npx wrangler d1 migrations apply ${database} --remote, or with --local for wrangler dev.`;

/** The answer of a service whose settings cannot even be read. */
export function misconfiguredResponse(): Response {
  return healthResponse({ configuration: { status: "failing", milliseconds: 0 } });
}
