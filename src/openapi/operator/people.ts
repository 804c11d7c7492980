import { type PeopleAnswers, peopleAnswers } from "../../http/operator/people.ts";
import { CLIENT_ID, MESSAGE_ID, PHONE, TIME } from "../examples.ts";
import { type ApiOperation, ok, pathParameter } from "../operation.ts";
import { INBOUND_TEXT } from "./inbound.ts";
import { MESSAGE } from "./messages.ts";
import { type Resource, WEBSITE_PARAMETER } from "./resource.ts";

const PHONE_PARAMETER = pathParameter(
  "phone",
  "E.164. Numbers that no numbering plan has any longer are accepted as well.",
  { type: "string" },
  PHONE,
);

const PERSON = {
  phone: PHONE,
  subscribed: false,
  email: "ada@example.com",
  optedOutByPerson: true,
  optOutConfirmedAt: TIME,
  changes: [{ from: true, to: false, addressChanged: false, at: TIME, source: "keyword", proof: INBOUND_TEXT.text }],
  texts: [INBOUND_TEXT],
} satisfies PeopleAnswers["Person"];

export function describePeople(): Resource {
  const operations = [
    findPerson(),
    exportPerson(),
    erasePersonEverywhere(),
    getPerson(),
    exportPersonOfWebsite(),
    removeEmail(),
    erasePerson(),
  ];
  return { operations, schemas: peopleAnswers };
}

const COMMON = { tag: "People", access: "operator", errors: ["resource-unknown"] } satisfies Partial<ApiOperation>;

function findPerson(): ApiOperation {
  const { phone: _, ...state } = PERSON;
  const sent = { websiteId: "brand", acceptedAt: TIME, status: "DELIVERED", reason: null } as const;
  const message = { messageId: MESSAGE_ID, ...sent, sendPurpose: "spring-sale_01", text: "Brand: hello" };
  return {
    ...COMMON,
    id: "findPerson",
    method: "get",
    path: "/operator/people/{phone}",
    summary: "Read a person across all websites",
    description:
      "State, history and texts in each website that knows the number, and the latest messages to it. Texts that reached no website come last, with `websiteId` null.",
    parameters: [PHONE_PARAMETER],
    answers: [
      ok(peopleAnswers.PersonEverywhere, "Each website that knows the number.", {
        phone: PHONE,
        websites: [{ websiteId: "brand", phone: PHONE, ...state }],
        messages: [message],
      }),
    ],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

const EXPORT = {
  phone: PHONE,
  exportedAt: TIME,
  websites: [
    {
      ...{ websiteId: "brand", ...PERSON, messages: [MESSAGE], isCut: false },
      duplicateKeys: [{ messageId: MESSAGE_ID, expiresAt: TIME }],
      notices: [
        {
          ...{ noticeId: "a-notice", clientId: CLIENT_ID, type: "message.received", occurredAt: TIME, callback: null },
          body: { from: PHONE, to: INBOUND_TEXT.to, text: INBOUND_TEXT.text },
        },
      ],
    },
  ],
} satisfies PeopleAnswers["PersonExport"];

function exportPerson(): ApiOperation {
  return {
    ...COMMON,
    id: "exportPerson",
    method: "get",
    path: "/operator/people/{phone}/export",
    summary: "Export all that is kept about a person",
    description:
      "One document for the person: in each website that knows the number the state, the whole ledger, every message with its events, callbacks and clicks, every text, and what clients were told. A tombstone, a one-way hash, is not in it.",
    parameters: [PHONE_PARAMETER],
    answers: [ok(peopleAnswers.PersonExport, "Each website that knows the number.", EXPORT)],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function exportPersonOfWebsite(): ApiOperation {
  return {
    ...COMMON,
    id: "exportPersonOfWebsite",
    method: "get",
    path: "/operator/websites/{websiteId}/people/{phone}/export",
    summary: "Export all that a website keeps about a person",
    description: "The same document, with this website alone.",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(peopleAnswers.PersonExport, "The website.", EXPORT)],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function erasePersonEverywhere(): ApiOperation {
  const websites = [
    { websiteId: "brand", erasedMessages: 3 },
    { websiteId: null, erasedMessages: 0 },
  ];
  return {
    ...COMMON,
    id: "erasePersonEverywhere",
    method: "delete",
    path: "/operator/people/{phone}",
    summary: "Erase a person in all websites",
    description:
      "As in one website, in each that knows the number; and texts that reached no website. A website that fails is in `failed`, and does not hold up the others. A website that does not know the number gets no tombstone.",
    parameters: [PHONE_PARAMETER],
    answers: [
      ok(peopleAnswers.ErasureEverywhere, "What is erased, and where.", { phone: PHONE, websites, failed: [] }),
    ],
    errors: ["fields-wrong"],
  };
}

function getPerson(): ApiOperation {
  return {
    ...COMMON,
    id: "getPerson",
    method: "get",
    path: "/operator/websites/{websiteId}/people/{phone}",
    summary: "Read a person: state, history and texts",
    description:
      "A number of which the website stores nothing is unknown. An undo of an import has the source `undo`, and the import as its proof.",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(peopleAnswers.Person, "The state of the number, its changes and its texts.", PERSON)],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function removeEmail(): ApiOperation {
  return {
    ...COMMON,
    id: "removeEmail",
    method: "delete",
    path: "/operator/websites/{websiteId}/people/{phone}/email",
    summary: "Remove the e-mail address of a person",
    description: "The subscription stays as it is. An import replaces an address; an empty cell keeps it.",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(peopleAnswers.EmailRemoval, "The number has no address.", { phone: PHONE, email: null })],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function erasePerson(): ApiOperation {
  return {
    ...COMMON,
    id: "erasePerson",
    method: "delete",
    path: "/operator/websites/{websiteId}/people/{phone}",
    summary: "Erase a person",
    description:
      "Erases everything about a number except its share of report totals and a one-way hash (tombstone), which keeps it opted out: no import and no client can subscribe it again. Only the person can, by texting START: the tombstone is then removed.",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(peopleAnswers.Erasure, "The number of erased messages.", { phone: PHONE, erasedMessages: 3 })],
    errors: ["resource-unknown", "fields-wrong"],
  };
}
