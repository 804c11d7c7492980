import * as z from "zod";
import { type ApiOperation, pathParameter } from "./operation.ts";
import { ok } from "./operator-operations.ts";

const CODE = pathParameter("code", "Ten letters and digits.", { type: "string" }, "aB3dE5fG7h");

/** What anyone may call. */
export function openOperations(): ApiOperation[] {
  return [followLink("get"), followLink("head"), welcome(), document()];
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
