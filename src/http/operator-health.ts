import { readServiceState } from "../flows/read-service-state.ts";
import type { Handler } from "./api-request.ts";

/** GET /operator/health */
export const operatorHealth: Handler = async (_request, deps) => Response.json(await readServiceState(deps));
