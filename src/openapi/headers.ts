import { REQUESTS_PER_SECOND } from "../domain/clients/sliding-window.ts";

/** The headers of answers. If the limiter itself fails, the answer has no headers of the limit. */
export const HEADERS = {
  "X-Request-Id": {
    description: "Names the request in the log of the service.",
    required: true,
    schema: { type: "string", format: "uuid" },
    example: "0b0e1f3c-6a5d-4b57-9d9e-2f6c1c0f4a11",
  },
  "RateLimit-Policy": {
    description: `The limit of the website: ${REQUESTS_PER_SECOND} requests in any one-second window (IETF draft-ietf-httpapi-ratelimit-headers).`,
    schema: { type: "string", pattern: '^"website";q=\\d+;w=\\d+$' },
    example: '"website";q=300;w=1',
  },
  RateLimit: {
    description: "How many requests the website has left (`r`), and in how many seconds the span ends (`t`).",
    schema: { type: "string", pattern: '^"website";r=\\d+;t=\\d+$' },
    example: '"website";r=299;t=1',
  },
  "Ignored-Fields": {
    description:
      "The names of the unknown fields of the body and parameters of the query, which were ignored: at most 20 names and 500 characters. A comma, a percent sign, and any character that is not visible ASCII, is percent-encoded. The header is left out if there are none.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]+(, [\\x21-\\x7e]+)*$", maxLength: 500 },
    example: "sendAt, click_url",
  },
  "Retry-After": {
    description: "Whole seconds to wait before the retry.",
    required: true,
    schema: { type: "string", pattern: "^\\d+$" },
    example: "1",
  },
  Link: {
    description: "Where `/docs` of the service explains the code of the error (RFC 8288), relative to the request.",
    required: true,
    schema: { type: "string", pattern: '^</docs(/operator)?#\\d{5}>; rel="help"$' },
    example: '</docs#40001>; rel="help"',
  },
  Allow: {
    description: "The methods of the path.",
    required: true,
    schema: { type: "string" },
    example: "POST",
  },
  Location: {
    description:
      "The `clickUrl` of the message, query and fragment included, with non-ASCII characters percent-encoded.",
    required: true,
    schema: { type: "string", pattern: "^[\\x21-\\x7e]+$" },
    example: "https://example.com/sale?from=sms#top",
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** @returns the Headers of a response, as references */
export function referTo(names: Iterable<HeaderName>): Record<string, { $ref: string }> {
  return Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
