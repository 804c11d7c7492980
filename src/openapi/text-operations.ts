import { bulkSendAnswerSchema, bulkSendRequestSchema, MAX_BULK_MESSAGES } from "../domain/bulk-request.ts";
import { phoneListSchema, subscriptionStatusAnswerSchema } from "../domain/phone-list.ts";
import { sendAnswerSchema, sendRequestSchema } from "../domain/send-request.ts";
import { subscribeSchema } from "../domain/subscribe-request.ts";
import { messageStatusAnswerSchema } from "../http/message-status.ts";
import { subscribeAnswerSchema, unsubscribeAnswerSchema } from "../http/subscribe.ts";
import { CSV_FILE, MESSAGE_ID, OTHER_PHONE, PHONE, SEND_BY_EMAIL, SEND_BY_PHONE, TIME } from "./examples.ts";
import type { Answer, ApiOperation, Parameter, RequestBody } from "./operation.ts";

const JSON_ONLY = ["application/json"];

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 visible characters, such as `order-4711-shipped`. It belongs to the client. The same key and body within 24 hours answers the same ids and sends nothing again; with another body it is 409. After 24 hours the key is new.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

export function textOperations(): ApiOperation[] {
  return [sendMessage(), sendBulk(), messageStatus(), subscribe(), unsubscribe(), subscriptionStatus()];
}

function json(schema: RequestBody["schema"], description: string, examples: Record<string, unknown>): RequestBody {
  return { mediaTypes: JSON_ONLY, schema, description, examples };
}

function ok(schema: RequestBody["schema"], description: string, example: unknown): Answer {
  return { status: 200, mediaType: "application/json", schema, description, example };
}

function sendMessage(): ApiOperation {
  return {
    id: "sendMessage",
    method: "post",
    path: "/text/message/send",
    tag: "Messages",
    summary: "Send a message",
    description:
      "Names its recipient by `phone` or by `email`: of several subscribed numbers of an address, the one subscribed last. Unknown fields are ignored. What becomes of the message is told by callbacks.",
    access: { client: "send" },
    parameters: [IDEMPOTENCY_KEY],
    body: json(sendRequestSchema, "At most 128 KB.", { byPhone: SEND_BY_PHONE, byEmail: SEND_BY_EMAIL }),
    answers: [
      ok(sendAnswerSchema, "The message is stored: it will not be lost, and not be sent twice.", {
        messageId: MESSAGE_ID,
      }),
    ],
    errors: ["idempotency-conflict"],
  };
}

function sendBulk(): ApiOperation {
  return {
    id: "sendMessages",
    method: "post",
    path: "/text/bulk/message/send",
    tag: "Messages",
    summary: "Send many messages",
    description: `Each of up to ${MAX_BULK_MESSAGES.toLocaleString("en")} messages stands for itself, and the request counts as one against the limit. Messages over the limit are in \`failedSent\`, one by one up to 50,000 of them, and the rest in one item. A request that ends early is an error whose \`details\` name the messages that were stored, and whose \`message\` says how to go on.`,
    access: { client: "send" },
    parameters: [IDEMPOTENCY_KEY],
    body: json(bulkSendRequestSchema, "At most 48 MB.", { two: { messages: [SEND_BY_PHONE, SEND_BY_EMAIL] } }),
    answers: [
      ok(bulkSendAnswerSchema, "What became of each message, by its index in the request.", {
        successSent: [{ index: 0, messageId: MESSAGE_ID }],
        failedSent: [{ index: 1, phone: "12125550101", email: null, errorMessage: "phone: must be an E.164 number" }],
      }),
    ],
    errors: ["idempotency-conflict"],
  };
}

function messageStatus(): ApiOperation {
  return {
    id: "messageStatus",
    method: "get",
    path: "/text/message/status",
    tag: "Messages",
    summary: "Ask for the status of a message",
    description: "A message of another website is unknown (40401).",
    access: { client: "status" },
    parameters: [
      {
        name: "messageId",
        in: "query",
        required: true,
        description: "As the send request was answered.",
        schema: { type: "string", format: "uuid" },
        example: MESSAGE_ID,
      },
    ],
    answers: [
      ok(messageStatusAnswerSchema, "The status of the message.", {
        messageId: MESSAGE_ID,
        status: "DELIVERED",
        updatedAt: TIME,
      }),
    ],
    errors: ["fields-wrong", "resource-unknown"],
  };
}

const LISTS = {
  array: { phone_numbers: [PHONE, OTHER_PHONE] },
  file: { csv_file: CSV_FILE },
};

const LIST_BODY = "At most 8 MB, with `phone_numbers`, `csv_file`, or both.";

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
    description: "The file may have a column `email`. Numbers whose owners texted STOP are not brought back.",
    access: { client: "subscribe" },
    body: json(subscribeSchema, LIST_BODY, withPurpose),
    answers: [
      ok(subscribeAnswerSchema, "What became of the numbers.", {
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
    description: "A number never seen is stored as opted out too. Messages that are not submitted yet are not sent.",
    access: { client: "unsubscribe" },
    body: json(phoneListSchema, LIST_BODY, LISTS),
    answers: [
      ok(unsubscribeAnswerSchema, "The numbers are unsubscribed.", {
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
    summary: "Ask which numbers are subscribed",
    description: "Each distinct number once, where it first came, those of `phone_numbers` first.",
    access: { client: "subscription" },
    body: json(phoneListSchema, LIST_BODY, LISTS),
    answers: [
      ok(subscriptionStatusAnswerSchema, "A number never seen is `false`.", {
        phoneNumberStatuses: [{ phoneNumber: PHONE, subscriptionStatus: true }],
        invalidPhoneNumbers: ["1.2E+10"],
      }),
    ],
  };
}
