// What became of messages: one, many, and all events of a client.
import { messageIdsSchema } from "../domain/messages/message-ids.ts";
import { BODY_LIMITS } from "../http/body.ts";
import { EVENTS_LIMIT, eventsAnswerSchema } from "../http/events.ts";
import { messageStatusAnswerSchema } from "../http/message-status.ts";
import { messageStatusesAnswerSchema } from "../http/message-statuses.ts";
import { CLICK_ID, MESSAGE_ID, PHONE, SEND_BY_PHONE, TIME } from "./examples.ts";
import { type ApiOperation, jsonBody, ok } from "./operation.ts";

export const statusSchemas = {
  MessageStatus: messageStatusAnswerSchema,
  MessageIds: messageIdsSchema,
  MessageStatuses: messageStatusesAnswerSchema,
  Events: eventsAnswerSchema,
};

export function statusOperations(): ApiOperation[] {
  return [messageStatus(), messageStatuses(), listEvents()];
}

function messageStatus(): ApiOperation {
  return {
    id: "messageStatus",
    method: "get",
    path: "/text/message/status",
    tag: "Messages",
    summary: "Read the status of a message",
    description: "A message of another website is unknown.",
    access: { client: "status" },
    parameters: [
      {
        name: "messageId",
        in: "query",
        required: true,
        description: "The id that the send request returned.",
        schema: { type: "string", format: "uuid" },
        example: MESSAGE_ID,
      },
    ],
    answers: [
      ok(statusSchemas.MessageStatus, "The status of the message.", {
        messageId: MESSAGE_ID,
        status: "FAILED_TO_DELIVERY",
        reason: "UNDELIVERED",
        updatedAt: TIME,
      }),
    ],
    errors: ["fields-wrong", "resource-unknown"],
  };
}

function messageStatuses(): ApiOperation {
  return {
    id: "messageStatuses",
    method: "post",
    path: "/text/message/statuses",
    tag: "Messages",
    summary: "Read the statuses of many messages",
    description:
      "Each distinct id appears once, in order of first appearance: in `messages`, or as it was given in `unknownMessageIds`. A message of another website is unknown. Safe to repeat.",
    access: { client: "status" },
    body: jsonBody(statusSchemas.MessageIds, BODY_LIMITS.ids, { two: { messageIds: [MESSAGE_ID, CLICK_ID] } }),
    answers: [
      ok(statusSchemas.MessageStatuses, "The statuses of the messages.", {
        messages: [{ messageId: MESSAGE_ID, status: "DELIVERED", reason: null, updatedAt: TIME }],
        unknownMessageIds: [CLICK_ID],
      }),
    ],
  };
}

function listEvents(): ApiOperation {
  const { fallback, most } = EVENTS_LIMIT;
  return {
    id: "listEvents",
    method: "get",
    path: "/text/events",
    tag: "Messages",
    summary: "Read the client's events",
    description:
      "In the order in which they were stored, for as long as they are kept: the body of each callback, and what came of it. Also events that are never posted. Reading posts nothing and changes nothing; an event that is stored later never stands before a cursor.",
    access: { client: "status" },
    parameters: [
      {
        name: "after",
        in: "query",
        required: false,
        description: "The `next` of the answer before. Absent: from the oldest event on.",
        schema: { type: "string" },
      },
      {
        name: "limit",
        in: "query",
        required: false,
        description: "The most events in the answer.",
        schema: { type: "integer", minimum: 1, maximum: most, default: fallback },
      },
    ],
    answers: [
      ok(statusSchemas.Events, "The next events. There may be none.", {
        events: [
          {
            eventId: `${MESSAGE_ID}_DELIVERED`,
            eventType: "message.status",
            messageId: MESSAGE_ID,
            status: "DELIVERED",
            reason: null,
            occurredAt: TIME,
            phone: PHONE,
            sendPurpose: SEND_BY_PHONE.sendPurpose,
            callbackData: SEND_BY_PHONE.callbackData,
            callback: { attemptedAt: TIME, outcome: "answered", httpStatus: 200 },
          },
        ],
        next: "4711-1-0123456789abcdef",
        more: false,
      }),
    ],
    errors: ["fields-wrong"],
  };
}
