// All that a website has of one person, for the person.
import type { NoticeType } from "../../domain/callbacks/callback.ts";
import { parseJsonColumn, runNamed } from "../database.ts";
import { IS_HELD } from "../messages/holds.ts";
import {
  addDetails,
  type StoredCallback,
  type StoryRow,
  toStoredCallback,
  type WholeMessage,
} from "../messages/read-message.ts";
import type { EventRow, InboundTextRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { type InboundText, toInboundText } from "./inbound.ts";
import type { PersonTable } from "./person-tables.ts";
import { type Person, selectPerson, toPerson } from "./subscriptions.ts";

/** Rows of each kind. A person has a few hundred; what has more is no person, and must fit the memory of an isolate. */
export const MOST_RECORDS = 5000;

export interface PersonRecords {
  /** undefined: the number was never subscribed or opted out. */
  person: Person | undefined;
  messages: WholeMessage[];
  texts: InboundText[];
  notices: StoredNotice[];
  /** Times are milliseconds since 1970. */
  duplicateKeys: { messageId: string; expiresAt: number }[];
  /** There are more, older ones. */
  isCut: boolean;
}

/** What a client was told of the person. */
export interface StoredNotice {
  noticeId: string;
  type: NoticeType;
  clientId: string;
  body: Record<string, unknown>;
  occurredAt: number;
  callback: StoredCallback | null;
}

/** Newest first. @param phone as digits */
export async function readRecords(
  db: D1Database,
  websiteId: string,
  phone: number,
  e164: string,
): Promise<PersonRecords> {
  const latest = (sql: string, time: string) => `${sql} ORDER BY ${time} DESC LIMIT ${MOST_RECORDS + 1}`;
  const query = (sql: string) => db.prepare(sql).bind(websiteId, phone);
  const statements = {
    ...selectPerson(db, websiteId, phone),
    messages: prepare(
      db,
      sql<StoryRow>`SELECT m.*, ${IS_HELD} AS is_held, w.name AS website_name, c.name AS client_name
        FROM (SELECT * FROM messages WHERE website_id = ${websiteId} AND phone = ${phone}
          UNION ALL SELECT * FROM messages WHERE website_id = ${websiteId} AND phone IS NULL
            AND email = (SELECT email FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone})
          ORDER BY accepted_at DESC LIMIT ${MOST_RECORDS + 1}) m
        LEFT JOIN websites w ON w.website_id = m.website_id LEFT JOIN clients c ON c.client_id = m.client_id`,
    ),
    inbound_texts: db
      .prepare(latest("SELECT * FROM inbound_texts WHERE website_id = ?1 AND sender = ?2", "received_at"))
      .bind(websiteId, e164),
    events: query(
      latest("SELECT * FROM events WHERE website_id = ?1 AND phone = ?2 AND body IS NOT NULL", "occurred_at"),
    ),
    duplicate_keys: query(
      "SELECT message_id AS messageId, expires_at AS expiresAt FROM duplicate_keys WHERE website_id = ?1 AND phone = ?2",
    ),
  } satisfies Record<PersonTable, D1PreparedStatement>;
  const {
    messages,
    inbound_texts: texts,
    events: notices,
    duplicate_keys: keys,
    ...person
  } = await runNamed(db, statements);
  const all = [messages, texts, notices];
  const isCut = all.some((rows) => rows.length > MOST_RECORDS);
  for (const rows of all) rows.splice(MOST_RECORDS);
  return {
    person: toPerson(person),
    messages: await addDetails(db, messages),
    texts: (texts as InboundTextRow[]).map(toInboundText),
    notices: (notices as EventRow[]).map(toNotice),
    duplicateKeys: keys as PersonRecords["duplicateKeys"],
    isCut,
  };
}

function toNotice(row: EventRow): StoredNotice {
  return {
    noticeId: row.message_id,
    clientId: row.client_id,
    type: row.event as NoticeType,
    body: parseJsonColumn(row.body, {}),
    occurredAt: row.occurred_at,
    callback: toStoredCallback(row),
  };
}
