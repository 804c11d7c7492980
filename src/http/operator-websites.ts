import type { Deps } from "../deps.ts";
import { failField, RequestFailure } from "../domain/failure.ts";
import { readSubscribers } from "../domain/subscriber-file.ts";
import { without } from "../domain/subscribers.ts";
import { WEBSITE_ID, type Website } from "../domain/website.ts";
import { findInvalidOptOuts, setSubscriptions } from "../flows/change-subscriptions.ts";
import { putWebsite } from "../flows/put-website.ts";
import { listClients } from "../platform/store/clients.ts";
import { findWebsite, listWebsites } from "../platform/store/websites.ts";
import type { ApiRequest, Handler } from "./api-request.ts";
import { BODY_LIMITS, readBytes, readJson, requireMediaType } from "./body.ts";
import { clientView, websiteView } from "./operator-views.ts";

/** PUT /operator/websites/:websiteId */
export const putWebsiteHandler: Handler = async (request, deps) => {
  const websiteId = request.params.websiteId ?? "";
  if (!WEBSITE_ID.test(websiteId)) failField("websiteId", "must be 1 to 40 of a-z, 0-9 and -");
  const { value } = await readJson(request, BODY_LIMITS.settings);
  await putWebsite(deps, websiteId, value);
  return Response.json(await websiteWithClients(await requireWebsite(request, deps), deps));
};

/** GET /operator/websites */
export const listWebsitesHandler: Handler = async (_request, deps) => {
  return Response.json({ websites: (await listWebsites(deps.db)).map(websiteView) });
};

/** GET /operator/websites/:websiteId */
export const getWebsiteHandler: Handler = async (request, deps) => {
  return Response.json(await websiteWithClients(await requireWebsite(request, deps), deps));
};

/** POST /operator/websites/:websiteId/subscribers */
export const importSubscribersHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  requireMediaType(request, "text/csv");
  const file = readSubscribers(await readBytes(request, BODY_LIMITS.subscribers));
  const origin = { source: "import", proof: request.requestId, now: deps.now() } as const;
  const known = await findInvalidOptOuts(deps, websiteId, file.invalidOptOuts);
  const changes = [...file.subscribers, ...known];
  const optedOutNumbers = await setSubscriptions(deps, websiteId, changes, origin);
  const { invalidPhoneNumbers, invalidEmails } = file;
  return Response.json({
    imported: changes.length - optedOutNumbers.length,
    invalidPhoneNumbers: without(invalidPhoneNumbers, known),
    ...(invalidEmails.length > 0 ? { invalidEmails } : {}),
    ...(optedOutNumbers.length > 0 ? { optedOutNumbers } : {}),
  });
};

/** @throws RequestFailure resource-unknown */
export async function requireWebsite(request: ApiRequest, deps: Deps): Promise<Website> {
  const websiteId = request.params.websiteId ?? "";
  const website = WEBSITE_ID.test(websiteId) ? await findWebsite(deps.db, websiteId) : undefined;
  if (!website) throw new RequestFailure({ kind: "resource-unknown", what: "website" });
  return website;
}

async function websiteWithClients(website: Website, deps: Deps) {
  return { ...websiteView(website), clients: (await listClients(deps.db, website.websiteId)).map(clientView) };
}
