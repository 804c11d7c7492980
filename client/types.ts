// The shapes of requests, answers and callbacks. test/docs/client-types.ts of the project holds each to the schema of the service.

/** The recipient is `phone`, or the subscribed number of `email`. */
export interface SendRequest {
  /** E.164, such as `+12125550100`. */
  phone?: string;
  /** Ignored where `phone` is given. */
  email?: string;
  /** 1 to 1,600 characters with its link. */
  text: string;
  /** http or https: a picture, where the carrier sends MMS. */
  mediaUrl?: string;
  /** http or https: replaced in the text, or added to it, by a link that counts clicks. */
  clickUrl?: string;
  /** JSON as a string, which callbacks return byte for byte. `""`: no callbacks of this message. */
  callbackData: string;
  /** Such as the name of a campaign. */
  sendPurpose: string;
  /** ISO 8601 with an offset or `Z`, at most 35 days ahead. */
  sendAt?: string;
  /** ISO 8601 with an offset or `Z`: from then on the message is not sent any more. */
  expireAt?: string;
  kind?: "marketing" | "transactional";
  /** The person's time zone, by its IANA name. Without it, the number tells the zones. */
  timeZone?: string;
  /** The person's state or region: an ISO 3166-2 code, such as `US-FL`. Without it, the number tells the states. */
  region?: string;
}

/** An answer to a body. */
interface Answer {
  /** The names of fields that the service does not know, and has ignored. Left out where there are none. */
  ignoredFields?: string[];
}

export interface SendAnswer extends Answer {
  messageId: string;
  /** ISO 8601, in UTC. Left out where the message does not wait for its `sendAt`. */
  scheduledFor?: string;
}

export interface BulkSendAnswer extends Answer {
  /** `index`: the place of the message in the request, from 0. */
  successSent: { index: number; messageId: string; scheduledFor?: string }[];
  failedSent: { index: number; phone: string | null; email: string | null; errorMessage: string }[];
}

export type MessageStatus =
  | "PENDING_TO_SEND"
  | "SENDING"
  | "DELIVERED"
  | "FAILED_TO_DELIVERY"
  | "FAILED_TO_SEND"
  | "NOT_FOUND"
  | "NOT_SUBSCRIBED"
  | "FAILED_TO_MATCH";

/** Others may be added: take one that you do not know for null. */
export type Reason =
  | "CANCELLED"
  | "EXPIRED"
  | "QUIET_HOURS"
  | "FREQUENCY_CAP"
  | "UNREACHABLE"
  | "CARRIER_REFUSED"
  | "CARRIER_FILTERED"
  | "SENDER_LIMIT"
  | "CARRIER_UNAVAILABLE"
  | "CARRIER_NOT_SET_UP"
  | "MEDIA_NOT_SUPPORTED"
  | "OPTED_OUT"
  | "OUTCOME_UNKNOWN"
  | "UNDELIVERED"
  | "NO_RECEIPT";

export interface CancelAnswer extends Answer {
  /** Ids of messages that are not sent. */
  cancelled: string[];
  /** `status` null: the website has no such message. */
  notCancelled: { messageId: string; status: MessageStatus | null }[];
}

export interface Message {
  messageId: string;
  status: MessageStatus;
  reason: Reason | null;
  /** ISO 8601, in UTC. */
  updatedAt: string;
}

export interface MessageStatuses extends Answer {
  messages: Message[];
  unknownMessageIds: string[];
}

/** One of both is required. */
export interface PhoneList {
  /** E.164, at most 5,000. */
  phone_numbers?: string[];
  /** A CSV file in Base64, with a column headed `phone_numbers` and at most 50,000 rows. */
  csv_file?: string;
}

export interface SubscribeRequest extends PhoneList {
  /** Kept as proof. */
  sendPurpose: string;
  /** ISO 8601 with an offset or `Z`. */
  consentedAt?: string;
  /** At most 1,000 characters. */
  evidence?: string;
}

export interface UnsubscribeAnswer extends Answer {
  message: string;
  /** As they were given. */
  invalidPhoneNumbers: string[];
}

export interface SubscribeAnswer extends UnsubscribeAnswer {
  /** Numbers whose owners texted STOP: only they can undo it, by texting START. */
  failedToProcessNumbers: string[];
  invalidEmails?: string[];
}

