// All that a website has stored about one person, for an export.

import type { NoticeType } from "../../domain/callbacks/callback.ts";
import { oneFormOf } from "../../domain/people/two-form-numbers.ts";
import { parseJsonColumn, runNamed } from "../database.ts";
import { HOLD } from "../messages/holds.ts";
import {
  addDetails,
  type StoredCallback,
  type StoryRow,
  toStoredCallback,
  type WholeMessage,
} from "../messages/read-message.ts";
import { HOURS } from "../messages/stored-message.ts";
import type { EventRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";
import { type InboundText, toInboundText } from "./inbound.ts";
import { type Person, selectPerson, toPerson } from "./person.ts";
import type { PersonTable } from "./person-tables.ts";
import type { InboundTextRow } from "./rows.ts";

/** The most rows of each kind in an export: a person has a few hundred, and an isolate must hold them in memory. */
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

/** A notice about the person that was sent to a client. */
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
  const statements = {
    ...selectPerson(db, websiteId, phone),
    messages: prepare(
      db,
      sql`SELECT m.*, ${HOLD} AS hold, ${HOURS}, w.name AS website_name, c.name AS client_name
        FROM (SELECT * FROM messages WHERE website_id = ${websiteId} AND phone = ${phone}
          UNION ALL SELECT * FROM messages WHERE website_id = ${websiteId} AND phone IS NULL
            AND email = (SELECT email FROM subscriptions WHERE website_id = ${websiteId} AND phone = ${phone})
          ORDER BY accepted_at DESC LIMIT ${MOST_RECORDS + 1}) m
        LEFT JOIN websites w ON w.website_id = m.website_id LEFT JOIN clients c ON c.client_id = m.client_id`,
    ),
    inbound_texts: prepare(
      db,
      sql`SELECT * FROM inbound_texts WHERE website_id = ${websiteId} AND sender = ${e164}
        ORDER BY received_at DESC LIMIT ${MOST_RECORDS + 1}`,
    ),
    events: prepare(
      db,
      sql`SELECT * FROM events WHERE website_id = ${websiteId} AND phone = ${phone} AND body IS NOT NULL
        ORDER BY occurred_at DESC LIMIT ${MOST_RECORDS + 1}`,
    ),
    duplicate_keys: prepare(
      db,
      sql`SELECT message_id AS messageId, expires_at AS expiresAt FROM duplicate_keys
        WHERE website_id = ${websiteId} AND phone = ${oneFormOf(phone)}`,
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
    messages: await addDetails(db, messages as StoryRow[]),
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
