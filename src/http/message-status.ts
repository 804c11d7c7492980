import * as z from "zod";
import { failField, RequestFailure } from "../domain/failure.ts";
import { MESSAGE_STATUSES, type MessageStatus } from "../domain/message.ts";
import { readMessage } from "../platform/store/messages.ts";
import { clientOf, type Handler } from "./api-request.ts";
import { toTime } from "./operator-views.ts";

export const messageStatusAnswerSchema = z.object({
  messageId: z.uuid(),
  status: z.enum(MESSAGE_STATUSES),
  updatedAt: z.iso.datetime(),
});

/** GET /text/message/status?messageId= : another website's message is as unknown as one that never was. */
export const messageStatus: Handler = async (request, deps) => {
  const { messageId } = request.query;
  if (typeof messageId !== "string" || messageId === "") failField("messageId", "is required, once, in the query");
  const message = await readMessage(deps.db, messageId);
  if (!message || message.website_id !== clientOf(request).websiteId) {
    throw new RequestFailure({ kind: "resource-unknown", what: "message" });
  }
  request.logged = { messageId };
  const answer: z.output<typeof messageStatusAnswerSchema> = {
    messageId,
    status: message.status as MessageStatus,
    updatedAt: toTime(message.updated_at) ?? "",
  };
  return Response.json(answer);
};
