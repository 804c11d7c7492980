// What the words in answers mean: for the OpenAPI document, and for the tables in docs/. Errors: error-meanings.ts.

import type { Job } from "../domain/messages/job.ts";
import type { MessageStatus } from "../domain/messages/message.ts";
import type { Reason } from "../domain/messages/reason.ts";
import type { MESSAGE_STATES } from "../domain/operations/service-state.ts";
import type { CheckName } from "../platform/health-memory.ts";

export const STATUS_MEANINGS: Record<MessageStatus, string> = {
  PENDING_TO_SEND: "stored, not yet submitted to the carrier",
  SENDING: "accepted by the carrier, or submitted with an unknown outcome",
  DELIVERED: "delivered to the handset",
  FAILED_TO_DELIVERY: "undelivered, or no final receipt in time",
  FAILED_TO_SEND:
    "cancelled, ended by a setting of the website, refused by the carrier, or not accepted in time: no carrier has it",
  NOT_FOUND: "the number has never been subscribed or imported",
  NOT_SUBSCRIBED: "the number is opted out; checked on acceptance, and again right before submission",
  FAILED_TO_MATCH: "the e-mail address has no subscribed number",
};

/** `advice`: what the client does about it. */
export const REASON_MEANINGS: Record<Reason, { meaning: string; advice: string }> = {
  CANCELLED: {
    meaning: "you or the operator cancelled it, or the operator held it until its time was over",
    advice: "if you did not cancel it, ask the operator before you send it again",
  },
  EXPIRED: {
    meaning:
      "it was not submitted before its `expireAt`. Without one, a message that was scheduled, or waited for sending hours, expires `SUBMIT_WITHIN_HOURS` after its time",
    advice: "send it again, if it is still of use",
  },
  QUIET_HOURS: {
    meaning: "the sending hours were closed where the person is, and the operator refuses messages at such times",
    advice: "send it again when they are open. If it is not marketing, send it with `kind` `transactional`",
  },
  FREQUENCY_CAP: {
    meaning: "the person has already received as many marketing messages as the operator allows",
    advice: "do not send it again now. If it is not marketing, send it with `kind` `transactional`",
  },
  UNREACHABLE: {
    meaning: "several texts in a row to the number failed permanently: it is not in use, or cannot receive texts",
    advice: "do not text this number again. If the person gives it to you anew, subscribe it",
  },
  CARRIER_REFUSED: {
    meaning: "the carrier refused the number, the sender or the content",
    advice: "do not send it again unchanged. The operator can see the carrier's error message",
  },
  CARRIER_FILTERED: {
    meaning:
      "the carrier or a network blocked it because of the registration of the sender, or because the text looked like spam",
    advice:
      "unsubscribe nobody, because the numbers are fine. Tell the operator, who registers the sender or asks the carrier",
  },
  SENDER_LIMIT: {
    meaning:
      "the sender's queue at the carrier was full for too long, or the sender was beyond its rate or its daily limit. Nobody has received the text",
    advice:
      "send more slowly, and this text again in a while if it is still of use. The number is fine, so unsubscribe nobody. The operator can ask the carrier for a higher rate",
  },
  CARRIER_UNAVAILABLE: {
    meaning:
      "the carrier could not be reached in time, was overloaded, or rejected the operator's account. Or it expired in the operator's gateway, which could not hand it to the carrier",
    advice: "send it again, if it is still of use",
  },
  CARRIER_NOT_SET_UP: {
    meaning: "the website's carrier was not set up until the message's deadline",
    advice: "tell the operator, and then send it again",
  },
  MEDIA_NOT_SUPPORTED: {
    meaning: "the carrier, the sender or the handset does not accept media",
    advice: "send it without `mediaUrl`",
  },
  OPTED_OUT: {
    meaning: "the number opted out after the message was accepted, or has opted out at the carrier",
    advice: "do not text this number. Only the person can opt in again, by texting START",
  },
  OUTCOME_UNKNOWN: {
    meaning: "the carrier may have it, because its answer was lost. The carrier's receipt decides",
    advice: "do not send it again, because it may still arrive",
  },
  UNDELIVERED: {
    meaning: "the carrier could not deliver it, for example to a landline, or does not say why",
    advice:
      "if it happens to one number again and again, unsubscribe that number. If it happens to many numbers at once, unsubscribe nobody, and tell the operator",
  },
  NO_RECEIPT: {
    meaning: "no final receipt came from the carrier within `RECEIPT_WITHIN_HOURS`",
    advice: "do not send it again, because it may have arrived",
  },
};

/** What the states of messages mean that have no final status. */
export const STATE_MEANINGS: Record<(typeof MESSAGE_STATES)[number], string> = {
  waiting: "waits for its job",
  held: "waits until an operator [releases](runbook.md#hold-release-or-cancel-messages) it",
  retrying: "waits for its retry, because the carrier could not accept it, or for the pace of its sender",
  claimed: "is being submitted",
  stuck: "was claimed more than 16 minutes ago, so its worker run was interrupted",
  withoutReceipt: "was submitted, and waits for its final receipt",
};

/** What it means that a check of GET /health fails. */
export const CHECK_MEANINGS: Record<CheckName, string> = {
  configuration:
    "the settings are invalid (then this is the only check, and every request is a 500), or neither `SERVICE_KEY` nor `OPERATOR_TOKEN` is set",
  database:
    "D1 does not answer, so requests get 503 (after 20 seconds without an answer) and jobs are retried. Or D1 lacks the latest migration",
  credentials:
    "KV does not answer within 5 seconds, so a client gets 503 from a Worker instance that has not seen it for 30 seconds",
  limiter: "the Durable Object does not answer within half a second, so requests are accepted without a limit",
};

export const JOB_MEANINGS: Record<Job["kind"], string> = {
  deliver: "messages to submit. The sweep has already requeued them",
  record: "outcomes of submissions to store",
  release: "a claim to release: its messages were not submitted",
  "release-callbacks": "callbacks to release: a worker run had claimed them, and did not post them",
  cancel: "messages to cancel, because their client got an answer that they are not stored",
  receipts: "receipts of a carrier to apply. They still take effect when you requeue them",
};
