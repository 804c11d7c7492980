import * as z from "zod";
import { checkHealth } from "../flows/operations/check-health.ts";
import type { Health } from "../platform/health-memory.ts";
import type { Handler } from "./api-request.ts";

const STATUSES = ["ok", "failing"] as const;

const checkSchema = z.object({ status: z.enum(STATUSES), milliseconds: z.int() });

export const healthAnswerSchema = z.object({
  status: z.enum(STATUSES),
  checks: z
    .object({
      configuration: checkSchema,
      database: checkSchema.optional(),
      credentials: checkSchema.optional(),
      limiter: checkSchema.optional(),
    })
    .describe("Of a wrong configuration there is no other check."),
  failingDatabases: z
    .array(z.object({ database: z.string(), status: z.enum(["away", "unmigrated"]) }))
    .optional()
    .describe("Of several databases, those that do not answer, or lack a migration."),
});

/** GET /health : open, so it tells which check fails, and never why: the log does. */
export const healthHandler: Handler = async (_request, deps) => {
  return healthResponse(await deps.health.read(deps.now, () => checkHealth(deps)));
};

function healthResponse({ failingDatabases, ...checks }: Health): Response {
  const isFailing = Object.values(checks).some(({ status }) => status === "failing");
  const status = isFailing ? "failing" : "ok";
  return Response.json({ status, checks, failingDatabases }, { status: isFailing ? 503 : 200 });
}

/** The answer of a service whose settings cannot even be read. */
export function misconfiguredResponse(): Response {
  return healthResponse({ configuration: { status: "failing", milliseconds: 0 } });
}
