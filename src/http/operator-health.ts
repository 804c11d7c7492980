import { readServiceState } from "../flows/read-service-state.ts";
import type { Handler } from "./api-request.ts";

/** GET /operator/health */
export const operatorHealth: Handler = async (request, deps) => {
  return Response.json(await readServiceState(deps, new URL(request.url).origin));
};
