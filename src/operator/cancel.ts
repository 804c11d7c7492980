import * as z from "zod";
import { RequestFailure } from "../domain/failure.ts";
import { cancelSchema } from "../domain/messages/hold.ts";
import { cancelOne, cancelWaiting, countCancellable } from "../flows/messages/cancel-waiting.ts";
import { authorOf, toStoredId } from "../http/api-request.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID } from "../http/examples.ts";
import { findWaitingMessage } from "../store/messages/find-waiting.ts";
import { moreShape } from "./answers/holds.ts";
import { countOf, operatorCall, settingsBody } from "./operator-call.ts";
import { requireFound, WEBSITE } from "./params.ts";
import { forTheSame, OF_WEBSITE, REPEAT, readScope, SCOPE_OPTIONS, sayWaiting } from "./scope.ts";

const cancelAnswers = {
  CancelledMessage: z.object({ messageId: z.string(), cancelled: z.literal(1) }),
  CancelledMessages: z.object({
    cancelled: z.int().describe("How many messages are cancelled; with dryRun, how many would be."),
    ...moreShape,
  }),
};

const cancelAll = operatorCall({
  ...OF_WEBSITE,
  id: "cancelWaitingMessages",
  path: "/operator/websites/:websiteId/cancel",
  summary: "Cancel the waiting messages of a website",
  description:
    "Waiting, held and scheduled messages become FAILED_TO_SEND, with their callbacks. `dryRun` counts them, and changes nothing. Messages that a run has claimed still go, and new messages are accepted: hold first. All waiting messages of the website are looked at, however many other websites have. Several hundred thousand take a minute: then the answer has `more`, and the call is to be repeated.",
  parameters: [WEBSITE],
  body: settingsBody(cancelSchema, { count: { sendPurpose: "spring-sale_01", dryRun: true } }),
  answers: [ok(cancelAnswers.CancelledMessages, "They are cancelled, or counted.", { cancelled: 1500 })],
  errors: ["resource-unknown", "count-changed"],
  command: {
    name: "cancel",
    options: SCOPE_OPTIONS,
    next: ({ cancelled, more }, given) => {
      if (given["dry-run"])
        return `${countOf(cancelled, "waiting message")} would be cancelled. Nothing is changed. The same command without --dry-run cancels them, and cannot be undone.`;
      return more
        ? REPEAT
        : `${sayWaiting(cancelled)} cancelled. New ones are still accepted: ${forTheSame("hold", given)} stops those.`;
    },
  },
  run: async (request, deps) => {
    const { websiteId, given: filter } = await readScope(request, deps, cancelSchema);
    const { count, more } = filter.dryRun
      ? { count: await countCancellable(deps.db, websiteId, filter), more: false }
      : await cancelWaiting(deps, authorOf(request), websiteId, filter);
    const answer = { cancelled: count, ...(more ? { more } : {}) };
    request.logged = { websiteId, dryRun: filter.dryRun, ...answer };
    return answer;
  },
});

const cancelMessage = operatorCall({
  id: "cancelMessage",
  method: "POST",
  path: "/operator/messages/:messageId/cancel",
  tag: "Websites",
  summary: "Cancel one waiting message",
  description:
    "A message that waits, held or not, or is scheduled, becomes FAILED_TO_SEND, CANCELLED, with its callback. One that does not wait any more, or that a run has claimed, is left alone: 40903. A reply to a keyword is not cancelled.",
  database: "named",
  parameters: [inPath("messageId", "The id that the send request returned.", MESSAGE_ID)],
  answers: [ok(cancelAnswers.CancelledMessage, "It is cancelled.", { messageId: MESSAGE_ID, cancelled: 1 })],
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

export const cancel: Resource = {
  calls: [cancelAll, cancelMessage],
  schemas: { CancelRequest: cancelSchema, ...cancelAnswers },
};
