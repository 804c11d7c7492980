import type { Deps } from "../deps.ts";
import type { Website } from "../domain/clients/website.ts";
import { timeOf } from "../domain/databases/home.ts";
import { failField, readTogether } from "../domain/failure.ts";
import { MESSAGE_STATUSES } from "../domain/messages/message.ts";
import { classesIn, SEARCHED_OUTCOMES } from "../domain/messages/outcome-class.ts";
import { REASONS } from "../domain/messages/reason.ts";
import { toDigits } from "../domain/people/phone.ts";
import { mergePages } from "../flows/databases/ask-each.ts";
import { inDatabase, inDatabaseOf } from "../flows/databases/places.ts";
import { type ApiRequest, toStoredId } from "../http/api-request.ts";
import { inPath, inQuery, ok, type Resource, timeInQuery } from "../http/call.ts";
import { MESSAGE_ID } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { findWebsite } from "../store/clients/websites.ts";
import {
  findMessages,
  listWebsiteIds,
  type MessagePlace,
  type MessageSearch,
} from "../store/messages/find-messages.ts";
import { readContext } from "../store/messages/message-context.ts";
import { findNewest } from "../store/messages/newest-messages.ts";
import { readMessage } from "../store/messages/read-message.ts";
import { messageAnswers } from "./answers/messages.ts";
import { exportMessages, FILE_PAGE, MESSAGE_CSV, MOST_FILE_MESSAGES } from "./message-file.ts";
import { countOf, operatorCall } from "./operator-call.ts";
import { givenPhone, PAGE, readChoice, readClientId, readPhone, readTime, requireFound } from "./params.ts";
import { FOUND_MESSAGE, foundView, messageView } from "./views/message.ts";
import { contextView, STORY } from "./views/message-context.ts";

const find = operatorCall({
  id: "findMessages",
  method: "GET",
  path: "/operator/messages",
  tag: "People",
  summary: "Find messages",
  description:
    "By any of these, or the newest of all websites; an `email` needs a `website`. Newest first, 100 per page. One page looks through at most 10,000 messages of each database, so it may have fewer, or none, and `next` all the same: `lookedBackTo` says how far it has looked. `format=csv` answers all pages as one file, and is in the audit log. If there are more than the file may have, its last line says so.",
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
    inQuery(
      "outcome",
      "What has become of them, as counts have it; `notArrived`: `notTaken` or `undelivered`. Replies to keywords have no outcome.",
      { enum: [...SEARCHED_OUTCOMES] },
    ),
    inQuery("purpose", "The `sendPurpose`."),
    inQuery("client", "The id of a client."),
    timeInQuery("from", "Accepted at this time or later, or since the beginning of this day."),
    timeInQuery("until", "Accepted before this time, or before this day."),
    inQuery("cursor", "The `next` of the page before."),
    inQuery("format", `\`csv\`: a file, with at most ${MOST_FILE_MESSAGES.toLocaleString("en")} messages.`, {
      ...{ enum: ["json", "csv"], default: "json" },
    }),
  ],
  answers: [
    {
      ...ok(messageAnswers.FoundMessages, "One page, or the file.", {
        ...{ messages: [FOUND_MESSAGE], next: null, lookedBackTo: null },
      }),
      other: MESSAGE_CSV,
    },
  ],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "messages",
    options: {
      csv: { field: "format", sets: "csv", summary: "All of them as CSV; npm run -s operator prints nothing else." },
    },
    columns: {
      messages: [
        ...["acceptedAt", "scheduledFor", "status", "phone", "email", "websiteId", "sendPurpose"],
        ...["carrierMessageId", "messageId", "reason", "reasonDetail"],
      ],
    },
    next: ({ messages: { length }, lookedBackTo }) =>
      lookedBackTo &&
      `${length === 0 ? "None" : countOf(length, "message")} among those accepted since ${lookedBackTo}. Older ones are not looked at yet.`,
  },
  run: async (request, deps) => {
    const format = readChoice(request, "format", ["json", "csv"]);
    const asked = await readSearch(request, deps);
    if (format === "csv") return exportMessages(request, deps, (from) => readPage(deps, asked, from, FILE_PAGE));
    const { items, next, reachedAt, missing } = await readPage(deps, asked, String(request.query.cursor ?? ""), PAGE);
    request.logged = { found: items.length };
    return {
      messages: items.map((message) => foundView(message, deps.now())),
      next,
      lookedBackTo: toTime(reachedAt),
      ...missing,
    };
  },
});

