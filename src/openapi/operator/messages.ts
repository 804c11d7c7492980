import { type MessageAnswers, messageAnswers } from "../../http/operator/messages.ts";
import { CLIENT_ID, MESSAGE_ID, SEND_BY_PHONE, TIME } from "../examples.ts";
import { type ApiOperation, ok, pathParameter } from "../operation.ts";
import type { Resource } from "./resource.ts";

const EVENT_ID = `${MESSAGE_ID}_DELIVERED`;

const MESSAGE = {
  ...SEND_BY_PHONE,
  messageId: MESSAGE_ID,
  websiteId: "brand",
  clientId: CLIENT_ID,
  status: "DELIVERED",
  reason: null,
  reasonDetail: null,
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
  waits: null,
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
} satisfies MessageAnswers["OperatorMessage"];

export function describeMessages(): Resource {
  const schemas = messageAnswers();
  const getMessage: ApiOperation = {
    id: "getMessage",
    method: "get",
    path: "/operator/messages/{messageId}",
    tag: "People",
    access: "operator",
    summary: "Read a message, its events and its callbacks",
    description: "A message is kept for `RETENTION_DAYS`; after that it is unknown.",
    parameters: [pathParameter("messageId", "The id that the send request returned.", { type: "string" }, MESSAGE_ID)],
    answers: [
      ok(schemas.OperatorMessage, "The message, its events in order, and the responses to its callbacks.", MESSAGE),
    ],
    errors: ["resource-unknown"],
  };
  return { operations: [getMessage], schemas };
}
