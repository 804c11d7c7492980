import * as z from "zod";
import { WEBSITE_ID } from "../domain/clients/website.ts";
import { failField } from "../domain/failure.ts";
import { strip } from "../domain/people/invisible.ts";
import { toDigits } from "../domain/people/phone.ts";
import { mergePages } from "../flows/databases/ask-each.ts";
import { inEach } from "../flows/databases/places.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { listWebsiteIds } from "../store/messages/find-messages.ts";
import { listScheduled, type ScheduledMessage } from "../store/messages/list-scheduled.ts";
import type { KeptPlace } from "../store/messages/scheduled.ts";
import { missingShape } from "./answers.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, readPhone, readWebsiteId } from "./params.ts";
import { factsView, foundMessageSchema, MESSAGE } from "./views/message.ts";

const scheduledAnswers = {
  ScheduledMessages: z.object({
    messages: z.array(foundMessageSchema),
    next: z.string().nullable().describe("The `cursor` of the next page; null: there are no more."),
    ...missingShape,
  }),
};

const { events: _, callbacks: _2, clicks: _3, callbackData: _4, submissions: _5, ...others } = MESSAGE;
const { clientName: _6, ignoredFields: _7, ...FACTS } = others;

const list = operatorCall({
  id: "listScheduled",
  method: "GET",
  path: "/operator/scheduled",
  tag: "Messages",
  summary: "List what is scheduled",
  description:
    "Messages that are kept for their `sendAt`, the soonest first, 100 per page. Three minutes before its time, a message leaves this list, and is found among the messages. `cancel` ends it before.",
  parameters: [
    inQuery("website", "Only of this website.", { pattern: WEBSITE_ID.source }),
    inQuery("phone", "Only to this number: E.164."),
    inQuery("cursor", "The `next` of the page before."),
  ],
  answers: [
    ok(scheduledAnswers.ScheduledMessages, "One page.", {
      messages: [
        {
          ...FACTS,
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
    // A plus sign that is not escaped comes as a space.
    const text = request.query.phone ? strip(String(request.query.phone).replace(/^ (?=\d)/, "+")) : null;
    const phone = text === null ? null : Number(toDigits(readPhone(text)));
    const { items, next, missing } = await mergePages(
      inEach(deps),
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
      messages: items.map(({ hold, websiteName, ...message }) => ({
        ...factsView(message, hold, deps.now()),
        websiteName,
      })),
      next,
      ...missing,
    };
  },
});

/** mergePages takes the latest first, and the soonest are first here: the times count backwards. */
function toPart(messages: ScheduledMessage[]) {
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
    /^(\d{1,15})_([0-9a-f-]{36})$/.exec(cursor) ?? failField("cursor", "must be a `next`");
  return { sendAt: Number(sendAt), messageId };
}

export const scheduled: Resource = { calls: [list], schemas: scheduledAnswers };
