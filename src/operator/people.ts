import type { Deps } from "../deps.ts";
import { toDigits } from "../domain/people/phone.ts";
import { askEach, type Missing } from "../flows/databases/ask-each.ts";
import { inEach } from "../flows/databases/places.ts";
import { findPerson, inWebsitesOf, readInWebsite } from "../flows/people/find-person.ts";
import { authorOf } from "../http/api-request.ts";
import { ok, type Resource } from "../http/call.ts";
import { PHONE as A_PHONE } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { isKnownIn } from "../store/people/person-tables.ts";
import { removeEmail } from "../store/people/subscriptions.ts";
import { eraseEverywhereCall, eraseOne } from "./erase-person.ts";
import { TEXT_COLUMNS } from "./inbound.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, PHONE, requireFound, requirePhone, requireWebsite, WEBSITE } from "./params.ts";
import {
  EVERYWHERE,
  EXPORT,
  PERSON,
  type PeopleAnswers,
  peopleAnswers,
  personView,
  readWebsite,
  sentView,
} from "./views/person.ts";

const COLUMNS = {
  changes: ["at", "from", "to", "addressChanged", "source", "proof", "consentedAt", "evidence"],
  texts: TEXT_COLUMNS,
};

const OPTED_OUT = "The person opted out: only START brings them back.";

const find = operatorCall({
  id: "findPerson",
  method: "GET",
  path: "/operator/people/:phone",
  tag: "People",
  summary: "Read a person across all websites",
  description:
    "State, history and texts in each website that knows the number, and the latest messages to it. Texts that reached no website come last, with `websiteId` null.",
  parameters: [PHONE],
  answers: [ok(peopleAnswers.PersonEverywhere, "Each website that knows the number.", EVERYWHERE)],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "find-person",
    columns: COLUMNS,
    next: ({ websites }) => (websites.some((it) => it.optedOutByPerson) ? OPTED_OUT : undefined),
  },
  run: async (request, deps) => {
    const phone = requirePhone(request);
    const toWebsite = ({ websiteId, websiteName, person, texts, messageCount }: KnownIn) => ({
      websiteId: websiteId || null,
      websiteName,
      ...personView(phone, person, texts),
      messageCount,
    });
    const { answers, missing } = await askEach(inEach(deps), (own) => findPerson(own, phone, PAGE));
    const websites = answers.flatMap((found) => found.websites.map(toWebsite)).sort(byWebsite);
    if (!missing.unavailableDatabases) requireFound(websites[0], "number");
    const messages = answers.flatMap((found) => found.messages).sort((a, b) => b.acceptedAt - a.acceptedAt);
    return {
      phone,
      websites,
      messages: messages.slice(0, PAGE).map(sentView),
      ...missing,
    };
  },
});

/** Texts to no website come last. */
function byWebsite(a: { websiteId: string | null }, b: { websiteId: string | null }): number {
  if (a.websiteId === null || b.websiteId === null) return a.websiteId === null ? 1 : -1;
  return a.websiteId < b.websiteId ? -1 : 1;
}

const exportAll = operatorCall({
  id: "exportPerson",
  method: "GET",
  path: "/operator/people/:phone/export",
  tag: "People",
  summary: "Export all that is kept about a person",
  description:
    "One document for the person: in each website that knows the number the state, the whole ledger, every message with its events, callbacks and clicks, every text, and what clients were told. A tombstone, a one-way hash, is not in it.",
  parameters: [PHONE],
  answers: [ok(peopleAnswers.PersonExport, "Each website that knows the number.", EXPORT)],
  errors: ["resource-unknown", "fields-wrong"],
  reveals: true,
  command: { name: "export-person" },
  run: async (request, deps) => {
    const phone = requirePhone(request);
    const { answers, missing } = await askEach(inEach(deps), (own) =>
      inWebsitesOf(own, phone, (websiteId) => readWebsite(own, websiteId, phone)),
    );
    if (!missing.unavailableDatabases) requireFound(answers.flat()[0], "number");
    return exportAnswer(deps, phone, answers.flat(), missing);
  },
});

const get = operatorCall({
  id: "getPerson",
  method: "GET",
  path: "/operator/websites/:websiteId/people/:phone",
  tag: "People",
  summary: "Read a person: state, history and texts",
  description:
    "A number of which the website stores nothing is unknown. An undo of an import has the source `undo`, and the import as its proof.",
  database: "named",
  parameters: [WEBSITE, PHONE],
  answers: [
    ok(peopleAnswers.Person, "The state of the number, its changes and its texts.", { ...PERSON, messageCount: 1 }),
  ],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "person",
    columns: COLUMNS,
    next: ({ optedOutByPerson }) => (optedOutByPerson ? OPTED_OUT : undefined),
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const phone = requirePhone(request);
    await requireKnown(deps, websiteId, phone);
    const { person, texts, messageCount } = await readInWebsite(deps, websiteId, phone, PAGE);
    return { ...personView(phone, person, texts), messageCount };
  },
});

type KnownIn = Awaited<ReturnType<typeof readInWebsite>>;

async function requireKnown(deps: Deps, websiteId: string, phone: string): Promise<void> {
  requireFound(await isKnownIn(deps.db, websiteId, toDigits(phone), phone), "number");
}

const exportOfWebsite = operatorCall({
  id: "exportPersonOfWebsite",
  method: "GET",
  path: "/operator/websites/:websiteId/people/:phone/export",
  tag: "People",
  summary: "Export all that a website keeps about a person",
  description: "The same document, with this website alone.",
  database: "named",
  parameters: [WEBSITE, PHONE],
  answers: [ok(peopleAnswers.PersonExport, "The website.", EXPORT)],
  errors: ["resource-unknown", "fields-wrong"],
  reveals: true,
  command: {
    name: "export-person",
    chosenBy: { option: "website", summary: "Only what this website keeps.", fills: "websiteId" },
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const phone = requirePhone(request);
    await requireKnown(deps, websiteId, phone);
    return exportAnswer(deps, phone, [await readWebsite(deps, websiteId, phone)]);
  },
});

function exportAnswer(
  deps: Deps,
  phone: string,
  websites: PeopleAnswers["PersonExport"]["websites"],
  missing: Missing = {},
): Response {
  const answer: PeopleAnswers["PersonExport"] = { phone, exportedAt: toTime(deps.now()), websites, ...missing };
  return Response.json(answer);
}

const removeAddress = operatorCall({
  id: "removeEmail",
  method: "DELETE",
  path: "/operator/websites/:websiteId/people/:phone/email",
  tag: "People",
  summary: "Remove the e-mail address of a person",
  description: "The subscription stays as it is. An import replaces an address; an empty cell keeps it.",
  database: "named",
  parameters: [WEBSITE, PHONE],
  answers: [ok(peopleAnswers.EmailRemoval, "The number has no address.", { phone: A_PHONE, email: null })],
  errors: ["resource-unknown", "fields-wrong"],
  command: { name: "remove-email" },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const phone = requirePhone(request);
    requireFound(await removeEmail(deps.db, authorOf(request), websiteId, toDigits(phone), deps.now()), "number");
    return { phone, email: null };
  },
});

export const people: Resource = {
  calls: [find, exportAll, eraseEverywhereCall, get, exportOfWebsite, removeAddress, eraseOne],
  schemas: peopleAnswers,
};
