import * as z from "zod";
import { BODY_LIMITS } from "../http/body.ts";
import { CLIENT_ID, INBOUND_TEXT, MESSAGE_ID, PHONE, SEND_BY_PHONE, TIME } from "./examples.ts";
import { type ApiOperation, type Parameter, pathParameter } from "./operation.ts";
import { type OperatorAnswers, ok, WEBSITE_PARAMETER } from "./operator-operations.ts";

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
  changes: [{ from: true, to: false, at: TIME, source: "keyword", proof: INBOUND_TEXT.text }],
  texts: [INBOUND_TEXT],
};

const EVENT_ID = `${MESSAGE_ID}_DELIVERED`;

const MESSAGE = {
  ...SEND_BY_PHONE,
  messageId: MESSAGE_ID,
  websiteId: "brand",
  clientId: CLIENT_ID,
  status: "DELIVERED",
  reason: null,
  email: null,
  mediaUrl: null,
  clickUrl: null,
  encoding: "GSM-7",
  segments: 1,
  carrier: "sandbox",
  carrierMessageId: "sandbox-1",
  attempts: 1,
  acceptedAt: TIME,
  updatedAt: TIME,
  claimedAt: TIME,
  retryAt: null,
  clicks: { people: 0, robots: 0, firstAt: null },
  events: [{ eventId: EVENT_ID, eventType: "message.status", status: "DELIVERED", occurredAt: TIME }],
  callbacks: [
    {
      eventId: EVENT_ID,
      attemptedAt: TIME,
      outcome: "answered",
      httpStatus: 204,
      response: "",
      durationMilliseconds: 85,
    },
  ],
};

export function peopleOperations(answers: OperatorAnswers): ApiOperation[] {
  return [
    importSubscribers(answers),
    listInbound(answers),
    listWithoutEffect(answers),
    getPerson(answers),
    removeEmail(answers),
    erasePerson(answers),
    getMessage(answers),
  ];
}

const BEFORE: Parameter = {
  name: "before",
  in: "query",
  required: false,
  description: "The `receivedAt` of the last text of the previous page.",
  schema: { type: "string", format: "date-time" },
};

const COMMON = { tag: "People", access: "operator", errors: ["resource-unknown"] } satisfies Partial<ApiOperation>;

function importSubscribers(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "importSubscribers",
    method: "post",
    path: "/operator/websites/{websiteId}/subscribers",
    summary: "Import subscribers",
    description:
      "A file with an invalid row is rejected as a whole. `optedOutNumbers` has the numbers whose owners opted out themselves: they are not subscribed again.",
    parameters: [WEBSITE_PARAMETER],
    body: {
      mediaTypes: ["text/csv"],
      schema: z.string(),
      description:
        "CSV with the columns `phone_numbers`, and optionally `email` (an empty cell keeps the present address) and `subscribed` (default `true`).",
      limitBytes: BODY_LIMITS.subscribers,
      examples: { two: `phone_numbers,email,subscribed\n${PHONE},ada@example.com,true\n+12125550101,,false\n` },
    },
    answers: [
      ok(answers.ImportAnswer, "How many rows were imported, and which numbers were not.", {
        imported: 2,
        invalidPhoneNumbers: [],
      }),
    ],
  };
}

function listInbound(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "listInbound",
    method: "get",
    path: "/operator/websites/{websiteId}/inbound",
    summary: "List inbound texts",
    description: "Newest first, 100 per page.",
    parameters: [WEBSITE_PARAMETER, BEFORE],
    answers: [ok(answers.InboundTextList, "One page.", { texts: [INBOUND_TEXT] })],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function listWithoutEffect(answers: OperatorAnswers): ApiOperation {
  const text = { websiteId: null, ...INBOUND_TEXT, to: "+12125550177" };
  return {
    ...COMMON,
    id: "listWithoutEffect",
    method: "get",
    path: "/operator/inbound/without-effect",
    summary: "List inbound texts without effect",
    description:
      "Texts to a number that no website has, and STOP, START or HELP from a sender that is no phone number. Newest first, 100 per page. Keywords of the last day are the problem `keywords-without-effect`.",
    parameters: [BEFORE],
    answers: [ok(answers.TextsWithoutEffect, "One page.", { texts: [text] })],
    errors: ["fields-wrong"],
  };
}

function getPerson(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "getPerson",
    method: "get",
    path: "/operator/websites/{websiteId}/people/{phone}",
    summary: "Read a person: state, history and texts",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(answers.Person, "The state of the number, its changes and its texts.", PERSON)],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function removeEmail(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "removeEmail",
    method: "delete",
    path: "/operator/websites/{websiteId}/people/{phone}/email",
    summary: "Remove the e-mail address of a person",
    description: "The subscription stays as it is. An import replaces an address; an empty cell keeps it.",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(answers.EmailRemoval, "The number has no address.", { phone: PHONE, email: null })],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function erasePerson(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "erasePerson",
    method: "delete",
    path: "/operator/websites/{websiteId}/people/{phone}",
    summary: "Erase a person",
    description:
      "Erases everything about a number except its share of report totals and a one-way hash (tombstone), which keeps it opted out: no import and no client can subscribe it again. Only the person can, by texting START: the tombstone is then removed.",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(answers.Erasure, "The number of erased messages.", { phone: PHONE, erasedMessages: 3 })],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function getMessage(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "getMessage",
    method: "get",
    path: "/operator/messages/{messageId}",
    summary: "Read a message, its events and its callbacks",
    parameters: [pathParameter("messageId", "The id that the send request returned.", { type: "string" }, MESSAGE_ID)],
    answers: [
      ok(answers.OperatorMessage, "The message, its events in order, and the responses to its callbacks.", MESSAGE),
    ],
  };
}
