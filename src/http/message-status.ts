import * as z from "zod";
import { failField, RequestFailure } from "../domain/failure.ts";
import { MESSAGE_STATUSES } from "../domain/messages/message.ts";
import { reasonSchema } from "../domain/messages/reason.ts";
import { readStatuses } from "../store/messages/read-message.ts";
import { clientOf, toStoredId } from "./api-request.ts";
import { call, inQuery, ok, type Resource } from "./call.ts";
import { MESSAGE_ID, TIME } from "./examples.ts";
import { toTime } from "./time.ts";

export const messageStatusFields = {
  messageId: z.uuid(),
  status: z.enum(MESSAGE_STATUSES),
  reason: reasonSchema,
  updatedAt: z.iso.datetime(),
};

export const messageStatusAnswerSchema = z.object(messageStatusFields);

const read = call({
  id: "messageStatus",
  method: "GET",
  path: "/text/message/status",
  tag: "Messages",
  summary: "Read the status of a message",
  description: "A message of another website is unknown.",
  access: { client: "status" },
  database: "client",
  parameters: [
    {
      ...inQuery("messageId", "The id that the send request returned.", { format: "uuid" }),
      ...{ required: true, example: MESSAGE_ID },
    },
  ],
  answers: [
    ok(messageStatusAnswerSchema, "The status of the message.", {
      ...{ messageId: MESSAGE_ID, status: "FAILED_TO_DELIVERY", reason: "UNDELIVERED", updatedAt: TIME },
    }),
  ],
  errors: ["fields-wrong", "resource-unknown"],
  run: async (request, deps) => {
    const given = request.query.messageId;
    const messageId = typeof given === "string" ? toStoredId(given) : "";
    if (messageId === "") failField("messageId", "is required, once, in the query");
    const message = (await readStatuses(deps.db, clientOf(request).websiteId, [messageId])).get(messageId);
    if (!message) throw new RequestFailure({ kind: "resource-unknown", what: "message", hint: explainId(messageId) });
    request.logged = { messageId };
    return { messageId, ...message, updatedAt: toTime(message.updatedAt) };
  },
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** What is wrong with an id that no message can have. */
function explainId(given: string): string | undefined {
  const [uuid] = UUID.exec(given) ?? [];
  if (uuid === given) return undefined;
  return uuid !== undefined && given[uuid.length] === "_"
    ? "This is an eventId: the messageId is the part before the underscore."
    : `A messageId is a UUID, such as ${MESSAGE_ID}.`;
}

export const messageStatus: Resource = { calls: [read], schemas: { MessageStatus: messageStatusAnswerSchema } };
