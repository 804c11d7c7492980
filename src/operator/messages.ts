import * as z from "zod";
import type { Deps } from "../deps.ts";
import type { Website } from "../domain/clients/website.ts";
import { failField, readTogether } from "../domain/failure.ts";
import { MESSAGE_STATUSES } from "../domain/messages/message.ts";
import { REASONS } from "../domain/messages/reason.ts";
import { strip } from "../domain/people/invisible.ts";
import { toDigits } from "../domain/people/phone.ts";
import { mergePages } from "../flows/databases/ask-each.ts";
import { inDatabaseOf, inEach, whereToLook } from "../flows/databases/places.ts";
import { type ApiRequest, toStoredId } from "../http/api-request.ts";
import { inPath, inQuery, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID } from "../http/examples.ts";
import { findWebsite } from "../store/clients/websites.ts";
import {
  findMessages,
  listWebsiteIds,
  type MessagePlace,
  type MessageSearch,
} from "../store/messages/find-messages.ts";
import { readMessage } from "../store/messages/read-message.ts";
import { type Answers, missingShape } from "./answers.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, readChoice, readPhone, readTime, requireFound } from "./params.ts";
import { factsView, foundMessageSchema, MESSAGE, messageView, operatorMessageSchema } from "./views/message.ts";

const messageAnswers = {
  OperatorMessage: operatorMessageSchema,
  FoundMessages: z.object({
    messages: z.array(foundMessageSchema),
    next: z
      .string()
      .nullable()
      .describe("The `cursor` of the next page, which may have older ones; null: there are none."),
    ...missingShape,
  }),
};

export type MessageAnswers = Answers<typeof messageAnswers>;

const { events: _, callbacks: _2, clicks: _3, callbackData: _4, submissions: _5, ...others } = MESSAGE;
const { websiteName: _6, clientName: _7, ignoredFields: _8, ...FACTS } = others;

const find = operatorCall({
  id: "findMessages",
  method: "GET",
  path: "/operator/messages",
  tag: "People",
  summary: "Find messages",
  description:
    "By any of these; without a `website`, a `phone` is needed, of all websites. Newest first, 100 per page. One page looks through at most 10,000 messages, so it may have fewer, or none, and `next` all the same.",
  parameters: [
    inQuery("website", "The id of a website."),
    inQuery("phone", "E.164."),
    inQuery("person", "In place of `phone`: the `personId` of an answer."),
    inQuery(
      "email",
      "Messages to this address that found no number, and messages to the numbers that have it now. With a `website`.",
    ),
    inQuery("status", "A status.", { enum: [...MESSAGE_STATUSES] }),
    inQuery("reason", "A reason.", { enum: [...REASONS] }),
    inQuery("purpose", "The `sendPurpose`."),
    inQuery("client", "The id of a client."),
    inQuery("from", "Accepted at this time or later.", { format: "date-time" }),
    inQuery("until", "Accepted before this time.", { format: "date-time" }),
    inQuery("cursor", "The `next` of the page before."),
  ],
  answers: [ok(messageAnswers.FoundMessages, "One page.", { messages: [FACTS], next: null })],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "messages",
    columns: {
      messages: [
        ...["acceptedAt", "status", "phone", "email", "websiteId", "sendPurpose", "carrierMessageId"],
        ...["messageId", "reason", "reasonDetail"],
      ],
    },
  },
  run: async (request, deps) => {
    const { website, search } = await readSearch(request, deps);
    const cursor = String(request.query.cursor ?? "");
    const read = async ({ db }: Deps, from: string) => {
      const websiteIds = website === undefined ? await listWebsiteIds(db) : [website.websiteId];
      const { messages, next } = await findMessages(db, { ...search, websiteIds, before: readCursor(from) }, PAGE);
      const items = messages.map((item) => ({ item, at: item.acceptedAt, cursor: writeCursor(item.place) }));
      return { items, next: next && writeCursor(next) };
    };
    const databases = website === undefined ? inEach(deps) : [await whereToLook(deps, website.home, website.database)];
    const { items, next, missing } = await mergePages(databases, cursor, PAGE, read);
    request.logged = { found: items.length };
    return {
      messages: items.map(({ hold, place: _, ...message }) => factsView(message, hold, deps.now())),
      next,
      ...missing,
    };
  },
});

const writeCursor = ({ acceptedAt, row }: MessagePlace) => `${acceptedAt}-${row}`;

interface Asked {
  /** undefined: any. */
  website: Website | undefined;
  search: Omit<MessageSearch, "websiteIds" | "before">;
}

async function readSearch(request: ApiRequest, deps: Deps): Promise<Asked> {
  const { website, phone, email } = request.query;
  // A plus sign that is not escaped comes as a space.
  const text = phone ? strip(String(phone).replace(/^ (?=\d)/, "+")) : undefined;
  const search = readTogether({
    phone: () => {
      if (!website && !text)
        failField("website", "name a website, or a phone: without both, all messages would be read");
      return text === undefined ? undefined : toDigits(readPhone(text));
    },
    email: () => (email ? String(email).trim().toLowerCase() : undefined),
    status: () => readChoice(request, "status", MESSAGE_STATUSES),
    reason: () => readChoice(request, "reason", REASONS),
    sendPurpose: () => (request.query.purpose ? String(request.query.purpose) : undefined),
    clientId: () => (request.query.client ? toStoredId(String(request.query.client)) : undefined),
    from: () => readTime(request, "from", 0),
    until: () => readTime(request, "until", Number.MAX_SAFE_INTEGER),
  });
  return { website: website ? await requireKnown(deps, String(website)) : undefined, search };
}

async function requireKnown(deps: Deps, websiteId: string): Promise<Website> {
  const { db } = await inDatabaseOf(deps, { websiteId }, true);
  return (await findWebsite(db, websiteId)) ?? failField("website", "is unknown");
}

function readCursor(cursor: string): MessagePlace | null {
  if (cursor === "") return null;
  const [, acceptedAt, row] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? failField("cursor", "must be a `next`");
  return { acceptedAt: Number(acceptedAt), row: Number(row) };
}

const get = operatorCall({
  id: "getMessage",
  method: "GET",
  path: "/operator/messages/:messageId",
  tag: "People",
  summary: "Read a message, its submissions, events and callbacks",
  description: "A message is kept for `RETENTION_DAYS`; after that it is unknown.",
  database: "named",
  parameters: [inPath("messageId", "The id that the send request returned.", MESSAGE_ID)],
  answers: [
    ok(
      messageAnswers.OperatorMessage,
      "The message, its events in order, and the responses to its callbacks.",
      MESSAGE,
    ),
  ],
  errors: ["resource-unknown"],
  command: { name: "message" },
  run: async (request, deps) => {
    const messageId = toStoredId(request.params.messageId ?? "");
    const found = await readMessage(deps.db, messageId);
    return messageView(requireFound(found, "message"), deps.now());
  },
});

export const messages: Resource = { calls: [find, get], schemas: messageAnswers };
