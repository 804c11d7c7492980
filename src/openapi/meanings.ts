// What the words in answers mean: for the OpenAPI document, and for the tables in docs/.

import type { Job } from "../domain/job.ts";
import type { MessageStatus } from "../domain/message.ts";
import type { MESSAGE_STATES } from "../domain/service-state.ts";
import { REQUESTS_PER_SECOND } from "../domain/sliding-window.ts";
import type { ErrorKind } from "../http/error-codes.ts";
import type { CHECKS } from "../platform/health-memory.ts";

export const STATUS_MEANINGS: Record<MessageStatus, string> = {
  PENDING_TO_SEND: "stored, not yet submitted to the carrier",
  SENDING: "accepted by the carrier, or submitted with an unknown outcome",
  DELIVERED: "delivered to the handset",
  FAILED_TO_DELIVERY: "undelivered, or no final receipt in time",
  FAILED_TO_SEND: "refused by the carrier, or not accepted in time",
  NOT_FOUND: "the number has never been subscribed or imported",
  NOT_SUBSCRIBED: "the number is opted out; checked on acceptance, and again right before submission",
  FAILED_TO_MATCH: "the e-mail address has no subscribed number",
};

/** Of messages that have no final status. */
export const STATE_MEANINGS: Record<(typeof MESSAGE_STATES)[number], string> = {
  waiting: "waits for its job",
  retrying: "waits for its retry: the carrier could not accept it",
  claimed: "is being submitted",
  stuck: "was claimed more than 16 minutes ago: its run was cut off",
  withoutReceipt: "was submitted, and waits for its final receipt",
};

/** What it means that a check of GET /health fails. */
export const CHECK_MEANINGS: Record<(typeof CHECKS)[number], string> = {
  configuration:
    "the settings are invalid (then this is the only check, and every request is a 500), or neither `SERVICE_KEY` nor `OPERATOR_TOKEN` is set",
  database:
    "D1 does not answer: requests are 503 (after 20 seconds of silence), and jobs are retried. Or D1 lacks the latest migration",
  credentials: "KV does not answer within 5 seconds: a client that an isolate has not seen for 30 seconds gets 503",
  limiter: "the Durable Object does not answer within half a second: requests are accepted without a limit",
};

export const JOB_MEANINGS: Record<Job["kind"], string> = {
  deliver: "messages to submit; the sweep has requeued them since",
  record: "outcomes of submissions, to be stored",
  release: "a claim whose messages were not submitted, to be released",
  cancel: "messages whose sender was told that they are not stored, to be cancelled",
  receipts: "receipts of a carrier, to be applied: a requeued one still takes effect",
};

/** `advice`: what the caller does about it, where the meaning does not make it plain. */
export const ERROR_MEANINGS: Record<ErrorKind, { meaning: string; advice?: string }> = {
  "path-unknown": { meaning: "no such path" },
  "method-wrong": { meaning: "wrong method; `Allow` says which" },
  "credentials-missing": { meaning: "credentials missing, or not of the issued form" },
  "credentials-wrong": { meaning: "unknown client, or wrong secret or token" },
  "guesses-exceeded": {
    meaning: "too many unknown clients and wrong secrets in this second, from one address or from all",
    advice: "check the credentials; retry after `Retry-After`",
  },
  "client-suspended": { meaning: "the client is suspended", advice: "ask the operator" },
  "operation-denied": { meaning: "the operation is not granted to the client", advice: "ask the operator" },
  "signature-wrong": { meaning: "not from the carrier: signature or key missing, wrong or too old" },
  "rate-exceeded": {
    meaning: `more than ${REQUESTS_PER_SECOND} requests in one second for the website`,
    advice: "retry after `Retry-After`",
  },
  "media-type-wrong": { meaning: "wrong Content-Type: it is `application/json`, or `text/csv` for an import" },
  "encoding-wrong": { meaning: "the body is compressed (`Content-Encoding`)" },
  "body-too-large": { meaning: "the body is too large" },
  "body-incomplete": { meaning: "the body broke off, or did not arrive in time", advice: "retry" },
  "body-not-json": { meaning: "the body is not JSON in UTF-8" },
  "fields-wrong": { meaning: "invalid fields: `details` lists all of them" },
  "resource-unknown": { meaning: "unknown message, website, client or number" },
  "idempotency-conflict": { meaning: "the Idempotency-Key was used with another body" },
  fault: {
    meaning: "unexpected error; the log has it under the `X-Request-Id`",
    advice: "retry with an Idempotency-Key",
  },
  "store-unavailable": { meaning: "a store did not answer", advice: "retry after `Retry-After`: it is safe" },
};
