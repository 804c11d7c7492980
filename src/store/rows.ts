// The rows of the tables, as D1 returns them. Each store maps its own rows to the types of the domain. test/store/rows.test.ts holds the
// types to the migrations, whose comments say what each column is. Times are milliseconds since 1970.
import type { AttemptOutcome } from "../domain/callbacks/callback.ts";
import type { By } from "../domain/messages/by-fallback.ts";
import type { Paused } from "../domain/messages/circuit-breaker.ts";
import type { MessageKind } from "../domain/messages/kind.ts";
import type { MessageStatus } from "../domain/messages/message.ts";
import type { Segments } from "../domain/messages/segments.ts";

/** 0 and 1 stand for false and true. */
export type Bit = 0 | 1;

export interface WebsiteRow {
  website_id: string;
  name: string;
  carrier: string;
  sender: string | null;
  settings: string;
  holds: string | null;
  home: number;
  database: string;
  created_at: number;
  updated_at: number;
  counted_until: number;
}

export interface AccountRow {
  name: string;
  carrier: string;
  settings: string;
  sealed: string;
  created_at: number;
  updated_at: number;
}

export interface ClientRow {
  client_id: string;
  website_id: string;
  name: string | null;
  callback_url: string | null;
  operations: string;
  /** JSON array; null: the default. */
  events: string | null;
  suspended: Bit;
  secret_hash: string;
  callback_secret: string;
  old_secret_hash: string | null;
  old_callback_secret: string | null;
  old_until: number | null;
  created_at: number;
  changed_at: number;
  copied_at: number | null;
  rotated_at: number | null;
  /** When a request was last taken, and last refused: to some minutes. */
  used_at: number | null;
  refused_at: number | null;
  refusal: string | null;
  /** The last four characters of each secret, and when each was last used. */
  secret_end: string;
  secret_used_at: number | null;
  old_secret_end: string | null;
  old_secret_since: number | null;
  old_secret_used_at: number | null;
  test_event_at: number | null;
}

export interface MessageRow {
  message_id: string;
  website_id: string;
  client_id: string;
  phone: number | null;
  email: string | null;
  text: string;
  media_url: string | null;
  click_url: string | null;
  callback_data: string;
  send_purpose: string;
  /** JSON array of names; null: none. */
  ignored_fields: string | null;
  status: MessageStatus;
  reason: string | null;
  /** See readReason. */
  reason_code: string | null;
  accepted_at: number;
  updated_at: number;
  due_at: number | null;
  claimed_at: number | null;
  interrupted_at: number | null;
  claim: string | null;
  attempts: number;
  carrier: string | null;
  sender: string | null;
  by_fallback: By;
  carrier_message_id: string | null;
  encoding: Segments["encoding"] | null;
  segments: number | null;
  /** See OPT_OUT_CONFIRMATION of end-before.ts. */
  is_reply: number;
  opted_out: number;
  /** JSON array; see submissions.ts. */
  submissions: string | null;
  send_at: number | null;
  expires_at: number | null;
  kind: MessageKind | null;
  time_zone: string | null;
  region: string | null;
  opens_at: number | null;
  country: string | null;
  is_restored: Bit;
}

export interface EventRow {
  seq: number;
  website_id: string;
  client_id: string;
  message_id: string;
  /** A status, `CLICK_` and the id of a click, or the type of a notice. */
  event: string;
  occurred_at: number;
  reason_code: string | null;
  /** JSON: the body of a notice without eventId and eventType. null: an event of a message. */
  body: string | null;
  /** As digits. */
  phone: number | null;
  due_at: number | null;
  /** What became of the callback. */
  attempted_at: number | null;
  claim: string | null;
  outcome: AttemptOutcome | null;
  http_status: number | null;
  response: string | null;
  duration_ms: number | null;
}

export interface SubscriptionRow {
  website_id: string;
  /** As digits. */
  phone: number;
  subscribed: Bit;
  email: string | null;
  change_id: number;
  opted_out_by_person: Bit;
  opt_out_confirmed_at: number | null;
  opted_out_at: number;
  stop_carrier: string | null;
  stop_sent_at: number;
  stop_stored_at: number;
}

export const CHANGE_SOURCES = ["import", "api", "keyword", "carrier", "undo", "operator"] as const;
export type ChangeSource = (typeof CHANGE_SOURCES)[number];

export interface SubscriptionChangeRow {
  change_id: number;
  website_id: string;
  /** As digits. */
  phone: number;
  was_subscribed: Bit | null;
  subscribed: Bit;
  changed_at: number;
  source: ChangeSource;
  proof: string;
  was_email: string | null;
  before_id: number | null;
  consented_at: number | null;
  evidence: string | null;
}

export interface DeadJobRow {
  id: string;
  queue: string;
  body: string;
  died_at: number;
  error: string | null;
  put_back_at: number | null;
}

export interface LinkRow {
  code: string;
  message_id: string;
  url: string;
}

/** Which attempt stored what an idempotency key names. */
export interface IdempotencyKeyRow {
  client_id: string;
  operation: string;
  idempotency_key: string;
  body_hash: string;
  message_id: string;
  expires_at: number;
  begun_at: number | null;
}

/** A message that was not stored because it repeats the first. */
export interface SuppressedMessageRow {
  message_id: string;
  first_id: string;
  expires_at: number;
}

/** null: no limit. */
export interface SenderPaceRow {
  carrier: string;
  sender: string;
  messages_per_minute: number | null;
  messages_per_day: number | null;
}

export interface CarrierPauseRow {
  carrier: string;
  /** `""`: the account and the carrier. */
  sender: string;
  about: Paused;
  failures: number;
  failed_at: number;
  openings: number;
  /** null: it has not opened. */
  since: number | null;
  opened_at: number | null;
  open_until: number;
  cause: string;
}

export interface FailingEndpointRow {
  client_id: string;
  host: string;
  since: number;
  failed_at: number;
  failures: number;
  cause: string;
}
