import * as z from "zod";
import { WEBSITE_ID } from "../domain/clients/website.ts";
import { failField } from "../domain/failure.ts";
import { toDigits } from "../domain/people/phone.ts";
import { mergePages } from "../flows/databases/ask-each.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { type FoundMessage, listWebsiteIds } from "../store/messages/find-messages.ts";
import { listScheduled } from "../store/messages/list-scheduled.ts";
import type { KeptPlace } from "../store/messages/scheduled.ts";
import { foundMessageSchema } from "./answers/messages.ts";
import { missingShape } from "./answers.ts";
import { operatorCall } from "./operator-call.ts";
import { givenPhone, PAGE, readPhone, readWebsiteId } from "./params.ts";
import { FOUND_MESSAGE, foundView } from "./views/message.ts";

const scheduledAnswers = {
  ScheduledMessages: z.object({
    messages: z.array(foundMessageSchema),
    next: z.string().nullable().describe("The `cursor` of the next page; null: there are no more."),
    ...missingShape,
  }),
};

const list = operatorCall({
  id: "listScheduled",
  method: "GET",
  path: "/operator/scheduled",
  tag: "Messages",
  summary: "List scheduled messages",
  description:
    "Messages that are kept for their `sendAt`, the soonest first, 100 per page. Seven minutes before its time, a message leaves this list, and is found among the messages. `cancel` ends it before.",
  parameters: [
    inQuery("website", "Only of this website.", { pattern: WEBSITE_ID.source }),
    inQuery("phone", "Only to this number: E.164."),
    inQuery("cursor", "The `next` of the page before."),
  ],
  answers: [
    ok(scheduledAnswers.ScheduledMessages, "One page.", {
      messages: [
        {
          ...FOUND_MESSAGE,
          ...{ status: "PENDING_TO_SEND", requestedAt: TIME, scheduledFor: TIME, expiresAt: TIME, updatedAt: TIME },
          ...{ carrier: null, carrierMessageId: null, attempts: 0, claimedAt: null },
          waits: { until: TIME, because: "its sendAt" },
        },
      ],
      next: null,
    }),
  ],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "scheduled",
    columns: { messages: ["scheduledFor", "phone", "email", "websiteId", "sendPurpose", "messageId"] },
  },
  run: async (request, deps) => {
    const websiteId = await readWebsiteId(request, deps);
    const given = givenPhone(request);
    const phone = given === undefined ? null : toDigits(readPhone(given));
    const { items, next, missing } = await mergePages(
      deps,
      String(request.query.cursor ?? ""),
      PAGE,
      async ({ db }, from) => {
        const asked = websiteId === null ? null : [websiteId];
        const websiteIds = asked ?? (phone === null ? null : await listWebsiteIds(db));
        return toPart(await listScheduled(db, { websiteIds, phone }, readCursor(from), PAGE));
      },
    );
    request.logged = { found: items.length };
    return {
      messages: items.map((message) => foundView(message, deps.now())),
      next,
      ...missing,
    };
  },
});

/** mergePages takes the latest first, and the soonest are first here: the times count backwards. */
function toPart(messages: FoundMessage[]) {
  const items = messages.map((item) => {
    const sendAt = item.scheduledFor ?? 0;
    return { item, at: -sendAt, cursor: `${sendAt}_${item.messageId}` };
  });
  const last = items.length === PAGE ? items.at(-1) : undefined;
  return { items, next: last ? { at: last.at, cursor: last.cursor } : null };
}

function readCursor(cursor: string): KeptPlace | null {
  if (cursor === "") return null;
  const [, sendAt, messageId = ""] =
    /^(\d{1,15})_([0-9a-f-]{36})$/.exec(cursor) ?? failField("cursor", "must be the `next` of an earlier page");
  return { sendAt: Number(sendAt), messageId };
}

export const scheduled: Resource = { calls: [list], schemas: scheduledAnswers };
