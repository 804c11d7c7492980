import * as z from "zod";
import type { healthAnswerSchema } from "../http/health.ts";
import { type ApiOperation, ok, pathParameter } from "./operation.ts";

const CODE = pathParameter("code", "Ten letters and digits.", { type: "string" }, "aB3dE5fG7h");

/** Open to anyone. */
export function openOperations(healthSchema: ReturnType<typeof healthAnswerSchema>): ApiOperation[] {
  return [followLink("get"), followLink("head"), document(), health(healthSchema)];
}

function health(schema: ReturnType<typeof healthAnswerSchema>): ApiOperation {
  const check = { status: "ok", milliseconds: 4 } as const;
  const checks = { configuration: { status: "ok", milliseconds: 0 }, database: check, credentials: check } as const;
  const failing = { status: "failing", milliseconds: 2000 } as const;
  return {
    id: "health",
    method: "get",
    path: "/health",
    tag: "Health",
    summary: "Check whether the service can work",
    description:
      "Checks each part that every request depends on: `configuration` (the settings can be read, and there is a key to sign callbacks with), `database` (D1 answers, and has the latest migration), `credentials` (KV answers), `limiter` (the Durable Object answers; while it does not, requests are not limited). A check fails after 2 seconds; the log has the reason (`health.failing`). A result is up to 5 seconds old.",
    access: "open",
    answers: [
      ok(schema, "Every check is ok.", { status: "ok", checks: { ...checks, limiter: check } }),
      ok(schema, "A check fails.", { status: "failing", checks: { ...checks, limiter: failing } }, 503),
    ],
  };
}

function followLink(method: "get" | "head"): ApiOperation {
  return {
    id: method === "get" ? "followLink" : "probeLink",
    method,
    path: "/l/{code}",
    tag: "Links",
    summary: method === "get" ? "Follow a tracking link" : "Follow a tracking link, without being counted",
    description:
      "The link that a text has in place of its `clickUrl`. A click is counted after the answer; robots, previews and prefetches are counted apart.",
    access: "open",
    parameters: [CODE],
    answers: [
      { status: 302, description: "To the very `clickUrl`.", headers: ["Location"] },
      {
        status: 404,
        description: "No such link, or one that is no longer kept: a page for a person.",
        ...(method === "get" ? { mediaType: "text/html", schema: z.string() } : {}),
      },
    ],
    errors: ["store-unavailable"],
  };
}

function document(): ApiOperation {
  return {
    id: "openapi",
    method: "get",
    path: "/openapi.json",
    tag: "Reference",
    summary: "Read this document",
    access: "open",
    answers: [
      {
        status: 200,
        description: "OpenAPI 3.1, made from the schemas that requests are checked with.",
        mediaType: "application/json",
        schema: z.looseObject({ openapi: z.string() }),
      },
    ],
  };
}
