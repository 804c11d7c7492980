// The answers to failures that need no more words than their kind.
import type { Failure } from "../domain/failure.ts";
import type { OverLimit } from "../domain/messages/daily-limit.ts";
import { REFUSED_MILLISECONDS } from "../platform/guesses.ts";

/** Several answers begin with it. */
export const UNAVAILABLE = "The service is temporarily unavailable, because one of its stores did not answer.";

/** Several answers begin with it. */
export const FULL = "The database of this website is full, so it accepts no more messages.";

/** Several answers begin with it. */
export function describeLimit({ limit, wanted }: Pick<OverLimit, "limit" | "wanted">): string {
  const cut = wanted > limit ? ` It never accepts ${wanted} at once: send fewer texts in one request.` : "";
  return `This website accepts no more texts for now, because it has reached the most in 24 hours that its operator has set: ${limit.toLocaleString("en")}.${cut}`;
}

interface FixedAnswer {
  message: string;
  headers?: Record<string, string>;
}

/** The answers to failures without a field. */
export const FIXED = {
  "guesses-exceeded": {
    message:
      "Too many requests with wrong credentials came from your address. Check the credentials, and repeat the request after the time in Retry-After.",
    headers: { "retry-after": String(REFUSED_MILLISECONDS / 1000) },
  },
  "client-suspended": { message: "This client is suspended. Ask the operator of the service." },
  "signature-wrong": {
    message: "This request does not come from the carrier: its signature or key is missing, wrong or too old.",
  },
  "origin-foreign": {
    message:
      "A call with the cookie of a session must come from the console: one that changes something with the headers Sec-Fetch-Site: same-origin and X-Console: 1. Or send a bearer token in place of the cookie.",
  },
  "viewer-denied": {
    message:
      "You have the role viewer, which changes nothing and gets no file with people's numbers. Use a token with the role operator.",
  },
  "encoding-wrong": { message: "The body must not be compressed: leave Content-Encoding out." },
  "body-incomplete": { message: "The body ended early, or did not arrive in time." },
  "idempotency-conflict": {
    message:
      "This Idempotency-Key was used with another body within the last 24 hours. To send another message, use a new key.",
  },
  "import-closed": {
    message: "The import was undone, and takes no more rows. Send the file as a new import, without importId.",
  },
} satisfies Partial<Record<Failure["kind"], FixedAnswer>>;

export type Fixed = Extract<Failure, { kind: keyof typeof FIXED }>;

export const isFixed = (failure: Failure): failure is Fixed => failure.kind in FIXED;
