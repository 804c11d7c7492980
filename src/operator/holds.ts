import * as z from "zod";
import type { Deps } from "../deps.ts";
import { failField, RequestFailure } from "../domain/failure.ts";
import { cancelSchema, holdSchema, type MessageFilter, releaseSchema } from "../domain/messages/hold.ts";
import {
  cancelOne,
  cancelWaiting,
  countCancellable,
  holdMessages,
  releaseMessages,
} from "../flows/messages/hold-messages.ts";
import { type ApiRequest, authorOf, toStoredId } from "../http/api-request.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID } from "../http/examples.ts";
import { findClient } from "../store/clients/clients.ts";
import { findWaitingMessage } from "../store/messages/holds.ts";
import { inShell } from "./in-shell.ts";
import { countOf, operatorCall, settingsBody } from "./operator-call.ts";
import { requireFound, requireWebsite, WEBSITE } from "./params.ts";

const more = z
  .literal(true)
  .optional()
  .describe("The call took a minute, and has not looked at all waiting messages: repeat it. Left out otherwise.");

const holdAnswers = {
  HeldMessages: z.object({ held: z.int().describe("How many pending messages are held now.") }),
  ReleasedMessages: z.object({ released: z.int().describe("How many messages are due now."), more }),
  CancelledMessage: z.object({ messageId: z.string(), cancelled: z.literal(1) }),
  CancelledMessages: z.object({
    cancelled: z.int().describe("How many messages are cancelled; with dryRun, how many would be."),
    more,
  }),
};

async function readFilter<T extends typeof holdSchema | typeof cancelSchema | typeof releaseSchema>(
  request: ApiRequest,
  deps: Deps,
  schema: T,
) {
  const { websiteId } = await requireWebsite(request, deps);
  const filter = (await readFields(request, schema, BODY_LIMITS.settings)) as z.output<T> & MessageFilter;
  await requireOwnClient(deps, websiteId, filter);
  return { websiteId, filter };
}

/** A wrong id would hold nothing, and look as if it did. */
async function requireOwnClient(deps: Deps, websiteId: string, { clientId }: MessageFilter): Promise<void> {
  if (clientId === null) return;
  const client = await findClient(deps.db, clientId);
  if (client?.websiteId !== websiteId) failField("clientId", "must be a client of this website");
}

const COMMON = { method: "POST", tag: "Websites", database: "named" } as const;

const OPTIONS = { purpose: { field: "sendPurpose" }, client: { field: "clientId" } };

const MORE = "There are more: repeat it.";

/** A next command for the same messages: without the options, it would be for the whole website. */
function forTheSame(command: string, { websiteId, purpose, client }: Readonly<Record<string, unknown>>): string {
  const options = Object.entries({ purpose, client }).flatMap(([name, value]) =>
    value ? ` --${name} ${inShell(String(value))}` : [],
  );
  return `\`${command} ${websiteId}${options.join("")}\``;
}

const waiting = (count: number) => countOf(count, "waiting message");

const textsOf = (count: number) => `${waiting(count)} ${count === 1 ? "is" : "are"}`;

const hold = operatorCall({
  ...COMMON,
  id: "holdMessages",
  path: "/operator/websites/:websiteId/hold",
  summary: "Hold the waiting messages of a website",
  description:
    "Holds the whole website, one `sendPurpose`, one client, or one of both. Waiting messages are not submitted until they are released. Messages that a run has claimed still go: about 10, at most 20. New messages are accepted, and held. A scheduled message that is covered is held once its time comes. Replies to keywords are not held. A hold does not stop the clock: after `SUBMIT_WITHIN_HOURS` a held message is FAILED_TO_SEND. Who held it and the `reason` are shown with the website and its messages.",
  parameters: [WEBSITE],
  body: settingsBody(holdSchema, { campaign: { sendPurpose: "spring-sale_01", reason: "wrong link" }, website: {} }),
  answers: [ok(holdAnswers.HeldMessages, "The hold is stored.", { held: 1500 })],
  errors: ["resource-unknown", "count-changed"],
  command: {
    name: "hold",
    options: OPTIONS,
    next: ({ held }, given) => `${textsOf(held)} held. ${forTheSame("release", given)} sends them.`,
  },
  run: async (request, deps) => {
    const { websiteId, filter } = await readFilter(request, deps, holdSchema);
    const answer = { held: await holdMessages(deps, authorOf(request), websiteId, filter) };
    request.logged = { websiteId, ...answer };
    return answer;
  },
});

const release = operatorCall({
  ...COMMON,
  id: "releaseMessages",
  path: "/operator/websites/:websiteId/release",
  summary: "Release the held messages of a website",
  description:
    "Ends the hold with the same fields; without any, all holds of the website. Messages that another hold still covers stay held. Several hundred thousand messages take a minute: then the answer has `more`, and the call is to be repeated.",
  parameters: [WEBSITE],
  body: settingsBody(releaseSchema, { campaign: { sendPurpose: "spring-sale_01" }, all: {} }),
  answers: [ok(holdAnswers.ReleasedMessages, "The held messages are due.", { released: 1500 })],
  errors: ["resource-unknown"],
  command: {
    name: "release",
    options: OPTIONS,
    next: ({ released, more }, given) =>
      more
        ? MORE
        : `${textsOf(released)} due now, and sent within a minute. ${forTheSame("hold", given)} stops what has not gone.`,
  },
  run: async (request, deps) => {
    const { websiteId, filter } = await readFilter(request, deps, releaseSchema);
    const { count, more } = await releaseMessages(deps, authorOf(request), websiteId, filter);
    const answer = { released: count, ...(more ? { more } : {}) };
    request.logged = { websiteId, ...answer };
    return answer;
  },
});

const cancel = operatorCall({
  ...COMMON,
  id: "cancelWaitingMessages",
  path: "/operator/websites/:websiteId/cancel",
  summary: "Cancel the waiting messages of a website",
  description:
    "Waiting, held and scheduled messages become FAILED_TO_SEND, with their callbacks. `dryRun` counts them, and changes nothing. Messages that a run has claimed still go, and new messages are accepted: hold first. All waiting messages of the website are looked at, however many other websites have. Several hundred thousand take a minute: then the answer has `more`, and the call is to be repeated.",
  parameters: [WEBSITE],
  body: settingsBody(cancelSchema, { count: { sendPurpose: "spring-sale_01", dryRun: true } }),
  answers: [ok(holdAnswers.CancelledMessages, "They are cancelled, or counted.", { cancelled: 1500 })],
  errors: ["resource-unknown", "count-changed"],
  command: {
    name: "cancel",
    options: OPTIONS,
    next: ({ cancelled, more }, given) => {
      if (given["dry-run"])
        return `${waiting(cancelled)} would be cancelled. Nothing is changed. The same command without --dry-run cancels them, and cannot be undone.`;
      return more
        ? MORE
        : `${textsOf(cancelled)} cancelled. New ones are still accepted: ${forTheSame("hold", given)} stops those.`;
    },
  },
  run: async (request, deps) => {
    const { websiteId, filter } = await readFilter(request, deps, cancelSchema);
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
  answers: [ok(holdAnswers.CancelledMessage, "It is cancelled.", { messageId: MESSAGE_ID, cancelled: 1 })],
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

export const holds: Resource = {
  calls: [hold, release, cancel, cancelMessage],
  schemas: { HoldRequest: holdSchema, ReleaseRequest: releaseSchema, CancelRequest: cancelSchema, ...holdAnswers },
};