type Search = Omit<MessageSearch, "websiteIds" | "before">;

function readPage(deps: Deps, { website, search }: Asked, cursor: string, limit: number) {
  const isNewest = website === undefined && search.phone === undefined;
  const read = isNewest ? readNewest(search, limit) : readFound(search, website, limit);
  return mergePages(deps, cursor, limit, read, website && [inDatabase(deps, website.database)]);
}

/** By an index of one website, or of a number. @param website undefined: all */
const readFound =
  (search: Search, website: Website | undefined, limit: number) =>
  async ({ db }: Deps, from: string) => {
    const before = readCursor(from);
    const websiteIds = website === undefined ? await listWebsiteIds(db) : [website.websiteId];
    const { messages, next } = await findMessages(db, { ...search, websiteIds, before }, limit);
    const items = messages.map(({ place, ...item }) => ({ item, at: item.acceptedAt, cursor: writeCursor(place) }));
    return { items, next: next && { at: next.acceptedAt, cursor: writeCursor(next) } };
  };

/** Their order is that of their ids, in every database. */
const readNewest =
  (search: Search, limit: number) =>
  async ({ db }: Deps, from: string) => {
    if (from !== "" && !ID.test(from)) failField("cursor", NO_CURSOR);
    const { messages, next } = await findNewest(db, search, from || null, limit);
    const items = messages.map((item) => ({ item, at: timeOf(item.messageId), cursor: item.messageId }));
    return { items, next: next === null ? null : { at: timeOf(next), cursor: next } };
  };

const ID = /^[0-9a-f-]{36}$/;
const NO_CURSOR = "must be the `next` of an earlier page";

const writeCursor = ({ acceptedAt, row }: MessagePlace) => `${acceptedAt}-${row}`;

interface Asked {
  /** undefined: any. */
  website: Website | undefined;
  search: Search;
}

async function readSearch(request: ApiRequest, deps: Deps): Promise<Asked> {
  const { website, email } = request.query;
  const text = givenPhone(request);
  const search = readTogether({
    phone: () => (text === undefined ? undefined : toDigits(readPhone(text))),
    email: () => {
      if (email && !website && !text) failField("website", "is required with an email");
      return email ? String(email).trim().toLowerCase() : undefined;
    },
    status: () => readChoice(request, "status", MESSAGE_STATUSES),
    reason: () => readChoice(request, "reason", REASONS),
    outcome: () => {
      const searched = readChoice(request, "outcome", SEARCHED_OUTCOMES);
      return searched && { classes: classesIn(searched), at: deps.now() };
    },
    sendPurpose: () => (request.query.purpose ? String(request.query.purpose) : undefined),
    from: () => readTime(request, "from", 0),
    until: () => readTime(request, "until", Number.MAX_SAFE_INTEGER),
  });
  const clientId = (await readClientId(request, deps)) ?? undefined;
  return {
    website: website ? await requireKnown(deps, String(website)) : undefined,
    search: { ...search, clientId },
  };
}

async function requireKnown(deps: Deps, websiteId: string): Promise<Website> {
  const { db } = await inDatabaseOf(deps, { websiteId });
  return (await findWebsite(db, websiteId)) ?? failField("website", "is unknown");
}

function readCursor(cursor: string): MessagePlace | null {
  if (cursor === "") return null;
  const [, acceptedAt, row] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? failField("cursor", NO_CURSOR);
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
    ok(messageAnswers.OperatorMessage, "The message, its events in order, and the responses to its callbacks.", STORY),
  ],
  errors: ["resource-unknown"],
  command: { name: "message" },
  run: async (request, deps) => {
    const messageId = toStoredId(request.params.messageId ?? "");
    const found = requireFound(await readMessage(deps.db, messageId), "message");
    const endsAt = found.expiresAt ?? (found.scheduledFor ?? found.acceptedAt) + deps.config.submitWithinMilliseconds;
    return {
      ...messageView(found, deps.now()),
      endsAt: found.status === "PENDING_TO_SEND" ? toTime(endsAt) : null,
      ...contextView(await readContext(deps.db, found)),
    };
  },
});

export const messages: Resource = { calls: [find, get], schemas: messageAnswers };
