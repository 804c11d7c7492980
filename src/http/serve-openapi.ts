import type { Handler } from "./api-request.ts";

/** GET /openapi.json : a file among the assets, which `npm run openapi` writes, so that the Worker need not carry it. */
export const openapiHandler: Handler = async (request, deps) => {
  const { ok, status, body } = await deps.assets.fetch(new URL("/openapi.json", request.url));
  if (!ok) throw new Error(`the file of the document: ${status}`);
  return new Response(body, { headers: { "content-type": "application/json" } });
};
