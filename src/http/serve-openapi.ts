import * as z from "zod";
import { askStore } from "../platform/ask-store.ts";
import { call, type Resource } from "./call.ts";

const read = call({
  id: "openapi",
  method: "GET",
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
  // A file among the assets, which `npm run docs` writes, so that the Worker need not carry it.
  run: async (request, deps) => {
    const url = new URL("/openapi.json", request.url);
    const { ok, status, body } = await askStore(FILE_MILLISECONDS, () => deps.assets.fetch(url));
    if (!ok) throw new Error(`the file of the document: ${status}`);
    return new Response(body, { headers: { "content-type": "application/json" } });
  },
});

export const openapi: Resource = { calls: [read], schemas: {} };

const FILE_MILLISECONDS = 5000;
