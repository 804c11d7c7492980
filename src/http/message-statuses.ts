import * as z from "zod";
import { messageIdsSchema } from "../domain/messages/message-ids.ts";
import { echoId } from "../domain/people/echo.ts";
import { readStatuses } from "../store/messages/read-message.ts";
import { clientOf, type Handler, toStoredId } from "./api-request.ts";
import { BODY_LIMITS, readFields } from "./body.ts";
import { messageStatusFields } from "./message-status.ts";
import { toTime } from "./time.ts";

export const messageStatusesAnswerSchema = z.object({
  messages: z.array(z.object(messageStatusFields)),
  unknownMessageIds: z.array(z.string()),
});

/** POST /text/message/statuses: a message of another website is unknown. */
export const messageStatusesHandler: Handler = async (request, deps) => {
  const { messageIds } = await readFields(request, messageIdsSchema, BODY_LIMITS.ids);
  /** From each distinct id as it is stored to the first form in which it was given. */
  const given = new Map(messageIds.toReversed().map((id) => [toStoredId(id), id]));
  const ids = [...new Set(messageIds.map(toStoredId))];
  const found = await readStatuses(deps.db, clientOf(request).websiteId, ids);
  request.logged = { count: ids.length };
  const answer: z.output<typeof messageStatusesAnswerSchema> = {
    messages: ids.flatMap((messageId) => {
      const message = found.get(messageId);
      return message ? { messageId, ...message, updatedAt: toTime(message.updatedAt) } : [];
    }),
    unknownMessageIds: ids.filter((id) => !found.has(id)).map((id) => echoId(given.get(id) ?? id)),
  };
  return Response.json(answer);
};
