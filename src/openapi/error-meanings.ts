// What errors mean, and when a request may be repeated: for the OpenAPI document, and for the tables in docs/.
import { REQUESTS_PER_SECOND } from "../domain/clients/sliding-window.ts";
import { LOOK_UPS } from "../domain/operations/operator-token.ts";
import type { ErrorKind } from "../http/error-codes.ts";

/** `advice`: what the caller does about it, where the meaning does not make it plain. */
interface ErrorMeaning {
  /** Begins a sentence. */
  meaning: string;
  /** One sentence, or several. */
  advice?: string;
}

export const ERROR_MEANINGS: Record<ErrorKind, ErrorMeaning> = {
  "path-unknown": {
    meaning: "There is no such path.",
    advice: "`message` names the nearest path, if one is near. Upper and lower case differ.",
  },
  "method-wrong": {
    meaning: "The path takes another method.",
    advice: "Use a method that `Allow` names. Send to https, because a redirect from http turns a POST into a GET.",
  },
  "credentials-missing": {
    meaning: "The credentials are missing, or do not have the form of issued ones.",
    advice: "`message` names the header and its form.",
  },
  "credentials-wrong": {
    meaning: "The client is unknown, or the secret or token is wrong.",
    advice: "Compare both with what was issued. After a rotation, the old secret ends with its grace period.",
  },
  "guesses-exceeded": {
    meaning: "Too many requests with unknown clients or wrong secrets came from this address.",
    advice: "Check the credentials, then retry after `Retry-After`.",
  },
  "tests-exceeded": {
    meaning: "The client was tried too often: nothing was posted, and no text was sent.",
    advice: "Retry after `Retry-After`.",
  },
  "look-ups-exceeded": {
    meaning: `The token has the role \`viewer\`, which looks up at most ${LOOK_UPS.most} people a minute.`,
    advice: "Retry after `Retry-After`.",
  },
  "client-suspended": { meaning: "The client is suspended.", advice: "Ask the operator." },
  "operation-denied": { meaning: "The client does not have the grant of this call.", advice: "Ask the operator." },
  "signature-wrong": {
    meaning: "The request does not come from the carrier: its signature or key is missing, wrong or too old.",
  },
  "origin-foreign": {
    meaning: "A call came with the cookie of a session, but not from a page of the console.",
    advice:
      "With a call that changes something, send `Sec-Fetch-Site: same-origin` and `X-Console: 1`. Or send a bearer token in place of the cookie.",
  },
  "viewer-denied": {
    meaning: "The token has the role `viewer`: it changes nothing, and gets no file with people's numbers.",
    advice: "Use a token with the role `operator`.",
  },
  "rate-exceeded": {
    meaning: `The website has made more than ${REQUESTS_PER_SECOND} requests in one second, counted over all its clients.`,
    advice: "Retry after `Retry-After`.",
  },
  "media-type-wrong": {
    meaning: "The Content-Type is wrong: it must be `application/json`, or `text/csv` or `text/plain` for an import.",
    advice: "`message` says what came.",
  },
  "encoding-wrong": { meaning: "The body is compressed (`Content-Encoding`).", advice: "Send it uncompressed." },
  "body-too-large": { meaning: "The body is too large.", advice: "Split it." },
  "body-incomplete": { meaning: "The body ended early, or did not arrive in time.", advice: "Retry." },
  "body-not-json": { meaning: "The body is not JSON in UTF-8.", advice: "`message` says where and why." },
  "fields-wrong": { meaning: "One or more fields are invalid.", advice: "`details` lists all of them." },
  "resource-unknown": {
    meaning: "The message, website, client, number, import or hold is unknown.",
    advice: "For a hold, `details` lists those of the website.",
  },
  "idempotency-conflict": {
    meaning: "The Idempotency-Key was used with another body.",
    advice: "The first request with this key is stored. Use a new key for another message.",
  },
  "daily-limit-reached": {
    meaning: "The website has reached its daily limit, and accepts no more texts for now.",
    advice: "Retry after `Retry-After`, which may be hours, or ask the operator for a higher limit.",
  },
  "import-closed": {
    meaning: "The import was undone, and takes no more rows.",
    advice: "Send the file as a new import, without `importId`.",
  },
  "count-changed": {
    meaning: "The call would act on another count than `expected`, so nothing was done.",
    advice: "`details` has the present count: look again, and repeat the call with it.",
  },
  fault: {
    meaning:
      "An unexpected error, which the log has under the `requestId`. Or neither the database nor the queue answered, and `details` has the `messageId` of each message that may be stored.",
    advice:
      "Retry with the same Idempotency-Key. Without a key, ask for the status of each messageId as `message` says, before you send it again. If `details` has none, ask the operator first.",
  },
  "store-unavailable": {
    meaning: "The service is temporarily unavailable, because its database did not answer.",
    advice: "Retry after `Retry-After`, with the same Idempotency-Key if the request had one.",
  },
  "store-full": {
    meaning: "The database of the website is full, and accepts no more messages.",
    advice: "Tell the operator. Retry once there is room.",
  },
};

/** A bulk request is stored while it comes in: `details` has what was stored before the error. A key is an Idempotency-Key. */
const PART_STORED =
  "With a key, send the whole request again with the same key. Without a key, send only what `details` does not name.";

/** What of a bulk request to send again after an error that can end one in its middle. After all others, nothing is stored. */
export const REPEATS: Partial<Record<ErrorKind, string>> = {
  "body-too-large":
    "Send only what `details` does not name, in smaller requests. If the request had a key, each of them needs a new one.",
  "body-incomplete": PART_STORED,
  "body-not-json": PART_STORED,
  "idempotency-conflict": "No: what `details` names is stored under this key. The remaining messages need a new key.",
  fault:
    "With a key, send the whole request again with the same key. Without a key, send what `details` does not name, if it says which messages may be stored. If it does not, more than it names may be stored.",
  "store-unavailable": PART_STORED,
  "store-full": PART_STORED,
  "daily-limit-reached": PART_STORED,
};
