// The table of limits in docs/api.md.

import { SUBMIT_TIMEOUT_MILLISECONDS } from "../carriers/http.ts";
import { readConfig } from "../config.ts";
import { REQUESTS_PER_SECOND } from "../domain/clients/sliding-window.ts";
import { DAY_MILLISECONDS } from "../domain/day.ts";
import { MAX_BULK_MESSAGES } from "../domain/messages/bulk-request.ts";
import { MAX_MESSAGE_IDS } from "../domain/messages/message-ids.ts";
import { MOST_ATTEMPTS } from "../domain/messages/retry-policy.ts";
import { MAX_TEXT_CHARACTERS } from "../domain/messages/send-request.ts";
import { MAX_CSV_ROWS } from "../domain/people/phone-file.ts";
import { MAX_PHONE_NUMBERS } from "../domain/people/phone-list.ts";
import { toSize } from "../domain/to-size.ts";
import { IDEMPOTENCY_MILLISECONDS } from "../flows/messages/accept-message.ts";
import { BODY_LIMITS, longestWait, PIECE_BYTES, PIECE_MILLISECONDS } from "../http/body.ts";
import { ERROR_CODES } from "../http/error-codes.ts";
import { CALLBACK_TIMEOUT_MILLISECONDS, KEPT_BYTES } from "../platform/callback-post.ts";
import { toTable } from "./tables.ts";

const inWords = (count: number) => count.toLocaleString("en");
const hours = (milliseconds: number) => `${milliseconds / 3_600_000} hours`;
const seconds = (milliseconds: number) => `${milliseconds / 1000} seconds`;
const wholeSeconds = (limitBytes: number) => seconds(Math.ceil(longestWait(limitBytes) / 1000) * 1000);

/** What it limits, and the limit. */
interface Limit {
  of: string;
  limit: string;
}

export const limitTable = () =>
  toTable(
    ["What", "Limit"],
    [...limitsOfRequests(), ...limitsOfTime()].map(({ of, limit }) => [of, limit]),
  );

function limitsOfRequests(): Limit[] {
  const { send, ids, bulk, lists, subscribers } = BODY_LIMITS;
  return [
    {
      of: "requests",
      limit: `${REQUESTS_PER_SECOND} per website in any one-second window`,
    },
    {
      of: "texts in 24 hours",
      limit: `any number, or the daily limit of the website (${ERROR_CODES["daily-limit-reached"]})`,
    },
    { of: "text", limit: `${inWords(MAX_TEXT_CHARACTERS)} characters with its link` },
    {
      of: "bulk request",
      limit: `${inWords(MAX_BULK_MESSAGES)} messages; counts as one request`,
    },
    {
      of: "lists",
      limit: `${inWords(MAX_PHONE_NUMBERS)} phone numbers or ${inWords(MAX_MESSAGE_IDS)} message ids in an array, ${inWords(MAX_CSV_ROWS)} numbers in a CSV file`,
    },
    {
      of: "request body",
      limit: `${toSize(send)} to send, ${toSize(bulk)} in bulk, ${toSize(ids)} with message ids, ${toSize(lists)} with lists of numbers, ${toSize(subscribers)} to import`,
    },
    {
      of: "slow request body",
      limit: `each ${toSize(PIECE_BYTES)} within ${seconds(PIECE_MILLISECONDS)}; the whole body within ${wholeSeconds(send)} to send, ${wholeSeconds(bulk)} in bulk, ${wholeSeconds(lists)} with lists of numbers, ${wholeSeconds(subscribers)} to import`,
    },
    { of: "`Idempotency-Key`", limit: `valid for ${hours(IDEMPOTENCY_MILLISECONDS)}` },
  ];
}

function limitsOfTime(): Limit[] {
  const config = readConfig({});
  return [
    {
      of: "submission",
      limit: `${seconds(SUBMIT_TIMEOUT_MILLISECONDS)}; up to ${MOST_ATTEMPTS} retries within ${hours(config.submitWithinMilliseconds)} (\`SUBMIT_WITHIN_HOURS\`); no retry if the carrier may have the message`,
    },
    {
      of: "callback",
      limit: `one attempt, ${seconds(CALLBACK_TIMEOUT_MILLISECONDS)}; the first ${toSize(KEPT_BYTES)} of the response is kept`,
    },
    {
      of: "receipt",
      limit: `awaited for ${hours(config.receiptWithinMilliseconds)} (\`RECEIPT_WITHIN_HOURS\`), then FAILED_TO_DELIVERY`,
    },
    {
      of: "retention",
      limit: `${config.retentionMilliseconds / DAY_MILLISECONDS} days (\`RETENTION_DAYS\`); subscriptions, their ledger and the audit log are never deleted`,
    },
  ];
}
