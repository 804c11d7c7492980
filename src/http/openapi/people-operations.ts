import * as z from "zod";
import { CLIENT_ID, INBOUND_TEXT, MESSAGE_ID, PHONE, SEND_BY_PHONE, TIME } from "./examples.ts";
import { type ApiOperation, type Parameter, pathParameter } from "./operation.ts";
import { type OperatorAnswers, ok, WEBSITE_PARAMETER } from "./operator-operations.ts";

const PHONE_PARAMETER = pathParameter(
  "phone",
  "E.164; also a number that no numbering plan has any more.",
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
  description: "Only what came before: the `receivedAt` of the last one of the page before.",
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
    description: "A file with a wrong row is refused whole.",
    parameters: [WEBSITE_PARAMETER],
    body: {
      mediaTypes: ["text/csv"],
      schema: z.string(),
      description:
        "Columns `phone_numbers`, `email` (optional; an empty one keeps the address that the number has) and `subscribed` (optional: true). At most 32 MB.",
      examples: { two: `phone_numbers,email,subscribed\n${PHONE},ada@example.com,true\n+12125550101,,false\n` },
    },
    answers: [ok(answers.ImportAnswer, "What became of the rows.", { imported: 2, invalidPhoneNumbers: [] })],
  };
}

function listInbound(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "listInbound",
    method: "get",
    path: "/operator/websites/{websiteId}/inbound",
    summary: "List what people texted",
    description: "The latest first, 100 at a time.",
    parameters: [WEBSITE_PARAMETER, BEFORE],
    answers: [ok(answers.InboundTextList, "A page of them.", { texts: [INBOUND_TEXT] })],
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
    summary: "List keywords without effect, and texts that reached no website",
    description:
      "The latest first, 100 at a time: texts to a number that no website has, and STOP, START and HELP from a sender that is not a phone number. Keywords of the last day are the problem `keywords-without-effect`.",
    parameters: [BEFORE],
    answers: [ok(answers.TextsWithoutEffect, "A page of them.", { texts: [text] })],
    errors: ["fields-wrong"],
  };
}

function getPerson(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "getPerson",
    method: "get",
    path: "/operator/websites/{websiteId}/people/{phone}",
    summary: "Read what is known of a number",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(answers.Person, "Its state, how it came about, and what it texted.", PERSON)],
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
    description:
      "The subscription stays as it is. A file of subscribers replaces an address, and keeps it where its cell is empty.",
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
    description: "All that is kept about the number goes, but a one-way mark that keeps it opted out.",
    parameters: [WEBSITE_PARAMETER, PHONE_PARAMETER],
    answers: [ok(answers.Erasure, "What was erased.", { phone: PHONE, erasedMessages: 3 })],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function getMessage(answers: OperatorAnswers): ApiOperation {
  return {
    ...COMMON,
    id: "getMessage",
    method: "get",
    path: "/operator/messages/{messageId}",
    summary: "Read a message",
    parameters: [pathParameter("messageId", "As the send request was answered.", { type: "string" }, MESSAGE_ID)],
    answers: [
      ok(answers.OperatorMessage, "The message, its events in order, and what its callbacks brought.", MESSAGE),
    ],
  };
}
