import * as z from "zod";
import { RequestFailure } from "../domain/failure.ts";
import { cancelOne } from "../flows/messages/hold-messages.ts";
import { authorOf, toStoredId } from "../http/api-request.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID } from "../http/examples.ts";
import { findWaitingMessage } from "../store/messages/holds.ts";
import { operatorCall } from "./operator-call.ts";
import { requireFound } from "./params.ts";

const answers = { CancelledMessage: z.object({ messageId: z.string(), cancelled: z.literal(1) }) };

const cancel = operatorCall({
  id: "cancelMessage",
  method: "POST",
  path: "/operator/messages/:messageId/cancel",
  tag: "Websites",
  summary: "Cancel one waiting message",
  description:
    "A message that waits, held or not, becomes FAILED_TO_SEND, CANCELLED, with its callback. One that does not wait any more, or that a run has claimed, is left alone: 40903. A reply to a keyword is not cancelled.",
  database: "named",
  parameters: [inPath("messageId", "The id that the send request returned.", MESSAGE_ID)],
  answers: [ok(answers.CancelledMessage, "It is cancelled.", { messageId: MESSAGE_ID, cancelled: 1 })],
  errors: ["resource-unknown", "count-changed"],
  command: {
    name: "cancel-message",
    next: ({ messageId }) => `1 message is cancelled, and cannot be sent any more. \`message ${messageId}\` shows it.`,
  },
  run: async (request, deps) => {
    const messageId = toStoredId(request.params.messageId ?? "");
    const { websiteId, waits } = requireFound(await findWaitingMessage(deps.db, messageId), "message");
    if (!waits) throw new RequestFailure({ kind: "count-changed", count: 0 });
    await cancelOne(deps, authorOf(request), messageId, websiteId);
    request.logged = { websiteId, messageId };
    return { messageId, cancelled: 1 as const };
  },
});

export const cancelMessage: Resource = { calls: [cancel], schemas: answers };
