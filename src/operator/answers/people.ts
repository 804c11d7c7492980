import * as z from "zod";
import { NOTICE_TYPES } from "../../domain/callbacks/callback.ts";
import { MESSAGE_STATUSES } from "../../domain/messages/message.ts";
import { reasonSchema } from "../../domain/messages/reason.ts";
import { MOST_COUNTED } from "../../domain/people/counting-limits.ts";
import { CHANGE_SOURCES } from "../../store/rows.ts";
import { type Answers, callbackSchema, missingShape, personIdShape } from "../answers.ts";
import { inboundTextSchema, websiteOfTextSchema } from "./inbound.ts";
import { CLICKED_AT, operatorMessageSchema } from "./messages.ts";

export const changeSchema = z.object({
  changeId: z.int().describe("The number of the row in the ledger."),
  from: z.boolean().nullable().describe("null: unknown before."),
  to: z.boolean(),
  at: z.iso.datetime(),
  addressChanged: z.boolean(),
  source: z.enum(CHANGE_SOURCES),
  proof: z.string().describe("The id of the request or of the import, or the text."),
  consentedAt: z.iso.datetime().optional().describe("When the person agreed, as a client or an import sent it."),
  evidence: z.string().optional().describe("The evidence of the consent, as a client or an import sent it."),
});

const personChangeSchema = changeSchema.extend({
  operator: z.string().optional().describe("Whose import or act it was. Left out where no operator made the change."),
});

const personSchema = z.object({
  phone: z.string(),
  ...personIdShape,
  subscribed: z.boolean(),
  email: z.string().nullable(),
  optedOutByPerson: z.boolean().describe("The person opted out: only a START undoes it."),
  optOutConfirmedAt: z.iso.datetime().nullable(),
  faults: z
    .object({
      texts: z.int(),
      code: z.string().describe("The carrier's own code of the latest."),
      unreachableSince: z.iso
        .datetime()
        .nullable()
        .describe("From then on, texts to the number end as FAILED_TO_SEND with `UNREACHABLE`. null: they still go."),
    })
    .nullable()
    .describe(
      "The latest texts in a row that ended with a permanent fault of the number. null: none, or a text was delivered, the person texted, or the number was subscribed again since.",
    ),
  changes: z.array(personChangeSchema),
  texts: z.array(inboundTextSchema),
});

/** What is kept of an erased number. */
const erasedShape = {
  erased: z
    .array(
      z.object({
        websiteId: z.string(),
        lastStopAt: z.iso.datetime().describe("When the person had last opted out."),
      }),
    )
    .optional()
    .describe(
      "Websites that have erased the number of a person who had opted out: it stays opted out there, and only a START brings it back. Left out where none has.",
    ),
};

/** With what an erasure would erase. */
const knownSchema = personSchema.extend({
  messageCount: z.int().describe("The messages to the number and those to its address: an erasure erases them."),
});

const messageSchema = z.object({
  messageId: z.uuid(),
  websiteId: z.string(),
  acceptedAt: z.iso.datetime(),
  status: z.enum(MESSAGE_STATUSES),
  reason: reasonSchema,
  reasonDetail: operatorMessageSchema.shape.reasonDetail,
  sendPurpose: z.string(),
  text: z.string(),
  clickedAt: CLICKED_AT,
});

const noticeSchema = z.object({
  noticeId: z.string(),
  clientId: z.string(),
  type: z.enum(NOTICE_TYPES),
  body: z.record(z.string(), z.unknown()),
  occurredAt: z.iso.datetime(),
  callback: callbackSchema.nullable(),
});

/** All that a website keeps about a person. */
const recordsSchema = personSchema.extend({
  websiteId: websiteOfTextSchema,
  changes: z.array(
    personChangeSchema.extend({
      emailBefore: z.string().optional().describe("The address that an import has replaced: it is kept for an undo."),
    }),
  ),
  messages: z.array(operatorMessageSchema),
  notices: z.array(noticeSchema).describe("The events about the person that were made for clients."),
  duplicateKeys: z
    .array(z.object({ messageId: z.uuid(), expiresAt: z.iso.datetime() }))
    .describe("By which a message to the number is known as a duplicate."),
  isCut: z.boolean().describe("There are more than 5,000 messages, texts or notices: these are the latest of them."),
});

export const peopleAnswers = {
  Person: knownSchema.extend(erasedShape),
  PersonEverywhere: z.object({
    phone: z.string(),
    ...personIdShape,
    websites: z.array(knownSchema.extend({ websiteId: websiteOfTextSchema, websiteName: z.string().nullable() })),
    messages: z.array(messageSchema).describe("The latest 100 to this number, newest first."),
    ...erasedShape,
    ...missingShape,
  }),
  PersonExport: z.object({
    phone: z.string(),
    exportedAt: z.iso.datetime(),
    websites: z.array(recordsSchema),
    ...erasedShape,
    ...missingShape,
  }),
  EmailRemoval: z.object({ phone: z.string(), ...personIdShape, email: z.null() }),
  Reachable: z.object({
    phone: z.string(),
    ...personIdShape,
    websites: z
      .array(z.object({ websiteId: z.string() }))
      .describe("Where permanent faults of the number were stored."),
    ...missingShape,
  }),
  Erasure: z.object({ phone: z.string(), ...personIdShape, erasedMessages: z.int() }),
  ErasureEverywhere: z.object({
    phone: z.string(),
    ...personIdShape,
    websites: z.array(z.object({ websiteId: websiteOfTextSchema, erasedMessages: z.int() })),
    failed: z.array(websiteOfTextSchema).describe("Nothing is erased there. Repeat the call."),
    ...missingShape,
  }),
};

export type PeopleAnswers = Answers<typeof peopleAnswers>;

const foundShape = {
  personId: z.string().describe("Taken wherever a path takes a number, and as `person` in a query."),
  phone: z.string(),
};

export const personIdAnswers = {
  FoundPerson: z.object({
    ...foundShape,
    others: z
      .array(z.object(foundShape))
      .describe("Who else has the `email` that was asked for, the last subscribed first."),
    ...missingShape,
  }),
  RevealedPerson: z.object({ phone: z.string(), emails: z.array(z.string()), ...missingShape }),
};

export type PersonIdAnswers = Answers<typeof personIdAnswers>;

const subscriberSchema = z.object({
  phone: z.string(),
  ...personIdShape,
  email: z.string().nullable(),
  subscribed: z.boolean(),
  since: z.iso.datetime(),
  source: z.enum(CHANGE_SOURCES).describe("The source of the last change."),
});

export const listAnswers = {
  SubscriberPage: z.object({
    total: z
      .int()
      .nullable()
      .describe(
        `How many are subscribed, on the first page; null on the others, and of more than ${MOST_COUNTED} numbers.`,
      ),
    subscribers: z.array(subscriberSchema),
    next: z.string().nullable().describe("The `cursor` of the next page; null: this is the last."),
  }),
};

export type SubscriberListAnswers = Answers<typeof listAnswers>;
