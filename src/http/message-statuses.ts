import * as z from "zod";
import { ignoredFieldsShape } from "../domain/messages/ignored-fields.ts";
import { messageIdsSchema } from "../domain/messages/message-ids.ts";
import { echoId } from "../domain/people/echo.ts";
import { readStatuses } from "../store/messages/read-message.ts";
import { clientOf, distinctIds } from "./api-request.ts";
import { BODY_LIMITS, readFields } from "./body.ts";
import { call, jsonBody, ok, type Resource } from "./call.ts";
import { CLICK_ID, MESSAGE_ID, TIME } from "./examples.ts";
import { messageStatusFields } from "./message-status.ts";
import { toTime } from "./time.ts";

export const messageStatusesAnswerSchema = z.object({
  messages: z.array(z.object(messageStatusFields)),
  unknownMessageIds: z.array(z.string()),
  ...ignoredFieldsShape,
});

const read = call({
  id: "messageStatuses",
  method: "POST",
  path: "/text/message/statuses",
  tag: "Messages",
  summary: "Read the statuses of many messages",
  description:
    "Each distinct id appears once, in order of first appearance: in `messages`, or as it was given in `unknownMessageIds`. A message of another website is unknown. Safe to repeat.",
  access: { client: "status" },
  database: "client",
  body: jsonBody(messageIdsSchema, BODY_LIMITS.ids, { two: { messageIds: [MESSAGE_ID, CLICK_ID] } }),
  answers: [
    ok(messageStatusesAnswerSchema, "The statuses of the messages.", {
      messages: [{ messageId: MESSAGE_ID, status: "DELIVERED", reason: null, updatedAt: TIME }],
      unknownMessageIds: [CLICK_ID],
    }),
  ],
  run: async (request, deps) => {
    const { messageIds } = await readFields(request, messageIdsSchema, BODY_LIMITS.ids);
    const given = distinctIds(messageIds);
    const ids = [...given.keys()];
    const found = await readStatuses(deps.db, clientOf(request).websiteId, ids);
    request.logged = { count: ids.length };
    return {
      messages: ids.flatMap((messageId) => {
        const message = found.get(messageId);
        return message ? { messageId, ...message, updatedAt: toTime(message.updatedAt) } : [];
      }),
      unknownMessageIds: ids.filter((id) => !found.has(id)).map((id) => echoId(given.get(id) ?? id)),
    };
  },
});

export const messageStatuses: Resource = {
  calls: [read],
  schemas: { MessageIds: messageIdsSchema, MessageStatuses: messageStatusesAnswerSchema },
};
