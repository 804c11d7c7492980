import * as z from "zod";
import { bulkSendAnswerSchema, MAX_BULK_MESSAGES } from "../domain/messages/bulk-request.ts";
import { IgnoredFields } from "../domain/messages/ignored-fields.ts";
import { sendRequestSchema } from "../domain/messages/send-request.ts";
import { acceptBulk } from "../flows/messages/accept-bulk.ts";
import { BODY_LIMITS, readChunks, requireMediaType } from "./body.ts";
import { call, jsonBody, ok, type Resource } from "./call.ts";
import { MESSAGE_ID, SEND_BY_EMAIL, SEND_BY_PHONE } from "./examples.ts";
import { IDEMPOTENCY_KEY, readIdempotencyKey, senderOf } from "./send-message.ts";

const MOST = MAX_BULK_MESSAGES.toLocaleString("en");

/** What a field has to be: of an optional field, its type may say it. */
function describeField(field: z.core.$ZodType): string {
  if (field instanceof z.ZodOptional) return field.description ?? describeField(field.unwrap());
  if (field instanceof z.ZodUnion) return field.description ?? describeField(field.options[0] as z.ZodType);
  return field instanceof z.ZodType ? (field.description ?? "") : "";
}

const fields = Object.entries(sendRequestSchema.in.shape);
const isOptional = (field: z.core.$ZodType) => field instanceof z.ZodOptional;

/** The fields and types of a send request. The service takes any value: a message that breaks a rule is in `failedSent`. */
const MESSAGE = {
  type: "object",
  properties: Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      { type: isOptional(field) ? ["string", "null"] : "string", description: describeField(field) },
    ]),
  ),
  required: fields.flatMap(([name, field]) => (isOptional(field) ? [] : [name])),
};

const bulkSendRequestSchema = z.object({
  messages: z
    .array(z.unknown().meta(MESSAGE))
    .min(1)
    .describe(`At most ${MOST} send requests. One that breaks a rule, or is beyond the limit, is in \`failedSent\`.`),
});

const send = call({
  id: "sendMessages",
  method: "POST",
  path: "/text/bulk/message/send",
  tag: "Messages",
  summary: "Send many messages",
  description: `Each of up to ${MOST} messages succeeds or fails on its own; the request counts once against the rate limit. Messages beyond the limit are in \`failedSent\`: one item each for the first 50,000, and one item for all further ones. If a request ends early, it returns an error. \`details\` then lists the messages that were stored, and \`message\` says how to continue.`,
  access: { client: "send" },
  database: "client",
  parameters: [IDEMPOTENCY_KEY],
  body: jsonBody(bulkSendRequestSchema, BODY_LIMITS.bulk, { two: { messages: [SEND_BY_PHONE, SEND_BY_EMAIL] } }),
  answers: [
    ok(bulkSendAnswerSchema, "The outcome of each message, by its index in the request.", {
      successSent: [{ index: 0, messageId: MESSAGE_ID }],
      failedSent: [{ index: 1, phone: "12125550101", email: null, errorMessage: "phone: must be an E.164 number" }],
    }),
  ],
  errors: ["idempotency-conflict", "daily-limit-reached", "store-full"],
  // Stored while the body comes in, so that neither has to fit into memory whole.
  run: async (request, deps) => {
    requireMediaType(request, "application/json");
    const key = readIdempotencyKey(request);
    request.ignored ??= new IgnoredFields();
    const body = readChunks(request, BODY_LIMITS.bulk);
    const answer = await acceptBulk(deps, senderOf(request, deps), body, key, request.ignored);
    request.logged = { stored: answer.successSent.length, failed: answer.failedSent.length };
    return answer;
  },
});

export const sendBulk: Resource = {
  calls: [send],
  schemas: { BulkSendRequest: bulkSendRequestSchema, BulkSendAnswer: bulkSendAnswerSchema },
};
