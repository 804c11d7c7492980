import * as z from "zod";
import { healthAnswerSchema } from "../http/health.ts";
import { CHECK_TIMEOUT_MILLISECONDS, REMEMBERED_MILLISECONDS } from "../platform/health-memory.ts";
import { type ApiOperation, ok, pathParameter } from "./operation.ts";
import { checkTable } from "./tables.ts";

const CODE = pathParameter("code", "Ten letters and digits.", { type: "string" }, "aB3dE5fG7h");

/** Open to anyone. */
export function openOperations(): ApiOperation[] {
  return [followLink("get"), followLink("head"), welcome(), document(), securityTxt(), health()];
}

function health(): ApiOperation {
  const check = { status: "ok", milliseconds: 4 } as const;
  const checks = { configuration: { status: "ok", milliseconds: 0 }, database: check, credentials: check } as const;
  const failing = { status: "failing", milliseconds: 2000 } as const;
  return {
    id: "health",
    method: "get",
    path: "/health",
    tag: "Health",
    summary: "Check whether the service can work",
    description: `A check fails after ${CHECK_TIMEOUT_MILLISECONDS / 1000} seconds; the log has the reason (\`health.failing\`). A result is up to ${REMEMBERED_MILLISECONDS / 1000} seconds old.\n\n${checkTable()}`,
    access: "open",
    answers: [
      ok(healthAnswerSchema, "Every check is ok.", { status: "ok", checks: { ...checks, limiter: check } }),
      ok(healthAnswerSchema, "A check fails.", { status: "failing", checks: { ...checks, limiter: failing } }, 503),
    ],
  };
}

function followLink(method: "get" | "head"): ApiOperation {
  return {
    id: method === "get" ? "followLink" : "probeLink",
    method,
    path: "/l/{code}",
    tag: "Links",
    summary: method === "get" ? "Follow a tracking link" : "Follow a tracking link without being counted",
    description:
      "The link that replaces `clickUrl` in a text. A person's clicks are counted, and the first three on a message are posted as callbacks; robots, previews and prefetches are counted separately. Punctuation behind the code, which phones take for a part of a link, is ignored.",
    access: "open",
    parameters: [CODE],
    answers: [
      {
        status: 302,
        description: "Redirects to the exact `clickUrl`, with non-ASCII characters percent-encoded.",
        headers: ["Location"],
      },
      {
        status: 404,
        description: "An unknown or purged link: a page for a person.",
        ...(method === "get" ? { mediaType: "text/html", schema: z.string() } : {}),
      },
      {
        status: 429,
        description: "Too many unknown links in this second, from one address or from all: a page for a person.",
        headers: ["Retry-After"],
        ...(method === "get" ? { mediaType: "text/html", schema: z.string() } : {}),
      },
    ],
    errors: ["store-unavailable"],
  };
}

function welcome(): ApiOperation {
  const origin = "https://sms.example.com";
  const example = {
    service: "Textgate",
    docs: `${origin}/docs`,
    openapi: `${origin}/openapi.json`,
    health: `${origin}/health`,
  };
  const url = z.url();
  return {
    id: "welcome",
    method: "get",
    path: "/",
    tag: "Reference",
    summary: "Find the reference and the liveness check",
    description: "The addresses have the origin of the request.",
    access: "open",
    answers: [ok(z.object({ service: z.string(), docs: url, openapi: url, health: url }), "Where they are.", example)],
  };
}

function document(): ApiOperation {
  return {
    id: "openapi",
    method: "get",
    path: "/openapi.json",
    tag: "Reference",
    summary: "Read this document",
    description: "The pages of `/docs` are drawn from it.",
    access: "open",
    answers: [
      {
        status: 200,
        description: "OpenAPI 3.1, made from the schemas that requests are checked with.",
        mediaType: "application/json",
        schema: z.looseObject({ openapi: z.string() }),
      },
    ],
    errors: ["store-unavailable"],
  };
}

function securityTxt(): ApiOperation {
  return {
    id: "securityTxt",
    method: "get",
    path: "/.well-known/security.txt",
    tag: "Reference",
    summary: "Find whom to tell of a vulnerability",
    description:
      "RFC 9116: a contact, and when it expires. The path exists once the operator has set `SECURITY_CONTACT`.",
    access: "open",
    answers: [
      {
        status: 200,
        description: "Where to report, and until when that holds.",
        mediaType: "text/plain",
        schema: z.string(),
        example: "Contact: mailto:security@example.com\nExpires: 2027-02-19T00:00:00.000Z\n",
      },
    ],
    errors: ["path-unknown"],
  };
}
