import type { Deps } from "../deps.ts";
import { RequestFailure } from "../domain/failure.ts";
import { withinTime } from "../platform/time-limit.ts";
import type { Handler } from "./api-request.ts";

/** GET /openapi.json : a file among the assets, which `npm run docs` writes, so that the Worker need not carry it. */
export const openapiHandler: Handler = async (request, deps) => {
  const { ok, status, body } = await fetchFile(deps, new URL("/openapi.json", request.url));
  if (!ok) throw new Error(`the file of the document: ${status}`);
  return new Response(body, { headers: { "content-type": "application/json" } });
};

const FILE_MILLISECONDS = 5000;

/** @throws RequestFailure store-unavailable */
async function fetchFile({ assets }: Deps, url: URL): Promise<Response> {
  try {
    return await withinTime(FILE_MILLISECONDS, assets.fetch(url));
  } catch (error) {
    throw new RequestFailure({ kind: "store-unavailable" }, { cause: error });
  }
}
