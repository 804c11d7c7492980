import { isLoopback } from "../domain/callback-url.ts";
import { CLIENT_ID, clientSettingsSchema, rotationSchema } from "../domain/client.ts";
import { parseFields, RequestFailure } from "../domain/failure.ts";
import { changeClient, createClient, rotateClient } from "../flows/manage-clients.ts";
import type { ApiRequest, Handler } from "./api-request.ts";
import { BODY_LIMITS, readJson } from "./body.ts";
import { clientView } from "./operator-views.ts";
import { requireWebsite } from "./operator-websites.ts";

/** POST /operator/websites/:websiteId/clients */
export const createClientHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const settings = await readSettings(request);
  return Response.json(await createClient(deps, websiteId, settings), { status: 201 });
};

/** PATCH /operator/clients/:clientId */
export const changeClientHandler: Handler = async (request, deps) => {
  const clientId = requireClientId(request);
  return Response.json(clientView(known(await changeClient(deps, clientId, await readSettings(request)))));
};

/** POST /operator/clients/:clientId/rotate */
export const rotateClientHandler: Handler = async (request, deps) => {
  const clientId = requireClientId(request);
  const { value } = await readJson(request, BODY_LIMITS.settings);
  const { graceSeconds } = parseFields(rotationSchema, value);
  return Response.json(known(await rotateClient(deps, clientId, graceSeconds)));
};

async function readSettings(request: ApiRequest) {
  const { value } = await readJson(request, BODY_LIMITS.settings);
  return parseFields(clientSettingsSchema(isLocal(request)), value);
}

/** A service that is itself called on loopback runs on a developer's machine: no host name of an edge is one. */
function isLocal(request: ApiRequest): boolean {
  return isLoopback(new URL(request.url));
}

function requireClientId(request: ApiRequest): string {
  const clientId = request.params.clientId ?? "";
  return known(CLIENT_ID.test(clientId) ? clientId : undefined);
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw new RequestFailure({ kind: "resource-unknown", what: "client" });
  return found;
}
