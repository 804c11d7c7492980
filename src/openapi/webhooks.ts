import type * as z from "zod";
import { callbackSchemas, testEventSchema } from "../domain/callbacks/callback.ts";
import { CLICK_ID, MESSAGE_ID, NOTICE_ID, OTHER_PHONE, SEND_BY_EMAIL, SEND_BY_PHONE, TIME } from "../http/examples.ts";
import { type JsonObject, toJsonSchema } from "./schemas.ts";

const HEADERS = {
  "webhook-id": ["The `eventId`.", `${MESSAGE_ID}_DELIVERED`],
  "webhook-timestamp": ["The time of the post, in seconds since 1970.", "1795262400"],
  "webhook-signature": [
    "`v1,` and the HMAC-SHA256 of id, timestamp and body, in Base64. While a secret is being replaced, there are two, with a space between them.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ],
} as const;

const ABOUT =
  "Posted to the client's callback URL if the client's setting `events` names it. Textgate makes only one attempt. It follows no redirect, and closes the connection after 10 seconds. Signed as in Standard Webhooks, with the client's callback secret. Events may arrive out of order";

const OF_MESSAGE = `${ABOUT}: sort them by \`occurredAt\`. An event is not posted if \`callbackData\` was \`""\`.`;
const OF_WEBSITE = `${ABOUT}. Each client of the website that wants the event gets it under its own \`eventId\`.`;

const OF_TEST =
  "Posted when the client itself or the operator tries the callback URL, whatever its setting `events` names. The event is about no message and no person: answer 2xx, and ignore it. It is signed like every event.";

const CHANGED = {
  eventId: `${NOTICE_ID}_subscription.changed`,
  eventType: "subscription.changed",
  phone: SEND_BY_PHONE.phone,
  subscribed: false,
  source: "keyword",
  changedAt: TIME,
  changeId: 1795262400002,
} as const;

/** What the service posts to a client. */
export function webhooks(): JsonObject {
  const { status, click, received, changed, unreachable } = callbackSchemas;
  const { phone, sendPurpose, callbackData } = SEND_BY_PHONE;
  const about = { messageId: MESSAGE_ID, reason: null, occurredAt: TIME, phone, sendPurpose, callbackData };
  return {
    "message.status": webhook("messageStatusChanged", "The status of a message changed", status, {
      eventId: `${MESSAGE_ID}_DELIVERED`,
      eventType: "message.status",
      status: "DELIVERED",
      ...about,
    }),
    "message.received": webhook(
      "messageReceived",
      "A person texted the website",
      received,
      {
        eventId: `${NOTICE_ID}_message.received`,
        eventType: "message.received",
        from: phone,
        to: OTHER_PHONE,
        text: "Thank you!",
        mediaUrls: [],
        receivedAt: TIME,
        keyword: null,
        inReplyTo: MESSAGE_ID,
      },
      OF_WEBSITE,
    ),
    "subscription.changed": webhook(
      "subscriptionChanged",
      "A number was subscribed or unsubscribed, except by imports and calls of this client",
      changed,
      CHANGED,
      OF_WEBSITE,
    ),
    "number.unreachable": webhook(
      "numberUnreachable",
      "The latest texts to a number ended with a permanent fault of the number",
      unreachable,
      {
        eventId: `${NOTICE_ID}_number.unreachable`,
        eventType: "number.unreachable",
        phone,
        code: "30005",
        since: TIME,
      },
      OF_WEBSITE,
    ),
    "message.clicked": webhook(
      "messageClicked",
      "A person followed the link of a message, the first three times",
      click,
      {
        eventId: `${MESSAGE_ID}_CLICK_${CLICK_ID}`,
        eventType: "message.clicked",
        status: "DELIVERED",
        clickUrl: SEND_BY_EMAIL.clickUrl,
        ...about,
      },
    ),
    test: webhook(
      "endpointTested",
      "Somebody tries the endpoint",
      testEventSchema,
      { eventId: `test_${MESSAGE_ID}`, eventType: "test", occurredAt: TIME },
      OF_TEST,
    ),
  };
}

function webhook<Schema extends z.ZodType>(
  id: string,
  summary: string,
  schema: Schema,
  example: z.output<Schema>,
  description = OF_MESSAGE,
): JsonObject {
  const post = {
    operationId: id,
    summary,
    description,
    security: [],
    parameters: Object.entries(HEADERS).map(([name, [about, value]]) => ({
      name,
      in: "header",
      required: true,
      description: about,
      schema: { type: "string" },
      example: value,
    })),
    requestBody: {
      required: true,
      content: { "application/json": { schema: toJsonSchema(schema), example } },
    },
    responses: { default: { description: "The response is kept for the operator. The event is never posted again." } },
  };
  return { post };
}
