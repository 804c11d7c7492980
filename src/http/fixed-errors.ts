// The answers to failures of which there is nothing more to say than their kind.
import type { Failure } from "../domain/failure.ts";
import { REFUSED_MILLISECONDS } from "../platform/guesses.ts";

interface FixedAnswer {
  message: string;
  headers?: Record<string, string>;
}

/** What is said of failures that have no field. */
export const FIXED = {
  "guesses-exceeded": {
    message:
      "Too many requests with unknown clients or wrong secrets came at this time. Check the credentials, and repeat the request after the time in Retry-After.",
    headers: { "retry-after": String(REFUSED_MILLISECONDS / 1000) },
  },
  "client-suspended": { message: "This client is suspended. Ask the operator of the service." },
  "signature-wrong": {
    message: "This does not come from the carrier: its signature or key is missing, wrong or too old.",
  },
  "origin-foreign": {
    message:
      "A session's cookie changes something only from a page of this origin: the headers Sec-Fetch-Site: same-origin and X-Console: 1 are needed.",
  },
  "viewer-denied": {
    message: "A viewer changes nothing, and gets no file with people's numbers. It takes an operator's token.",
  },
  "encoding-wrong": { message: "The body must not be compressed: leave Content-Encoding out." },
  "body-incomplete": { message: "The body broke off, or did not arrive in time." },
  "idempotency-conflict": { message: "This Idempotency-Key was used with another body within the last 24 hours." },
  "import-closed": {
    message: "The import was undone, and takes no more rows. Send the file as a new import, without importId.",
  },
} satisfies Partial<Record<Failure["kind"], FixedAnswer>>;

export type Fixed = Extract<Failure, { kind: keyof typeof FIXED }>;

export const isFixed = (failure: Failure): failure is Fixed => failure.kind in FIXED;
