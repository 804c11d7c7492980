// The table of limits in docs/api.md.

import { REQUESTS_PER_SECOND } from "../domain/clients/sliding-window.ts";
import { MAX_BULK_MESSAGES } from "../domain/messages/bulk-request.ts";
import { MAX_MESSAGE_IDS } from "../domain/messages/message-ids.ts";
import { MAX_TEXT_CHARACTERS } from "../domain/messages/send-request.ts";
import { MAX_CSV_ROWS } from "../domain/people/phone-file.ts";
import { MAX_PHONE_NUMBERS } from "../domain/people/phone-list.ts";
import { toSize } from "../domain/to-size.ts";
import { BODY_LIMITS, longestWait, PIECE_BYTES, PIECE_MILLISECONDS } from "../http/body.ts";
import { toTable } from "./tables.ts";

const inWords = (count: number) => count.toLocaleString("en");

/** How long a body of the largest size may take. */
const inSeconds = (limitBytes: number) => Math.ceil(longestWait(limitBytes) / 1000);

export function limitTable(): string {
  const { send, ids, bulk, lists, subscribers } = BODY_LIMITS;
  return toTable(
    ["What", "Limit"],
    [
      ["requests", `${REQUESTS_PER_SECOND} per website in any one-second window`],
      ["text", `${inWords(MAX_TEXT_CHARACTERS)} characters with its link`],
      ["bulk request", `${inWords(MAX_BULK_MESSAGES)} messages; counts as one request`],
      [
        "lists",
        `${inWords(MAX_PHONE_NUMBERS)} phone numbers or ${inWords(MAX_MESSAGE_IDS)} message ids in an array, ${inWords(MAX_CSV_ROWS)} numbers in a CSV file`,
      ],
      [
        "request body",
        `${toSize(send)} to send, ${toSize(bulk)} in bulk, ${toSize(ids)} with message ids, ${toSize(lists)} with lists of numbers, ${toSize(subscribers)} to import`,
      ],
      [
        "slow request body",
        `each ${toSize(PIECE_BYTES)} within ${PIECE_MILLISECONDS / 1000} seconds; all of it within ${inSeconds(send)} seconds, in bulk ${inSeconds(bulk)}`,
      ],
    ],
  );
}
