// The tables whose rows move with their website. The code that copies, compares and deletes rows reads this list.
import type { Counter } from "../../domain/databases/move.ts";

export interface MovedTable {
  key: readonly string[];
  /** The column that leads to the website of a row: `website_id`, `client_id`, or one that begins with an id of the website. */
  by: string;
  /** The order of its pages, by an index; left out: the key. */
  order?: readonly string[];
  /** It is read with the messages whose ids it has. */
  follows?: readonly string[];
  /** Numbers that each database counts by itself: they are shifted to where the target has room. */
  shifts?: Readonly<Record<string, Counter>>;
}

export type TableName = keyof typeof TABLES;

const BY_WEBSITE = { by: "website_id" } as const;

/** A table stands after the tables that its rows refer to. */
const TABLES = {
  websites: { ...BY_WEBSITE, key: ["website_id"] },
  clients: { ...BY_WEBSITE, key: ["client_id"] },
  former_senders: { ...BY_WEBSITE, key: ["carrier", "sender", "website_id"] },
  moved_feeds: { ...BY_WEBSITE, key: ["website_id", "until"] },
  subscriptions: { ...BY_WEBSITE, key: ["website_id", "phone"], shifts: { change_id: "changes" } },
  subscription_changes: {
    ...BY_WEBSITE,
    key: ["change_id"],
    order: ["phone", "change_id"],
    shifts: { change_id: "changes", before_id: "changes" },
  },
  imports: {
    ...BY_WEBSITE,
    key: ["import_id"],
    shifts: { after_id: "changes", last_id: "changes", undone_to: "changes" },
  },
  erased_people: { ...BY_WEBSITE, key: ["website_id", "mark"] },
  inbound_texts: { ...BY_WEBSITE, key: ["website_id", "carrier", "carrier_message_id"] },
  messages: { ...BY_WEBSITE, key: ["message_id"], order: ["accepted_at", "message_id"] },
  scheduled_messages: { ...BY_WEBSITE, key: ["message_id"], order: ["phone", "message_id"] },
  accepted_minutes: { ...BY_WEBSITE, key: ["website_id", "minute"] },
  events: { ...BY_WEBSITE, key: ["seq"], order: ["client_id", "seq"], shifts: { seq: "feed" } },
  links: { key: ["code"], by: "message_id", follows: ["messages"] },
  clicks: { key: ["message_id", "click_id"], by: "message_id", follows: ["messages"] },
  idempotency_keys: { key: ["client_id", "operation", "idempotency_key"], by: "client_id" },
  bulk_parts: { key: ["first_id", "part"], by: "first_id" },
  duplicate_keys: { ...BY_WEBSITE, key: ["website_id", "phone", "content_hash"] },
  suppressed_messages: { key: ["message_id"], by: "message_id" },
  cancelled_messages: { key: ["message_id"], by: "message_id" },
  endpoint_posts: { key: ["client_id", "slot"], by: "client_id" },
  failing_endpoints: { key: ["client_id"], by: "client_id" },
  daily_counts: { ...BY_WEBSITE, key: ["website_id", "day", "send_purpose", "status", "reason"] },
} as const satisfies Record<string, MovedTable>;

export const MOVED_TABLES: Readonly<Record<TableName, MovedTable>> = TABLES;

export const MOVED_NAMES = Object.keys(TABLES) as TableName[];

/** In this order, page by page: the others follow their messages. */
export const PAGED = MOVED_NAMES.filter((name) => !MOVED_TABLES[name].follows);

/** The tables whose rows stay, and why. */
export const STAYING_TABLES = {
  last_sweep: "of the sweep of this database",
  outcome_counts: "of an hour, of all websites",
  receipt_counts: "of an hour, of all websites",
  traffic_counts: "of what this database has stored: the sum over all databases holds wherever a website is",
  counts: "of what this database has stored: the sum over all databases holds wherever a website is",
  counted_ledgers: "of the ledgers of this database",
  carrier_pauses: "how carriers answer the messages of this database",
  refused_requests: "of some days: the list of a client begins anew where its website goes",
  refusal_counts: "of some days: the counts of a website begin anew where it goes",
  told_problems: "of the service; the first database has them",
  dead_jobs: "their ids lead to where the website is; the first database has them",
  operator_tokens: "the first database has them",
  operator_sessions: "the first database has them",
  audit_log: "it is never changed; a list asks every database",
  erasure_key: "one for all; the first database has it",
  homes: "the directory",
  client_homes: "the directory",
  sender_homes: "the directory",
  database_sizes: "of this database",
  moves: "of the moves themselves",
  moving: "of the moves themselves",
  waiting_texts: "they wait for the end of a move; the first database has them",
} as const;
