// What an operator sees around a message.
import * as z from "zod";
import { MESSAGE_STATUSES } from "../../domain/messages/message.ts";
import { MESSAGE_ID, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { MessageContext, Neighbor } from "../../store/messages/message-context.ts";
import { CHANGE_SOURCES } from "../../store/rows.ts";
import { MESSAGE, operatorMessageSchema } from "./message.ts";

const neighborSchema = z
  .object({
    messageId: z.uuid(),
    acceptedAt: z.iso.datetime(),
    sendPurpose: z.string(),
    status: z.enum(MESSAGE_STATUSES),
  })
  .nullable();

/** A message with what stands around it. */
export const storySchema = operatorMessageSchema.extend({
  endsAt: z.iso.datetime().nullable().describe("When it is given up, held or not; null: it is not PENDING_TO_SEND."),
  consent: z
    .object({
      subscribed: z.boolean(),
      since: z.iso.datetime().nullable().describe("null: nobody had subscribed the number, or opted it out."),
      source: z.enum(CHANGE_SOURCES).nullable(),
      proof: z.string().nullable().describe("The id of the request or of the import, or the text."),
      changeId: z.int().nullable().describe("The row of the ledger."),
      consentedAt: z.iso.datetime().nullable().describe("When the person agreed, as a client or an import sent it."),
      evidence: z.string().nullable().describe("The evidence of the consent, as a client or an import sent it."),
    })
    .nullable()
    .describe("The state in the ledger when the message was accepted. null: no number was found for the address."),
  before: neighborSchema.describe("The latest text before it from the website to the same number."),
  after: neighborSchema.describe("The first text after it."),
});

const CONSENT = { consentedAt: TIME, evidence: "Loyalty card form, box ticked" };

export const STORY = {
  ...MESSAGE,
  endsAt: null,
  consent: { subscribed: true, since: TIME, source: "import", proof: MESSAGE_ID, changeId: 7, ...CONSENT },
  before: null,
  after: null,
} satisfies z.output<typeof storySchema>;

export function contextView({ consent, before, after }: MessageContext) {
  return {
    consent: consent && { ...consent, since: toTime(consent.since), consentedAt: toTime(consent.consentedAt) },
    before: neighborView(before),
    after: neighborView(after),
  };
}

const neighborView = (neighbor: Neighbor | null) =>
  neighbor && { ...neighbor, acceptedAt: toTime(neighbor.acceptedAt) };
