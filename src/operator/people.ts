import type { Deps } from "../deps.ts";
import { toDigits } from "../domain/people/phone.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { erasedIn } from "../flows/people/erasure-tombstones.ts";
import { findPerson, inWebsitesOf, readInWebsite } from "../flows/people/find-person.ts";
import { authorOf } from "../http/api-request.ts";
import { ok, type Resource } from "../http/call.ts";
import { PHONE as A_PHONE } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import type { Erased } from "../store/people/erasure.ts";
import { isKnownIn } from "../store/people/person-tables.ts";
import { removeEmail } from "../store/people/subscriptions.ts";
import { type PeopleAnswers, peopleAnswers } from "./answers/people.ts";
import { eraseEverywhereCall, eraseOne } from "./erase-person.ts";
import { TEXT_COLUMNS } from "./inbound.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, PHONE, requireFound, requirePhone, requireWebsite, WEBSITE } from "./params.ts";
import { reachable } from "./reachable.ts";
import { EVERYWHERE, EXPORT, erasedView, PERSON, personView, readWebsite, sentView } from "./views/person.ts";

const COLUMNS = {
  changes: ["at", "from", "to", "addressChanged", "source", "operator", "proof", "consentedAt", "evidence"],
  texts: TEXT_COLUMNS,
};

const OPTED_OUT = "The person opted out: only START brings them back.";

const ERASED = "The person was erased, and stays opted out: only START brings them back.";

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
    next: ({ websites, erased }) =>
      websites.some((it) => it.optedOutByPerson) ? OPTED_OUT : erased ? ERASED : undefined,
  },
  run: async (request, deps) => {
    const phone = requirePhone(request);
    const toWebsite = ({ websiteId, websiteName, person, texts, messageCount }: KnownIn) => ({
      websiteId: websiteId || null,
      websiteName,
      ...personView(phone, person, texts),
      messageCount,
    });
    const { answers, missing } = await askEach(deps, async (own) => ({
      ...(await findPerson(own, phone, PAGE)),
      erased: await erasedIn(own, phone, null),
    }));
    const websites = answers.flatMap((found) => found.websites.map(toWebsite)).sort(byWebsite);
    const erased = answers.flatMap((found) => found.erased);
    if (!missing.unavailableDatabases) requireFound(websites[0] ?? erased[0], "number");
    const messages = answers.flatMap((found) => found.messages).sort((a, b) => b.acceptedAt - a.acceptedAt);
    return {
      phone,
      websites,
      messages: messages.slice(0, PAGE).map(sentView),
      ...erasedView(erased),
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
    "One document for the person: in each website that knows the number the state, the whole ledger, every message with its events, callbacks and clicks, every text, and what clients were told. If a website has erased the number of a person who had opted out, `erased` has that website and the date; its tombstone, a one-way hash, is not in the document.",
  parameters: [PHONE],
  answers: [ok(peopleAnswers.PersonExport, "Each website that knows the number.", EXPORT)],
  errors: ["resource-unknown", "fields-wrong"],
  reveals: true,
  command: { name: "export-person" },
  run: async (request, deps) => {
    const phone = requirePhone(request);
    const { answers, missing } = await askEach(deps, async (own) => ({
      websites: await inWebsitesOf(own, phone, (websiteId) => readWebsite(own, websiteId, phone)),
      erased: await erasedIn(own, phone, null),
    }));
    const websites = answers.flatMap((found) => found.websites);
    const erased = answers.flatMap((found) => found.erased);
    if (!missing.unavailableDatabases) requireFound(websites[0] ?? erased[0], "number");
    return exportAnswer(deps, phone, { websites, ...erasedView(erased), ...missing });
  },
});

const get = operatorCall({
  id: "getPerson",
  method: "GET",
  path: "/operator/websites/:websiteId/people/:phone",
  tag: "People",
  summary: "Read a person: state, history and texts",
  description:
    "A number of which the website stores nothing is unknown. One that it has erased after a STOP is shown with `erased`, and nothing else. An undo of an import has the source `undo`, and the import as its proof.",
  database: "named",
  parameters: [WEBSITE, PHONE],
  answers: [
    ok(peopleAnswers.Person, "The state of the number, its changes and its texts.", { ...PERSON, messageCount: 1 }),
  ],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "person",
    columns: COLUMNS,
    next: ({ optedOutByPerson, erased }) => (optedOutByPerson ? OPTED_OUT : erased ? ERASED : undefined),
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const phone = requirePhone(request);
    const erased = await requireKnown(deps, websiteId, phone);
    const { person, texts, messageCount } = await readInWebsite(deps, websiteId, phone, PAGE);
    return { ...personView(phone, person, texts), messageCount, ...erasedView(erased) };
  },
});

type KnownIn = Awaited<ReturnType<typeof readInWebsite>>;

/** @returns the website, if it has erased the number. @throws RequestFailure resource-unknown: it has no row and no tombstone of the number */
async function requireKnown(deps: Deps, websiteId: string, phone: string): Promise<Erased[]> {
  const [isKnown, erased] = await Promise.all([
    isKnownIn(deps.db, websiteId, toDigits(phone), phone),
    erasedIn(deps, phone, websiteId),
  ]);
  requireFound(isKnown || erased[0], "number");
  return erased;
}

const exportOfWebsite = operatorCall({
  id: "exportPersonOfWebsite",
  method: "GET",
  path: "/operator/websites/:websiteId/people/:phone/export",
  tag: "People",
  summary: "Export all that a website keeps about a person",
  description: "One JSON document, as over all websites, with the data of this website only.",
  database: "named",
  parameters: [WEBSITE, PHONE],
  answers: [ok(peopleAnswers.PersonExport, "The website.", EXPORT)],
  errors: ["resource-unknown", "fields-wrong"],
  reveals: true,
  command: {
    name: "export-person",
    chosenBy: { option: "website", summary: "Export only the data of this website.", fills: "websiteId" },
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const phone = requirePhone(request);
    const erased = await requireKnown(deps, websiteId, phone);
    return exportAnswer(deps, phone, { websites: [await readWebsite(deps, websiteId, phone)], ...erasedView(erased) });
  },
});

function exportAnswer(
  deps: Deps,
  phone: string,
  found: Omit<PeopleAnswers["PersonExport"], "phone" | "exportedAt">,
): PeopleAnswers["PersonExport"] {
  return { phone, exportedAt: toTime(deps.now()), ...found };
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
  command: {
    name: "remove-email",
    next: ({ phone }) => `The e-mail address of ${phone} is removed. The subscription stays as it is.`,
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const phone = requirePhone(request);
    requireFound(await removeEmail(deps.db, authorOf(request), websiteId, toDigits(phone), deps.now()), "number");
    return { phone, email: null };
  },
});

export const people: Resource = {
  calls: [find, exportAll, eraseEverywhereCall, get, exportOfWebsite, removeAddress, reachable, eraseOne],
  schemas: peopleAnswers,
};
