import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { WEBSITE_ID, type Website, websiteFields } from "../../domain/clients/website.ts";
import { failField } from "../../domain/failure.ts";
import { putWebsite } from "../../flows/clients/put-website.ts";
import { askEach } from "../../flows/databases/ask-each.ts";
import { inEach } from "../../flows/databases/places.ts";
import { listClients } from "../../store/clients/clients.ts";
import { listWebsites } from "../../store/clients/websites.ts";
import { authorOf, type Handler } from "../api-request.ts";
import { BODY_LIMITS, noteIgnored, readJson } from "../body.ts";
import { toTime } from "../time.ts";
import { type Answers, missingShape } from "./answers.ts";
import { auditEntrySchema, lastChanges } from "./audit.ts";
import { clientSchema, clientView } from "./clients.ts";
import { requireWebsite } from "./params.ts";

const websiteSchema = z.object({
  websiteId: z.string(),
  database: z.string().describe("The binding of the database that it is in."),
  name: z.string(),
  carrier: z.string(),
  sender: z.string().nullable(),
  helpText: z.string().nullable(),
  duplicateWindowHours: z.int().nullable(),
  optOutWords: z.array(z.string()).nullable(),
  holds: z
    .array(
      z.object({
        sendPurpose: z.string().nullable(),
        clientId: z.string().nullable(),
        since: z.iso.datetime(),
      }),
    )
    .describe("What an operator holds; null: any."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const websiteAnswers = {
  Website: websiteSchema,
  WebsiteWithClients: websiteSchema.extend({
    clients: z.array(clientSchema),
    changes: z.array(auditEntrySchema).describe("The last 10 of the website and its clients, newest first."),
  }),
  WebsiteList: z.object({ websites: z.array(websiteSchema), ...missingShape }),
};

export type WebsiteAnswers = Answers<typeof websiteAnswers>;

function websiteView({ home: _, createdAt, updatedAt, holds, ...website }: Website): WebsiteAnswers["Website"] {
  const held = holds.map((hold) => ({ ...hold, since: toTime(hold.since) }));
  return { ...website, holds: held, createdAt: toTime(createdAt), updatedAt: toTime(updatedAt) };
}

async function readPage(deps: Deps, website: Website): Promise<WebsiteAnswers["WebsiteWithClients"]> {
  const { websiteId } = website;
  const [clients, changes] = await Promise.all([
    listClients(deps.db, websiteId),
    lastChanges(deps, { name: "website", value: websiteId }),
  ]);
  return { ...websiteView(website), clients: clients.map(clientView), changes };
}

/** PUT /operator/websites/:websiteId */
export const putWebsiteHandler: Handler = async (request, deps) => {
  const websiteId = request.params.websiteId ?? "";
  if (!WEBSITE_ID.test(websiteId)) failField("websiteId", "must be 1 to 40 of a-z, 0-9 and -");
  const { value } = await readJson(request, BODY_LIMITS.settings);
  noteIgnored(request, websiteFields, value);
  const own = await putWebsite(deps, authorOf(request), websiteId, value);
  return Response.json(await readPage(own, await requireWebsite(request, own)));
};

/** GET /operator/websites */
export const listWebsitesHandler: Handler = async (_request, deps) => {
  const { answers, missing } = await askEach(inEach(deps), ({ db }) => listWebsites(db));
  const websites = answers.flat().sort((a, b) => (a.websiteId < b.websiteId ? -1 : 1));
  const answer: WebsiteAnswers["WebsiteList"] = { websites: websites.map(websiteView), ...missing };
  return Response.json(answer);
};

/** GET /operator/websites/:websiteId */
export const getWebsiteHandler: Handler = async (request, deps) => {
  return Response.json(await readPage(deps, await requireWebsite(request, deps)));
};
