import { askStore } from "../platform/ask-store.ts";
import type { Handler } from "./api-request.ts";

/** GET /openapi.json : a file among the assets, which `npm run docs` writes, so that the Worker need not carry it. */
export const openapiHandler: Handler = async (request, deps) => {
  const url = new URL("/openapi.json", request.url);
  const { ok, status, body } = await askStore(FILE_MILLISECONDS, () => deps.assets.fetch(url));
  if (!ok) throw new Error(`the file of the document: ${status}`);
  return new Response(body, { headers: { "content-type": "application/json" } });
};

const FILE_MILLISECONDS = 5000;
