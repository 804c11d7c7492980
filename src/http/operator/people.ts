import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { NOTICE_TYPES } from "../../domain/callbacks/callback.ts";
import { MESSAGE_STATUSES } from "../../domain/messages/message.ts";
import { reasonSchema } from "../../domain/messages/reason.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { askEach, type Missing } from "../../flows/databases/ask-each.ts";
import { inEach } from "../../flows/databases/places.ts";
import { erase, eraseEverywhere } from "../../flows/people/erasure-tombstones.ts";
import { findPerson, inWebsitesOf, readInWebsite } from "../../flows/people/find-person.ts";
import type { StoredMessage } from "../../store/messages/read-message.ts";
import type { InboundText } from "../../store/people/inbound.ts";
import { readRecords, type StoredNotice } from "../../store/people/person-records.ts";
import { isKnownIn } from "../../store/people/person-tables.ts";
import { type Person, removeEmail, type SubscriptionEntry } from "../../store/people/subscriptions.ts";
import { CHANGE_SOURCES } from "../../store/rows.ts";
import { authorOf, type Handler } from "../api-request.ts";
import { toTime } from "../time.ts";
import { type Answers, callbackSchema, missingShape } from "./answers.ts";
import { inboundTextSchema, textView, websiteOfTextSchema } from "./inbound.ts";
import { messageView, operatorMessageSchema } from "./messages.ts";
import { PAGE, requireFound, requirePhone, requireWebsite } from "./params.ts";

const changeSchema = z.object({
  from: z.boolean().nullable().describe("null: unknown before."),
  to: z.boolean(),
  at: z.iso.datetime(),
  addressChanged: z.boolean(),
  source: z.enum(CHANGE_SOURCES),
  proof: z.string().describe("The id of the request or of the import, or the text."),
});

const personSchema = z.object({
  phone: z.string(),
  subscribed: z.boolean(),
  email: z.string().nullable(),
  optedOutByPerson: z.boolean().describe("The person opted out: only a START undoes it."),
  optOutConfirmedAt: z.iso.datetime().nullable(),
  changes: z.array(changeSchema),
  texts: z.array(inboundTextSchema),
});

const messageSchema = z.object({
  messageId: z.uuid(),
  websiteId: z.string(),
  acceptedAt: z.iso.datetime(),
  status: z.enum(MESSAGE_STATUSES),
  reason: reasonSchema,
  sendPurpose: z.string(),
  text: z.string(),
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
  messages: z.array(operatorMessageSchema),
  notices: z.array(noticeSchema).describe("What clients were told of the person."),
  duplicateKeys: z
    .array(z.object({ messageId: z.uuid(), expiresAt: z.iso.datetime() }))
    .describe("By which a message to the number is known as a duplicate."),
  isCut: z.boolean().describe("There are more than 5,000 messages, texts or notices: these are the latest of them."),
});

export const peopleAnswers = {
  Person: personSchema,
  PersonEverywhere: z.object({
    phone: z.string(),
    websites: z.array(personSchema.extend({ websiteId: websiteOfTextSchema })),
    messages: z.array(messageSchema).describe("The latest 100 to this number, newest first."),
    ...missingShape,
  }),
  PersonExport: z.object({
    phone: z.string(),
    exportedAt: z.iso.datetime(),
    websites: z.array(recordsSchema),
    ...missingShape,
  }),
  EmailRemoval: z.object({ phone: z.string(), email: z.null() }),
  Erasure: z.object({ phone: z.string(), erasedMessages: z.int() }),
  ErasureEverywhere: z.object({
    phone: z.string(),
    websites: z.array(z.object({ websiteId: websiteOfTextSchema, erasedMessages: z.int() })),
    failed: z.array(websiteOfTextSchema).describe("Nothing is erased there. Repeat the call."),
    ...missingShape,
  }),
};

export type PeopleAnswers = Answers<typeof peopleAnswers>;

function changeView({ wasSubscribed, subscribed, changedAt, ...entry }: SubscriptionEntry) {
  return { from: wasSubscribed, to: subscribed, at: toTime(changedAt), ...entry };
}

/** @param person undefined for a number that was never subscribed or opted out */
function personView(phone: string, person: Person | undefined, texts: InboundText[]): PeopleAnswers["Person"] {
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

/** GET /operator/websites/:websiteId/people/:phone */
export const getPersonHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const phone = requirePhone(request);
  await requireKnown(deps, websiteId, phone);
  const { person, texts } = await readInWebsite(deps, websiteId, phone, PAGE);
  return Response.json(personView(phone, person, texts));
};

