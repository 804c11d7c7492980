// A list of messages, as it is filtered, as a file: newest first, as the pages of the list are.
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { RequestFailure } from "../domain/failure.ts";
import { type AuditEntry, partOf } from "../domain/operations/audit.ts";
import { FILE_MARK, writeCsv } from "../domain/people/csv.ts";
import { inEach } from "../flows/databases/places.ts";
import { audited } from "../flows/operations/audit.ts";
import { type ApiRequest, authorOf } from "../http/api-request.ts";
import { CLIENT_ID, MESSAGE_ID, PHONE, TIME } from "../http/examples.ts";
import { maskPerson } from "../http/look-ups.ts";
import { toTime } from "../http/time.ts";
import type { FoundMessage } from "../store/messages/find-messages.ts";
import { csvFile } from "./csv-file.ts";

/** Messages that are read at a time: each may have a text of several kilobytes. */
export const FILE_PAGE = 1000;

/** An invocation may make a thousand calls of D1, and a page makes up to three of each database. */
const MOST_READS = 300;

/** What a file of one database has at most. */
export const MOST_FILE_MESSAGES = MOST_READS * FILE_PAGE;

const HEAD =
  "accepted_at,website,purpose,phone,email,status,reason,text,segments,carrier,carrier_message_id,scheduled_for,updated_at,clicked_at,client_id,message_id";

type Line = (string | number)[];

const EXAMPLE: Line = [
  ...[TIME, "brand", "spring-sale_01", PHONE, "", "DELIVERED", "", "Hello", 1, "sandbox", "sandbox-1", "", TIME, ""],
  ...[CLIENT_ID, MESSAGE_ID],
];

export const MESSAGE_CSV = {
  mediaType: "text/csv",
  schema: z.string(),
  example: `${FILE_MARK}${HEAD}\r\n${writeCsv([EXAMPLE])}`,
};

export interface MessagePage {
  items: FoundMessage[];
  next: string | null;
  /** Milliseconds since 1970: all that is newer was looked through. */
  reachedAt: number | null;
  missing: { unavailableDatabases?: string[] };
}

/** @param read a page of the list after a cursor */
export async function exportMessages(
  request: ApiRequest,
  { ...deps }: Deps,
  read: (cursor: string) => Promise<MessagePage>,
): Promise<Response> {
  const pages = messagePages(wholly(read), Math.floor(MOST_READS / inEach(deps).length));
  const { value: first = [] } = await audited(
    deps,
    // A look-up of a person is an entry of its own.
    partOf(authorOf(request), "file"),
    entryOf(request),
    () => pages.next(),
    () => ({}),
  );
  const all = async function* () {
    yield first;
    yield* pages;
  };
  return csvFile({ name: nameOf(request), head: HEAD, pages: all(), toLine: (line: Line) => writeCsv([line]) });
}

/** A file without the messages of a database would look whole. */
function wholly(read: (cursor: string) => Promise<MessagePage>) {
  return async (cursor: string) => {
    const page = await read(cursor);
    if (page.missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
    return page;
  };
}

/** @param most how many pages are read: if others follow, the last line says so */
export async function* messagePages(
  read: (cursor: string) => Promise<MessagePage>,
  most: number,
): AsyncGenerator<Line[], undefined> {
  let cursor: string | null = "";
  let count = 0;
  for (let reads = 1; cursor !== null; reads++) {
    const { items, next, reachedAt }: MessagePage = await read(cursor);
    count += items.length;
    const lines = items.map(toLine);
    if (reads === most && next !== null) {
      yield [...lines, endLine(count, reachedAt)];
      return;
    }
    yield lines;
    cursor = next;
  }
}

const COLUMNS = HEAD.split(",").length;

function endLine(count: number, reachedAt: number | null): Line {
  const words = `At least ${count.toLocaleString("en-US")} messages: those accepted before ${toTime(reachedAt)} are not in this file`;
  return [words, ...Array<string>(COLUMNS - 1).fill("")];
}

function toLine(message: FoundMessage): Line {
  const { websiteId, sendPurpose, phone, email, status, reason, text, segments, carrier, carrierMessageId } = message;
  return [
    ...[toTime(message.acceptedAt), websiteId, sendPurpose, phone ?? "", email ?? "", status, reason ?? "", text],
    ...[segments ?? "", carrier ?? "", carrierMessageId ?? "", toTime(message.scheduledFor) ?? ""],
    ...[toTime(message.updatedAt), toTime(message.clickedAt) ?? "", message.clientId, message.messageId],
  ];
}

/** What the list is filtered by, without whom. */
const FILTERS = ["website", "purpose", "status", "outcome", "reason", "client", "from", "until"];

const filtersOf = ({ query }: ApiRequest) =>
  Object.fromEntries(FILTERS.flatMap((name) => (query[name] ? [[name, String(query[name])]] : [])));

/** `textgate-messages-brand-spring-sale-DELIVERED`. */
function nameOf(request: ApiRequest): string {
  const { phone, email } = request.query;
  const words = ["textgate-messages", ...Object.values(filtersOf(request)), ...(phone || email ? ["of-a-person"] : [])];
  return words
    .join("-")
    .replaceAll(/[^\w.-]+/g, "-")
    .slice(0, 150);
}

function entryOf(request: ApiRequest): AuditEntry {
  const { website, ...after } = filtersOf(request);
  const person = request.query.phone ?? request.query.email;
  return {
    action: "export-messages",
    ...(website && { websiteId: website }),
    ...(person && { subject: maskPerson(String(person)) }),
    after,
  };
}
