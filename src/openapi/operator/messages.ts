import { MESSAGE_STATUSES } from "../../domain/messages/message.ts";
import { REASONS } from "../../domain/messages/reason.ts";
import { type MessageAnswers, messageAnswers } from "../../http/operator/messages.ts";
import { CLIENT_ID, MESSAGE_ID, SEND_BY_PHONE, TIME } from "../examples.ts";
import { type ApiOperation, ok, type Parameter, pathParameter } from "../operation.ts";
import type { Resource } from "./resource.ts";

const EVENT_ID = `${MESSAGE_ID}_DELIVERED`;

export const MESSAGE = {
  ...SEND_BY_PHONE,
  messageId: MESSAGE_ID,
  websiteId: "brand",
  websiteName: "The Brand",
  clientId: CLIENT_ID,
  clientName: "The newsletter platform",
  status: "DELIVERED",
  reason: null,
  reasonDetail: null,
  email: null,
  mediaUrl: null,
  clickUrl: null,
  ignoredFields: null,
  encoding: "GSM-7",
  segments: 1,
  carrier: "sandbox",
  carrierMessageId: "sandbox-1",
  attempts: 1,
  acceptedAt: TIME,
  updatedAt: TIME,
  claimedAt: TIME,
  retryAt: null,
  waits: null,
  submissions: [{ at: TIME, attempt: 1, outcome: "accepted", reason: null }],
  clicks: { people: 0, robots: 0, firstAt: null },
  events: [{ eventId: EVENT_ID, eventType: "message.status", status: "DELIVERED", reason: null, occurredAt: TIME }],
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
} satisfies MessageAnswers["OperatorMessage"];

const queryParameter = (name: string, description: string, schema: object): Parameter => ({
  ...{ name, in: "query", required: false, description, schema },
});

export function describeMessages(): Resource {
  const getMessage: ApiOperation = {
    id: "getMessage",
    method: "get",
    path: "/operator/messages/{messageId}",
    tag: "People",
    access: "operator",
    summary: "Read a message, its submissions, events and callbacks",
    description: "A message is kept for `RETENTION_DAYS`; after that it is unknown.",
    parameters: [pathParameter("messageId", "The id that the send request returned.", { type: "string" }, MESSAGE_ID)],
    answers: [
      ok(
        messageAnswers.OperatorMessage,
        "The message, its events in order, and the responses to its callbacks.",
        MESSAGE,
      ),
    ],
    errors: ["resource-unknown"],
  };
  const { events: _, callbacks: _2, clicks: _3, callbackData: _4, submissions: _5, ...others } = MESSAGE;
  const { websiteName: _6, clientName: _7, ignoredFields: _8, ...facts } = others;
  const findMessages: ApiOperation = {
    ...{ id: "findMessages", method: "get", path: "/operator/messages", tag: "People", access: "operator" },
    summary: "Find messages",
    description:
      "By any of these; without a `website`, a `phone` is needed, of all websites. Newest first, 100 per page. One page looks through at most 10,000 messages, so it may have fewer, or none, and `next` all the same.",
    parameters: [
      queryParameter("website", "The id of a website.", { type: "string" }),
      queryParameter("phone", "E.164.", { type: "string" }),
      queryParameter(
        "email",
        "Messages to this address that found no number, and messages to the numbers that have it now. With a `website`.",
        { type: "string" },
      ),
      queryParameter("status", "A status.", { type: "string", enum: [...MESSAGE_STATUSES] }),
      queryParameter("reason", "A reason.", { type: "string", enum: [...REASONS] }),
      queryParameter("purpose", "The `sendPurpose`.", { type: "string" }),
      queryParameter("client", "The id of a client.", { type: "string" }),
      queryParameter("from", "Accepted at this time or later.", { type: "string", format: "date-time" }),
      queryParameter("until", "Accepted before this time.", { type: "string", format: "date-time" }),
      queryParameter("cursor", "The `next` of the page before.", { type: "string" }),
    ],
    answers: [ok(messageAnswers.FoundMessages, "One page.", { messages: [facts], next: null })],
    errors: ["fields-wrong"],
  };
  return { operations: [findMessages, getMessage], schemas: messageAnswers };
}