type KnownIn = Awaited<ReturnType<typeof readInWebsite>>;

async function requireKnown(deps: Deps, websiteId: string, phone: string): Promise<void> {
  requireFound(await isKnownIn(deps.db, websiteId, toDigits(phone), phone), "number");
}

/** GET /operator/people/:phone */
export const findPersonHandler: Handler = async (request, deps) => {
  const phone = requirePhone(request);
  const toWebsite = ({ websiteId, person, texts }: KnownIn) => ({
    websiteId: websiteId || null,
    ...personView(phone, person, texts),
  });
  const { answers, missing } = await askEach(inEach(deps), (own) => findPerson(own, phone, PAGE));
  const websites = answers.flatMap((found) => found.websites.map(toWebsite)).sort(byWebsite);
  if (!missing.unavailableDatabases) requireFound(websites[0], "number");
  const messages = answers.flatMap((found) => found.messages).sort((a, b) => b.acceptedAt - a.acceptedAt);
  const answer: PeopleAnswers["PersonEverywhere"] = {
    phone,
    websites,
    messages: messages.slice(0, PAGE).map(sentView),
    ...missing,
  };
  return Response.json(answer);
};

/** Texts to no website come last. */
function byWebsite(a: { websiteId: string | null }, b: { websiteId: string | null }): number {
  if (a.websiteId === null || b.websiteId === null) return a.websiteId === null ? 1 : -1;
  return a.websiteId < b.websiteId ? -1 : 1;
}

function sentView(message: StoredMessage): PeopleAnswers["PersonEverywhere"]["messages"][number] {
  const { messageId, websiteId, acceptedAt, status, reason, sendPurpose, text } = message;
  return { messageId, websiteId, acceptedAt: toTime(acceptedAt), status, reason, sendPurpose, text };
}

/** GET /operator/people/:phone/export */
export const exportPersonHandler: Handler = async (request, deps) => {
  const phone = requirePhone(request);
  const { answers, missing } = await askEach(inEach(deps), (own) =>
    inWebsitesOf(own, phone, (websiteId) => readWebsite(own, websiteId, phone)),
  );
  if (!missing.unavailableDatabases) requireFound(answers.flat()[0], "number");
  return exportAnswer(deps, phone, answers.flat(), missing);
};

/** GET /operator/websites/:websiteId/people/:phone/export */
export const exportPersonOfWebsiteHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const phone = requirePhone(request);
  await requireKnown(deps, websiteId, phone);
  return exportAnswer(deps, phone, [await readWebsite(deps, websiteId, phone)]);
};

function exportAnswer(
  deps: Deps,
  phone: string,
  websites: PeopleAnswers["PersonExport"]["websites"],
  missing: Missing = {},
): Response {
  const answer: PeopleAnswers["PersonExport"] = { phone, exportedAt: toTime(deps.now()), websites, ...missing };
  return Response.json(answer);
}

async function readWebsite(deps: Deps, websiteId: string, phone: string) {
  const records = await readRecords(deps.db, websiteId, toDigits(phone), phone);
  const { person, messages, texts, notices, duplicateKeys, isCut } = records;
  return {
    websiteId: websiteId || null,
    ...personView(phone, person, texts),
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

/** DELETE /operator/websites/:websiteId/people/:phone/email : an import can only replace an address. */
export const removeEmailHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const phone = requirePhone(request);
  requireFound(await removeEmail(deps.db, authorOf(request), websiteId, toDigits(phone), deps.now()), "number");
  const answer: PeopleAnswers["EmailRemoval"] = { phone, email: null };
  return Response.json(answer);
};

/** DELETE /operator/websites/:websiteId/people/:phone */
export const erasePersonHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const phone = requirePhone(request);
  const erasedMessages = await erase(deps, authorOf(request), websiteId, phone);
  const answer: PeopleAnswers["Erasure"] = { phone, erasedMessages };
  return Response.json(answer);
};

/** DELETE /operator/people/:phone */
export const erasePersonEverywhereHandler: Handler = async (request, deps) => {
  const phone = requirePhone(request);
  const { erased, failed, missing } = await eraseEverywhere(deps, authorOf(request), phone);
  const answer: PeopleAnswers["ErasureEverywhere"] = {
    phone,
    websites: erased.map(({ websiteId, messages }) => ({ websiteId: websiteId || null, erasedMessages: messages })),
    failed: failed.map((websiteId) => websiteId || null),
    ...missing,
  };
  return Response.json(answer);
};
