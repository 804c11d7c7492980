import * as z from "zod";
import { cancelRequestSchema } from "../domain/messages/cancel-request.ts";
import { ignoredFieldsShape } from "../domain/messages/ignored-fields.ts";
import { MESSAGE_STATUSES } from "../domain/messages/message.ts";
import { echoId } from "../domain/people/echo.ts";
import { cancelOfClient } from "../flows/messages/cancel-messages.ts";
import { clientOf, distinctIds } from "./api-request.ts";
import { BODY_LIMITS, readFields } from "./body.ts";
import { call, jsonBody, ok, type Resource } from "./call.ts";
import { CLICK_ID, MESSAGE_ID } from "./examples.ts";

export const cancelAnswerSchema = z.object({
  cancelled: z
    .array(z.string())
    .describe("Their status is FAILED_TO_SEND, with the reason CANCELLED: they are not sent, and never will be."),
  notCancelled: z.array(
    z.object({
      messageId: z.string(),
      status: z.enum(MESSAGE_STATUSES).nullable().describe("null: the website has no such message."),
    }),
  ),
  ...ignoredFieldsShape,
});

const cancel = call({
  id: "cancelMessages",
  method: "POST",
  path: "/text/message/cancel",
  tag: "Messages",
  summary: "Cancel messages",
  description:
    "Cancels pending messages: scheduled ones, and those that are in the queue or wait for a retry. A message is not cancelled once its submission has begun, because it may arrive. Each distinct id appears once. Safe to repeat.",
  access: { client: "send" },
  database: "client",
  body: jsonBody(cancelRequestSchema, BODY_LIMITS.ids, {
    one: { messageId: MESSAGE_ID },
    several: { messageIds: [MESSAGE_ID, CLICK_ID] },
  }),
  answers: [
    ok(cancelAnswerSchema, "The ids that are cancelled, and those that are not.", {
      cancelled: [MESSAGE_ID],
      notCancelled: [{ messageId: CLICK_ID, status: "DELIVERED" }],
    }),
  ],
  run: async (request, deps) => {
    const given = distinctIds(await readFields(request, cancelRequestSchema, BODY_LIMITS.ids));
    const ids = [...given.keys()];
    const { cancelled, notCancelled } = await cancelOfClient(deps, clientOf(request).websiteId, ids);
    request.logged = { count: ids.length, cancelled: cancelled.length };
    const echo = (id: string) => echoId(given.get(id) ?? id);
    return {
      cancelled,
      notCancelled: notCancelled.map(({ messageId, status }) => ({
        messageId: status === null ? echo(messageId) : messageId,
        status,
      })),
    };
  },
});

export const cancelMessages: Resource = {
  calls: [cancel],
  schemas: { CancelRequest: cancelRequestSchema, CancelAnswer: cancelAnswerSchema },
};
