import * as z from "zod";
import { type ApiOperation, pathParameter } from "./operation.ts";

const CODE = pathParameter("code", "Ten letters and digits.", { type: "string" }, "aB3dE5fG7h");

/** What anyone may call. */
export function openOperations(): ApiOperation[] {
  return [followLink("get"), followLink("head"), document()];
}

function followLink(method: "get" | "head"): ApiOperation {
  return {
    id: method === "get" ? "followLink" : "probeLink",
    method,
    path: "/l/{code}",
    tag: "Links",
    summary: method === "get" ? "Follow a tracking link" : "Follow a tracking link without being counted",
    description:
      "The link that replaces `clickUrl` in a text. A person's clicks are counted, and the first three on a message are posted as callbacks; robots, previews and prefetches are counted separately.",
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
    errors: ["store-unavailable"],
  };
}
