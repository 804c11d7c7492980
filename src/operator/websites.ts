import type { Deps } from "../deps.ts";
import { WEBSITE_ID, type Website, websiteFields } from "../domain/clients/website.ts";
import { DAY_MILLISECONDS, toDay } from "../domain/day.ts";
import { failField } from "../domain/failure.ts";
import { putWebsite } from "../flows/clients/put-website.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { readMonth } from "../flows/operations/read-month.ts";
import { authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, noteIgnored, readJson } from "../http/body.ts";
import { ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { readEndpoints } from "../store/callbacks/endpoint-health.ts";
import { listClientsWithUse } from "../store/clients/client-uses.ts";
import { readRefusals } from "../store/clients/refusal-counts.ts";
import { listWebsites } from "../store/clients/websites.ts";
import { type WebsiteAnswers, websiteAnswers } from "./answers/websites.ts";
import { CHANGE, CHANGE_COLUMNS, lastChanges } from "./audit.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { requireWebsite, WEBSITE } from "./params.ts";
import { CLIENT as A_CLIENT, clientWithUseView, USE } from "./views/client.ts";
import { holdView } from "./views/hold.ts";

/** The columns in the shell. `client` shows the other fields. */
const CLIENT_COLUMNS = [
  ...["clientId", "name", "callbackUrl", "operations", "events", "suspended", "createdAt", "updatedAt", "lastUsedAt"],
];

const COLUMNS = {
  clients: CLIENT_COLUMNS,
  refusedRequests: ["day", "code", "requests"],
  changes: CHANGE_COLUMNS,
};

const A_WEBSITE = {
  websiteId: "brand",
  database: "DB",
  name: "Brand",
  carrier: "sandbox",
  sender: null,
  helpText: "Brand: call 212 555 0199.",
  duplicateWindowHours: 24,
  optOutWords: ["BAJA"],
  timeZone: "America/New_York",
  allowedCountries: ["US", "CA"],
  linkOrigin: "https://go.example.com",
  frequencyCap: { count: 3, hours: 24 },
  transactionalPurposes: ["login-code"],
  sendingHours: { profile: "us-strict", whenClosed: "delay" },
  fallback: { carrier: "telnyx", sender: "+12065550100" },
  dailyLimit: 10_000,
  unreachableAfter: 3,
  holds: [],
  createdAt: TIME,
  updatedAt: TIME,
} satisfies WebsiteAnswers["Website"];

const WITH_CLIENTS = ok(websiteAnswers.WebsiteWithClients, "The website with its clients, without secrets.", {
  ...A_WEBSITE,
  clients: [{ ...A_CLIENT, ...USE }],
  texts: {
    ...{
      asOf: TIME,
      accepted: 9300,
      scheduled: 10,
      waiting: 20,
      held: 0,
      notSubscribed: 100,
      endedBefore: 30,
      notTaken: 20,
    },
    ...{ sent: 9120, noReceipt: 20, delivered: 8900, undelivered: 200 },
  },
  dailyLimitUsed: 1204,
  refusedRequests: [{ day: "2026-11-21", code: 40001, requests: 12 }],
  changes: [CHANGE],
});

function websiteView({ home: _, createdAt, updatedAt, holds, ...website }: Website): WebsiteAnswers["Website"] {
  return { ...website, holds: holds.map(holdView), createdAt: toTime(createdAt), updatedAt: toTime(updatedAt) };
}

async function readPage(deps: Deps, website: Website): Promise<WebsiteAnswers["WebsiteWithClients"]> {
  const { websiteId, dailyLimit } = website;
  const [texts, clients, endpoints, changes, refusals, counted] = await Promise.all([
    readMonth(deps, websiteId),
    listClientsWithUse(deps.db, websiteId, deps.now()),
    readEndpoints(deps.db, { websiteId }, deps.now()),
    lastChanges(deps, { name: "website", value: websiteId }),
    readRefusals(deps.db, websiteId, deps.now()),
    dailyLimit === null ? null : deps.limiter.textsUsed(websiteId),
  ]);
  return {
    ...websiteView(website),
    clients: clients.map((client) => clientWithUseView(client, endpoints)),
    texts: { asOf: texts.asOf === null ? null : toTime(texts.asOf), ...texts.month },
    dailyLimitUsed: counted,
    refusedRequests: refusals.map(({ day, ...count }) => ({ day: toDay(day * DAY_MILLISECONDS), ...count })),
    changes,
  };
}

/** A marketing text at night costs its sender $500 and more in the USA. */
function adviseHours({ websiteId, sender, sendingHours }: Website): string | undefined {
  if (sendingHours !== null || !sender?.startsWith("+1")) return undefined;
  const hours = JSON.stringify({ profile: "us-strict", whenClosed: "delay" });
  return `Its marketing messages go at any hour. For people in the USA: npm run operator -- put-website ${websiteId} --sending-hours '${hours}'`;
}

const list = operatorCall({
  id: "listWebsites",
  method: "GET",
  path: "/operator/websites",
  tag: "Websites",
  summary: "List the websites",
  description: "In the order of their ids, without their clients.",
  answers: [ok(websiteAnswers.WebsiteList, "Every website.", { websites: [A_WEBSITE] })],
  command: { name: "websites", columns: { websites: ["websiteId", "name", "carrier", "sender", "database", "holds"] } },
  run: async (_request, deps) => {
    const { answers, missing } = await askEach(deps, ({ db }) => listWebsites(db));
    const websites = answers.flat().sort((a, b) => (a.websiteId < b.websiteId ? -1 : 1));
    return { websites: websites.map(websiteView), ...missing };
  },
});

const put = operatorCall({
  id: "putWebsite",
  method: "PUT",
  path: "/operator/websites/:websiteId",
  tag: "Websites",
  summary: "Create a website, or change its settings",
  description:
    'Fields that are left out stay as they are; `""` or null removes an optional setting. A new website needs a `name`, and a `carrier` once one is set up.',
  parameters: [WEBSITE],
  body: settingsBody(websiteFields, {
    brand: {
      ...{ name: "Brand", carrier: "sandbox", helpText: "Brand: call 212 555 0199." },
      ...{ duplicateWindowHours: 24, optOutWords: ["BAJA"], timeZone: "America/New_York" },
      ...{ allowedCountries: ["US", "CA"], linkOrigin: "https://go.example.com" },
      sendingHours: { profile: "us-strict", whenClosed: "delay" },
    },
  }),
  answers: [WITH_CLIENTS],
  command: {
    name: "put-website",
    columns: COLUMNS,
  },
  run: async (request, deps) => {
    const websiteId = request.params.websiteId ?? "";
    if (!WEBSITE_ID.test(websiteId)) failField("websiteId", "must be 1 to 40 of a-z, 0-9 and -");
    const { value } = await readJson(request, BODY_LIMITS.settings);
    noteIgnored(request, websiteFields, value);
    const { own, isNew } = await putWebsite(deps, authorOf(request), websiteId, value);
    const website = await requireWebsite(request, own);
    const advice = isNew ? adviseHours(website) : undefined;
    return { ...(await readPage(own, website)), ...(advice === undefined ? {} : { advice }) };
  },
});

const get = operatorCall({
  id: "getWebsite",
  method: "GET",
  path: "/operator/websites/:websiteId",
  tag: "Websites",
  summary: "Read a website and its clients",
  description: "Secrets are never shown again.",
  database: "named",
  parameters: [WEBSITE],
  answers: [WITH_CLIENTS],
  errors: ["resource-unknown"],
  command: {
    name: "website",
    columns: COLUMNS,
  },
  run: async (request, deps) => {
    return await readPage(deps, await requireWebsite(request, deps));
  },
});

export const websites: Resource = {
  calls: [list, put, get],
  schemas: { WebsiteSettings: websiteFields, ...websiteAnswers },
};