export interface SubscriptionStatuses extends Answer {
  phoneNumberStatuses: { phoneNumber: string; subscriptionStatus: boolean }[];
  invalidPhoneNumbers: string[];
}

interface OfMessage {
  eventId: string;
  messageId: string;
  reason: Reason | null;
  /** ISO 8601, in UTC: orders the events of a message. */
  occurredAt: string;
  /** Null: no number was found. */
  phone: string | null;
  sendPurpose: string;
  callbackData: string;
}

export interface StatusEvent extends OfMessage {
  eventType: "message.status";
  status: Exclude<MessageStatus, "PENDING_TO_SEND">;
}

export interface ClickEvent extends OfMessage {
  eventType: "message.clicked";
  status: MessageStatus;
  clickUrl: string;
}

export interface ReceivedEvent {
  eventId: string;
  eventType: "message.received";
  from: string;
  to: string;
  text: string;
  mediaUrls: string[];
  receivedAt: string;
  keyword: "stop" | "start" | "help" | null;
  /** The messageId of the website's latest message to that number. */
  inReplyTo: string | null;
}

export interface SubscriptionEvent {
  eventId: string;
  eventType: "subscription.changed";
  phone: string;
  subscribed: boolean;
  source: "api" | "keyword" | "carrier";
  changedAt: string;
  /** The later of two changes of a number has the higher one. */
  changeId: number;
}

/** The latest texts to the number ended with a permanent fault of it: texts to it end with UNREACHABLE. */
export interface NumberEvent {
  eventId: string;
  eventType: "number.unreachable";
  phone: string;
  /** The carrier's own code. */
  code: string;
  since: string;
}

/** You or the operator try the endpoint: answer 2xx, and leave it alone. */
export interface TestEvent {
  eventId: string;
  eventType: "test";
  occurredAt: string;
}

/** Store an event whose `eventType` you do not know, and leave it alone: other types may be added. */
export type StoredEvent = StatusEvent | ClickEvent | ReceivedEvent | SubscriptionEvent | NumberEvent;

export type CallbackEvent = StoredEvent | TestEvent;

/**
 * The headers of a request: `Headers` of any library, a `Map`, or an object such as that of Node's `IncomingMessage` or of an event of AWS
 * Lambda. A header that came once may be in a list.
 */
export type CallbackHeaders =
  | { get(name: string): string | readonly string[] | null | undefined }
  | { readonly [name: string]: string | readonly string[] | null | undefined };

/** What came of posting it to your endpoint; null: it is not posted. */
export interface PostedCallback {
  attemptedAt: string | null;
  outcome: "answered" | "timed-out" | "unreachable" | "not-posted" | null;
  httpStatus: number | null;
}

export type FeedEvent = StoredEvent & { callback: PostedCallback | null };

export interface EventPage {
  events: FeedEvent[];
  /** The cursor behind the last of them. */
  next: string;
  /** Whether other events are stored already. */
  more: boolean;
}

/** The latest of each, the newest first. */
export interface Requests {
  /** Numbers and addresses of people are masked in `message`. */
  refused: {
    requestId: string;
    at: string;
    method: string;
    path: string;
    status: number;
    code: number;
    message: string;
    details: { field: string; message: string }[];
  }[];
  /** The last request that was refused by its credentials, its grants or the limit, to a minute or so. */
  lastCredentialsRefused: {
    at: string;
    cause:
      | "secret-malformed"
      | "secret-wrong"
      | "secret-replaced"
      | "suspended"
      | "operation-denied"
      | "rate-exceeded"
      | "daily-limit-reached";
  } | null;
  /** What was posted to your endpoint, and the beginning of its response. */
  callbacks: {
    eventId: string;
    attemptedAt: string;
    outcome: PostedCallback["outcome"];
    httpStatus: number | null;
    response: string | null;
    milliseconds: number | null;
  }[];
}

/** What your endpoint has said to a test event. */
export interface TestEventAnswer {
  /** `test_` and an id. */
  eventId: string;
  attemptedAt: string;
  /** `not-posted`: `response` says why. */
  outcome: "answered" | "timed-out" | "unreachable" | "not-posted";
  httpStatus: number | null;
  response: string | null;
  milliseconds: number;
}

export interface ErrorDetail {
  /** Such as `phone` or `messages[3]`. */
  field: string;
  message: string;
  /** A message that is stored, or may be. */
  messageId?: string;
}
