// The table of limits in the README.

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
import { IDEMPOTENCY_MILLISECONDS } from "../flows/messages/accept-message.ts";
import { BODY_LIMITS, PIECE_BYTES, PIECE_MILLISECONDS } from "../http/body.ts";
import { CALLBACK_TIMEOUT_MILLISECONDS, KEPT_BYTES } from "../platform/callback-post.ts";
import { toSize, toTable } from "./tables.ts";

const inWords = (count: number) => count.toLocaleString("en");
const hours = (milliseconds: number) => `${milliseconds / 3_600_000} hours`;
const seconds = (milliseconds: number) => `${milliseconds / 1000} seconds`;

export function limitTable(): string {
  const config = readConfig({});
  const { send, ids, bulk, lists, subscribers } = BODY_LIMITS;
  return toTable(
    ["", ""],
    [
      [
        "requests",
        `${REQUESTS_PER_SECOND} in any span of one second per website, exactly, over all endpoints and clients`,
      ],
      ["text", `${inWords(MAX_TEXT_CHARACTERS)} characters with its link`],
      [
        "lists",
        `${inWords(MAX_PHONE_NUMBERS)} phone numbers or ${inWords(MAX_MESSAGE_IDS)} message ids in an array, ${inWords(MAX_CSV_ROWS)} numbers in a CSV file`,
      ],
      ["bulk request", `${inWords(MAX_BULK_MESSAGES)} messages, which count as one request`],
      [
        "request body",
        `${toSize(send)} to send, ${toSize(bulk)} in bulk, ${toSize(ids)} with message ids, ${toSize(lists)} with lists of numbers, ${toSize(subscribers)} to import`,
      ],
      [
        "slow request body",
        `${seconds(PIECE_MILLISECONDS)} per ${toSize(PIECE_BYTES)}; in total 30 seconds, and the largest body at 256 KB/s`,
      ],
      ["`Idempotency-Key`", `valid for ${hours(IDEMPOTENCY_MILLISECONDS)}`],
      [
        "submission",
        `${seconds(SUBMIT_TIMEOUT_MILLISECONDS)}; retried with backoff up to ${MOST_ATTEMPTS} times (more often while the carrier itself fails) within ${hours(config.submitWithinMilliseconds)} (\`SUBMIT_WITHIN_HOURS\`), never after an unknown outcome`,
      ],
      [
        "callback",
        `one attempt, ${seconds(CALLBACK_TIMEOUT_MILLISECONDS)}; the first ${toSize(KEPT_BYTES)} of the response is kept`,
      ],
      ["lost job", "requeued within two minutes, its message delivered within four"],
      [
        "change to a client",
        "what it takes away is refused at once, while the object of the website answers; the rest holds within minutes",
      ],
      [
        "receipt",
        `awaited for ${hours(config.receiptWithinMilliseconds)} (\`RECEIPT_WITHIN_HOURS\`), then FAILED_TO_DELIVERY`,
      ],
      [
        "retention",
        `${config.retentionMilliseconds / DAY_MILLISECONDS} days (\`RETENTION_DAYS\`); subscriptions, their ledger and the audit log are never purged`,
      ],
    ],
  );
}
