import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { NOTICE_TYPES } from "../../domain/callbacks/callback.ts";
import { MESSAGE_STATUSES } from "../../domain/messages/message.ts";
import { reasonSchema } from "../../domain/messages/reason.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { CLIENT_ID, MESSAGE_ID, PHONE, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { FoundMessage } from "../../store/messages/find-messages.ts";
import type { Erased } from "../../store/people/erasure.ts";
import type { InboundText } from "../../store/people/inbound.ts";
import { readRecords, type StoredNotice } from "../../store/people/person-records.ts";
import type { Person, SubscriptionEntry } from "../../store/people/subscriptions.ts";
import { CHANGE_SOURCES } from "../../store/rows.ts";
import { type Answers, callbackSchema, missingShape, personIdShape } from "../answers.ts";
import { INBOUND_TEXT, inboundTextSchema, textView, websiteOfTextSchema } from "../inbound.ts";
import { CLICKED_AT, MESSAGE, messageView, operatorMessageSchema } from "./message.ts";

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

const personSchema = z.object({
  phone: z.string(),
  ...personIdShape,
  subscribed: z.boolean(),
  email: z.string().nullable(),
  optedOutByPerson: z.boolean().describe("The person opted out: only a START undoes it."),
  optOutConfirmedAt: z.iso.datetime().nullable(),
  changes: z.array(changeSchema),
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
  messageCount: z
    .int()
    .describe("The messages to the number, scheduled ones too, and those to its address: an erasure erases them."),
});

const messageSchema = z.object({
  messageId: z.uuid(),
  websiteId: z.string(),
  acceptedAt: z.iso.datetime(),
  status: z.enum(MESSAGE_STATUSES),
  reason: reasonSchema,
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
    changeSchema.extend({
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

export const PERSON = {
  phone: PHONE,
  subscribed: false,
  email: "ada@example.com",
  optedOutByPerson: true,
  optOutConfirmedAt: TIME,
  changes: [
    {
      changeId: 7,
      from: true,
      to: false,
      addressChanged: false,
      at: TIME,
      source: "keyword",
      proof: INBOUND_TEXT.text,
    },
  ],
  texts: [INBOUND_TEXT],
} satisfies Omit<PeopleAnswers["Person"], "messageCount">;

export const EVERYWHERE = {
  phone: PHONE,
  websites: [{ websiteId: "brand", websiteName: "The Brand", ...PERSON, messageCount: 1 }],
  messages: [
    {
      ...{ messageId: MESSAGE_ID, websiteId: "brand", acceptedAt: TIME, status: "DELIVERED", reason: null },
      ...{ sendPurpose: "spring-sale_01", text: "Brand: hello", clickedAt: null },
    },
  ],
} satisfies PeopleAnswers["PersonEverywhere"];

export const EXPORT = {
  phone: PHONE,
  exportedAt: TIME,
  websites: [
    {
      ...{ websiteId: "brand", ...PERSON, messages: [MESSAGE], isCut: false },
      duplicateKeys: [{ messageId: MESSAGE_ID, expiresAt: TIME }],
      notices: [
        {
          ...{ noticeId: "a-notice", clientId: CLIENT_ID, type: "message.received", occurredAt: TIME, callback: null },
          body: { from: PHONE, to: INBOUND_TEXT.to, text: INBOUND_TEXT.text },
        },
      ],
    },
  ],
} satisfies PeopleAnswers["PersonExport"];

export function changeView({
  wasSubscribed,
  subscribed,
  changedAt,
  consentedAt,
  emailBefore: _,
  ...entry
}: SubscriptionEntry) {
  const change = { from: wasSubscribed, to: subscribed, at: toTime(changedAt), ...entry };
  return consentedAt ? { ...change, consentedAt: toTime(consentedAt) } : change;
}

/** @param person undefined for a number that was never subscribed or opted out */
export function personView(phone: string, person: Person | undefined, texts: InboundText[]) {
  return {
    phone,
    subscribed: person?.subscribed ?? false,
    email: person?.email ?? null,
    optedOutByPerson: person?.optedOutByPerson ?? false,
    optOutConfirmedAt: toTime(person?.optOutConfirmedAt ?? null),
    changes: (person?.changes ?? []).map(changeView),
    texts: texts.map(textView),
  };
}

export function erasedView(erased: Erased[]) {
  if (erased.length === 0) return {};
  const views = erased.map(({ websiteId, lastStopAt }) => ({ websiteId, lastStopAt: toTime(lastStopAt) }));
  return { erased: views };
}

export function sentView(message: FoundMessage): PeopleAnswers["PersonEverywhere"]["messages"][number] {
  const { messageId, websiteId, acceptedAt, status, reason, sendPurpose, text, clickedAt } = message;
  const times = { acceptedAt: toTime(acceptedAt), clickedAt: toTime(clickedAt) };
  return { messageId, websiteId, ...times, status, reason, sendPurpose, text };
}

export async function readWebsite(deps: Deps, websiteId: string, phone: string) {
  const records = await readRecords(deps.db, websiteId, toDigits(phone), phone);
  const { person, messages, texts, notices, duplicateKeys, isCut } = records;
  return {
    websiteId: websiteId || null,
    ...personView(phone, person, texts),
    changes: (person?.changes ?? []).map(({ emailBefore, ...change }) => ({
      ...changeView(change),
      ...(emailBefore === undefined ? {} : { emailBefore }),
    })),
    messages: messages.map((message) => messageView(message, deps.now())),
    notices: notices.map(noticeView),
    duplicateKeys: duplicateKeys.map(({ messageId, expiresAt }) => ({ messageId, expiresAt: toTime(expiresAt) })),
    isCut,
  };
}

function noticeView({ occurredAt, callback, ...notice }: StoredNotice) {
  const attempt = callback && { ...callback, attemptedAt: toTime(callback.attemptedAt) };
  return { ...notice, occurredAt: toTime(occurredAt), callback: attempt };
}
