import * as z from "zod";
import { failField, RequestFailure } from "../domain/failure.ts";
import { MESSAGE_STATUSES } from "../domain/messages/message.ts";
import { reasonSchema } from "../domain/messages/reason.ts";
import { readStatuses } from "../store/messages/read-message.ts";
import { clientOf, type Handler, toStoredId } from "./api-request.ts";
import { toTime } from "./time.ts";

export const messageStatusFields = {
  messageId: z.uuid(),
  status: z.enum(MESSAGE_STATUSES),
  reason: reasonSchema,
  updatedAt: z.iso.datetime(),
};

export const messageStatusAnswerSchema = z.object(messageStatusFields);

/** GET /text/message/status?messageId= : a message of another website is unknown. */
export const messageStatusHandler: Handler = async (request, deps) => {
  const given = request.query.messageId;
  const messageId = typeof given === "string" ? toStoredId(given) : "";
  if (messageId === "") failField("messageId", "is required, once, in the query");
  const message = (await readStatuses(deps.db, clientOf(request).websiteId, [messageId])).get(messageId);
  if (!message) throw new RequestFailure({ kind: "resource-unknown", what: "message" });
  request.logged = { messageId };
  const answer: z.output<typeof messageStatusAnswerSchema> = {
    messageId,
    ...message,
    updatedAt: toTime(message.updatedAt),
  };
  return Response.json(answer);
};
