import * as z from "zod";
import { bulkSendAnswerSchema, MAX_BULK_MESSAGES } from "../domain/messages/bulk-request.ts";
import { sendAnswerSchema, sendRequestSchema } from "../domain/messages/send-request.ts";
import { phoneListSchema, subscriptionStatusAnswerSchema } from "../domain/people/phone-list.ts";
import { subscribeSchema } from "../domain/people/subscribe-request.ts";
import { BODY_LIMITS } from "../http/body.ts";
import { subscribeAnswerSchema, unsubscribeAnswerSchema } from "../http/subscribe.ts";
import { CSV_FILE, MESSAGE_ID, OTHER_PHONE, PHONE, SEND_BY_EMAIL, SEND_BY_PHONE } from "./examples.ts";
import { type ApiOperation, jsonBody, ok, type Parameter } from "./operation.ts";
import { fieldsOf } from "./schemas.ts";
import { statusOperations, statusSchemas } from "./status-operations.ts";

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 visible characters, such as `order-4711-shipped`, unique to the client and the call. Within 24 hours, the same key and body return the same ids and send nothing again; the same key with another body is 409. The order of keys and white space do not matter. After 24 hours the key is new.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

const fieldsOfMessage = fieldsOf(sendRequestSchema).map(({ name, rule }) => [name, { description: rule }]);

/** As loose as the service: a message that breaks a rule is in `failedSent`, and the others are sent. */
const bulkSendRequestSchema = z.object({
  messages: z
    .array(z.unknown().meta({ properties: Object.fromEntries(fieldsOfMessage) }))
    .min(1)
    .describe(
      `At most ${MAX_BULK_MESSAGES.toLocaleString("en")} send requests. One that breaks a rule, or is beyond the limit, is in \`failedSent\`.`,
    ),
});

/** The schemas of the calls of clients, by their names in the document. */
export const textSchemas = {
  SendRequest: sendRequestSchema,
  SendAnswer: sendAnswerSchema,
  BulkSendRequest: bulkSendRequestSchema,
  BulkSendAnswer: bulkSendAnswerSchema,
  ...statusSchemas,
  PhoneList: phoneListSchema,
  SubscriptionStatuses: subscriptionStatusAnswerSchema,
  SubscribeRequest: subscribeSchema,
  SubscribeAnswer: subscribeAnswerSchema,
  UnsubscribeAnswer: unsubscribeAnswerSchema,
};

export function textOperations(): ApiOperation[] {
  return [sendMessage(), sendBulk(), ...statusOperations(), subscribe(), unsubscribe(), subscriptionStatus()];
}

function sendMessage(): ApiOperation {
  return {
    id: "sendMessage",
    method: "post",
    path: "/text/message/send",
    tag: "Messages",
    summary: "Send a message",
    description:
      "Stores the message; callbacks report its outcome. The recipient is `phone`, or the subscribed number of `email`. Unknown fields are ignored, and named in `Ignored-Fields`.",
    access: { client: "send" },
    parameters: [IDEMPOTENCY_KEY],
    body: jsonBody(textSchemas.SendRequest, BODY_LIMITS.send, { byPhone: SEND_BY_PHONE, byEmail: SEND_BY_EMAIL }),
    answers: [
      ok(textSchemas.SendAnswer, "The message is stored: it is never lost and never sent twice.", {
        messageId: MESSAGE_ID,
      }),
    ],
    errors: ["idempotency-conflict", "store-full"],
  };
}

function sendBulk(): ApiOperation {
  return {
    id: "sendMessages",
    method: "post",
    path: "/text/bulk/message/send",
    tag: "Messages",
    summary: "Send many messages",
    description: `Each of up to ${MAX_BULK_MESSAGES.toLocaleString("en")} messages succeeds or fails on its own; the request counts once against the rate limit. Messages beyond the limit are in \`failedSent\`: one item each for the first 50,000, and one item for the rest. A request that ends early returns an error: \`details\` names the messages that were stored, and \`message\` says how to continue.`,
    access: { client: "send" },
    parameters: [IDEMPOTENCY_KEY],
    body: jsonBody(textSchemas.BulkSendRequest, BODY_LIMITS.bulk, {
      two: { messages: [SEND_BY_PHONE, SEND_BY_EMAIL] },
    }),
    answers: [
      ok(textSchemas.BulkSendAnswer, "The outcome of each message, by its index in the request.", {
        successSent: [{ index: 0, messageId: MESSAGE_ID }],
        failedSent: [{ index: 1, phone: "12125550101", email: null, errorMessage: "phone: must be an E.164 number" }],
      }),
    ],
    errors: ["idempotency-conflict", "store-full"],
  };
}

const LISTS = {
  array: { phone_numbers: [PHONE, OTHER_PHONE] },
  file: { csv_file: CSV_FILE },
};

function subscribe(): ApiOperation {
  const withPurpose = {
    array: { ...LISTS.array, sendPurpose: "newsletter" },
    file: { ...LISTS.file, sendPurpose: "newsletter" },
  };
  return {
    id: "subscribe",
    method: "post",
    path: "/text/subscribe",
    tag: "Subscriptions",
    summary: "Subscribe numbers",
    description:
      "The file may have a column `email`. A file is refused that has anything else than true in a column `subscribed`, or a column such as `status`, `opt_in` or `unsubscribed`: every number of it is subscribed. `failedToProcessNumbers` has the numbers whose owners opted out themselves: only they can undo it, by texting START. Safe to repeat.",
    access: { client: "subscribe" },
    body: jsonBody(textSchemas.SubscribeRequest, BODY_LIMITS.lists, withPurpose),
    answers: [
      ok(textSchemas.SubscribeAnswer, "How many numbers are subscribed, and which are not.", {
        message: "1 number is subscribed.",
        invalidPhoneNumbers: ["1.2E+10"],
        failedToProcessNumbers: [OTHER_PHONE],
      }),
    ],
  };
}

function unsubscribe(): ApiOperation {
  return {
    id: "unsubscribe",
    method: "post",
    path: "/text/unsubscribe",
    tag: "Subscriptions",
    summary: "Unsubscribe numbers",
    description:
      "Unknown numbers are stored as opted out. Messages that wait for submission are not sent. Safe to repeat.",
    access: { client: "unsubscribe" },
    body: jsonBody(textSchemas.PhoneList, BODY_LIMITS.lists, LISTS),
    answers: [
      ok(textSchemas.UnsubscribeAnswer, "The numbers are unsubscribed.", {
        message: "2 numbers are unsubscribed.",
        invalidPhoneNumbers: [],
      }),
    ],
  };
}

function subscriptionStatus(): ApiOperation {
  return {
    id: "subscriptionStatus",
    method: "post",
    path: "/text/subscription/status",
    tag: "Subscriptions",
    summary: "Read which numbers are subscribed",
    description:
      "Each distinct number appears once, in order of first appearance, `phone_numbers` before `csv_file`. `invalidPhoneNumbers` has the others as they were given: a spreadsheet's `1.2E+10` is reported, never guessed.",
    access: { client: "subscription" },
    body: jsonBody(textSchemas.PhoneList, BODY_LIMITS.lists, LISTS),
    answers: [
      ok(textSchemas.SubscriptionStatuses, "An unknown number is `false`.", {
        phoneNumberStatuses: [{ phoneNumber: PHONE, subscriptionStatus: true }],
        invalidPhoneNumbers: ["1.2E+10"],
      }),
    ],
  };
}
