// Pure. The statuses of a message and the transitions between them.
export const MESSAGE_STATUSES = [
  "PENDING_TO_SEND",
  "SENDING",
  "DELIVERED",
  "FAILED_TO_DELIVERY",
  "FAILED_TO_SEND",
  "NOT_FOUND",
  "NOT_SUBSCRIBED",
  "FAILED_TO_MATCH",
] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/**
 * For each status, the statuses that it may follow. A status that no other may follow is final. DELIVERED may follow
 * PENDING_TO_SEND: a receipt may arrive before the answer to the submission is stored.
 */
export const ALLOWED_FROM = {
  PENDING_TO_SEND: [],
  SENDING: ["PENDING_TO_SEND"],
  DELIVERED: ["PENDING_TO_SEND", "SENDING"],
  FAILED_TO_DELIVERY: ["PENDING_TO_SEND", "SENDING"],
  FAILED_TO_SEND: ["PENDING_TO_SEND"],
  NOT_FOUND: [],
  NOT_SUBSCRIBED: ["PENDING_TO_SEND"],
  FAILED_TO_MATCH: [],
} as const satisfies Record<MessageStatus, readonly MessageStatus[]>;

/** Messages in these statuses were never sent. */
export const NEVER_SENT = [
  "NOT_FOUND",
  "NOT_SUBSCRIBED",
  "FAILED_TO_MATCH",
  "FAILED_TO_SEND",
] as const satisfies MessageStatus[];
