import * as z from "zod";
import { MESSAGE_EVENT_TYPES } from "../../domain/callbacks/callback.ts";
import { KINDS } from "../../domain/messages/kind.ts";
import { MESSAGE_STATUSES } from "../../domain/messages/message.ts";
import { reasonSchema } from "../../domain/messages/reason.ts";
import { CHANGE_SOURCES } from "../../store/rows.ts";
import { type Answers, callbackSchema, heldSchema, missingShape, personIdShape } from "../answers.ts";

export const heldHoursSchema = z.object({
  opensAt: z.iso.datetime().describe("When they open. The message goes within the 15 minutes after it."),
  zones: z.array(z.string()).describe("The time zones in which the person may be."),
  states: z.array(z.string()).describe("The states or regions in which the person may be, as ISO 3166-2 has them."),
  window: z.string().describe("When the narrowest rule is open, by the clock of the person."),
  source: z.string().describe("The source of that rule."),
});

const submissionSchema = z.object({
  at: z.iso.datetime(),
  attempt: z.int().nullable().describe("null: it was not submitted."),
  outcome: z.string().describe("`accepted`, `refused`, `unknown`, `later`, `limited`, `unauthorized` or `skipped`."),
  reason: z.string().nullable().describe("In words: the carrier's own, or why it was not submitted."),
});

const eventSchema = z.object({
  eventId: z.string(),
  eventType: z.enum(MESSAGE_EVENT_TYPES),
  status: z.enum(MESSAGE_STATUSES).optional().describe("Only `message.status` has it."),
  reason: reasonSchema.optional(),
  occurredAt: z.iso.datetime(),
});

export const operatorMessageSchema = z.object({
  messageId: z.uuid(),
  websiteId: z.string(),
  websiteName: z.string().nullable(),
  clientId: z.string(),
  clientName: z.string().nullable(),
  status: z.enum(MESSAGE_STATUSES),
  reason: reasonSchema,
  reasonDetail: z
    .string()
    .nullable()
    .describe(
      "In words: why the message waits, or the carrier's own, without what they quote, numbers of seven or more digits, and the text of the message.",
    ),
  phone: z.string().nullable(),
  ...personIdShape,
  email: z.string().nullable(),
  text: z.string(),
  mediaUrl: z.string().nullable(),
  clickUrl: z.string().nullable(),
  callbackData: z.string(),
  sendPurpose: z.string(),
  ignoredFields: z
    .array(z.string())
    .nullable()
    .describe("Fields of the request that no send request has; null: it had none."),
  kind: z.enum(KINDS).nullable().describe("null: a reply to a keyword."),
  timeZone: z.string().nullable().describe("The person's time zone, as the client sent it."),
  region: z.string().nullable().describe("The person's region, as the client sent it."),
  encoding: z.enum(["GSM-7", "UCS-2"]).nullable(),
  segments: z.int().nullable(),
  carrier: z.string().nullable(),
  carrierMessageId: z.string().nullable(),
  attempts: z.int(),
  acceptedAt: z.iso.datetime(),
  scheduledFor: z.iso.datetime().nullable().describe("When it may go; null: at once."),
  expiresAt: z.iso
    .datetime()
    .nullable()
    .describe("When it may not go any more; null: `SUBMIT_WITHIN_HOURS` after it may first go."),
  updatedAt: z.iso.datetime(),
  claimedAt: z.iso.datetime().nullable(),
  retryAt: z.iso.datetime().nullable().describe("Not before; null once it has passed."),
  waits: z
    .object({
      until: z.iso.datetime().nullable(),
      because: z.string(),
      held: heldSchema.optional().describe("Who holds it, and why. Left out where nobody does."),
      hours: heldHoursSchema.optional().describe("The sending hours that hold it. Left out where none do."),
    })
    .nullable()
    .describe("Until when a PENDING_TO_SEND message waits, and why. Without a time, it is ready to send."),
  submissions: z.array(submissionSchema).describe("In order: the first, and the latest 19."),
  clicks: z.object({ people: z.int(), robots: z.int(), firstAt: z.iso.datetime().nullable() }),
  events: z.array(eventSchema),
  callbacks: z.array(callbackSchema.extend({ eventId: z.string() })),
});

export const CLICKED_AT = z.iso.datetime().nullable().describe("When a person first clicked; null: nobody has.");

export const foundMessageSchema = operatorMessageSchema
  .omit({
    clientName: true,
    callbackData: true,
    ignoredFields: true,
    submissions: true,
    clicks: true,
    events: true,
    callbacks: true,
  })
  .extend({ clickedAt: CLICKED_AT });

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
      operator: z.string().nullable().describe("Whose import or act it was. null: no operator made the change."),
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

export const messageAnswers = {
  OperatorMessage: storySchema,
  FoundMessages: z.object({
    messages: z.array(foundMessageSchema),
    next: z
      .string()
      .nullable()
      .describe("The `cursor` of the next page, which may have older ones; null: there are none."),
    lookedBackTo: z.iso
      .datetime()
      .nullable()
      .describe("The messages that were accepted since were looked through; null: there are no others."),
    ...missingShape,
  }),
};

export type MessageAnswers = Answers<typeof messageAnswers>;
