import * as z from "zod";
import type { Failure, FieldError } from "../domain/failure.ts";

export const errorSchema = z.object({
  code: z.int(),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

interface ErrorAnswer {
  /** The HTTP status is the code divided by 100. Codes never change meaning. */
  code: number;
  message: string;
  details?: FieldError[];
  headers?: Record<string, string>;
}

/** How long a caller waits before it repeats a request that a store did not answer. */
const STORE_RETRY_SECONDS = 2;

/** The one place that turns a failure into an answer. */
export function failureResponse(failure: Failure): Response {
  const { code, message, details, headers } = toAnswer(failure);
  const body: z.output<typeof errorSchema> = { code, message, details: details ?? [] };
  return Response.json(body, { status: Math.floor(code / 100), headers: headers ?? {} });
}

/** Nothing of an unexpected fault is shown; the request id finds it in the log. */
export function faultResponse(): Response {
  const message = "Internal server error. The X-Request-Id header names this request in our log.";
  return Response.json({ code: 50000, message, details: [] }, { status: 500 });
}

function toAnswer(failure: Failure): ErrorAnswer {
  switch (failure.kind) {
    case "path-unknown":
      return { code: 40400, message: "There is no such path." };
    case "method-wrong":
      return {
        code: 40500,
        message: `This path takes ${failure.allow.join(", ")}.`,
        headers: { allow: failure.allow.join(", ") },
      };
    case "credentials-missing":
      return { code: 40100, message: failure.message };
    case "credentials-wrong":
      return { code: 40101, message: failure.message };
    case "client-suspended":
      return { code: 40300, message: "This client is suspended. Ask the operator of the service." };
    case "operation-denied":
      return {
        code: 40301,
        message: `The operation "${failure.operation}" is not granted to this client. Ask the operator of the service.`,
      };
    case "signature-wrong":
      return {
        code: 40302,
        message: "This does not come from the carrier: its signature or key is missing, wrong or too old.",
      };
    case "rate-exceeded":
      return {
        code: 42900,
        message: "More than 300 requests in one second for this website. Repeat it after the time in Retry-After.",
        headers: { "retry-after": String(failure.retryAfterSeconds) },
      };
    case "media-type-wrong":
      return { code: 41500, message: `The Content-Type must be ${failure.expected}.` };
    case "body-too-large":
      return {
        code: 41300,
        message: `The body is larger than ${failure.limitBytes} bytes, the most that is taken here.`,
      };
    case "body-not-json":
      return { code: 40000, message: "The body is not JSON in UTF-8." };
    case "fields-wrong":
      return { code: 40001, message: fieldsMessage(failure.details), details: failure.details };
    case "resource-unknown":
      return { code: 40401, message: `There is no such ${failure.what}.` };
    case "idempotency-conflict":
      return { code: 40900, message: "This Idempotency-Key was used with another body within the last 24 hours." };
    case "store-unavailable":
      return {
        code: 50300,
        message: "A store did not answer. It is safe to repeat the request after the time in Retry-After.",
        headers: { "retry-after": String(STORE_RETRY_SECONDS) },
      };
    case "bulk-interrupted": {
      const { stored } = failure;
      const answer = toAnswer(failure.because);
      const message = `${answer.message} Before that, ${stored.length} messages were stored, and details says which: repeat the request with its Idempotency-Key, or send only the others.`;
      const details = stored.map(({ index, messageId }) => ({
        field: `messages[${index}]`,
        message: `stored as ${messageId}`,
      }));
      return { ...answer, message, details: [...(answer.details ?? []), ...details] };
    }
  }
}

/** One fault is told in the message as well: many clients show nothing else. */
function fieldsMessage(details: FieldError[]): string {
  const [first] = details;
  if (details.length === 1 && first) return `${first.field}: ${first.message}`;
  return `${details.length} rules are broken; details says which.`;
}
