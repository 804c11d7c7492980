import type { Failure } from "../domain/failure.ts";
import { REQUESTS_PER_SECOND } from "../domain/sliding-window.ts";

/** A failure with a code of its own, or the unexpected: `fault`. A bulk request that ended early has its cause's code. */
export type ErrorKind = Exclude<Failure["kind"], "bulk-interrupted"> | "fault";

interface ErrorCode {
  /** The HTTP status is the code divided by 100. Codes never change meaning. */
  code: number;
  meaning: string;
  /** What the caller does about it, where that is not plain from the meaning. */
  advice?: string;
}

/** Every code, in the order in which a request is checked. Answers and the OpenAPI document are made from this table. */
export const ERROR_CODES: Record<ErrorKind, ErrorCode> = {
  "path-unknown": { code: 40400, meaning: "no such path" },
  "method-wrong": { code: 40500, meaning: "wrong method; `Allow` says which" },
  "credentials-missing": { code: 40100, meaning: "credentials missing, or not of the issued form" },
  "credentials-wrong": { code: 40101, meaning: "unknown client, or wrong secret or token" },
  "client-suspended": { code: 40300, meaning: "the client is suspended", advice: "ask the operator" },
  "operation-denied": {
    code: 40301,
    meaning: "the operation is not granted to the client",
    advice: "ask the operator",
  },
  "signature-wrong": { code: 40302, meaning: "not from the carrier: signature or key missing, wrong or too old" },
  "rate-exceeded": {
    code: 42900,
    meaning: `more than ${REQUESTS_PER_SECOND} requests in one second for the website`,
    advice: "retry after `Retry-After`",
  },
  "media-type-wrong": {
    code: 41500,
    meaning: "wrong Content-Type: it is `application/json`, or `text/csv` for an import",
  },
  "encoding-wrong": { code: 41501, meaning: "the body is compressed (`Content-Encoding`)" },
  "body-too-large": { code: 41300, meaning: "the body is too large" },
  "body-incomplete": {
    code: 40800,
    meaning: "the body broke off, or did not arrive in time",
    advice: "retry",
  },
  "body-not-json": { code: 40000, meaning: "the body is not JSON in UTF-8" },
  "fields-wrong": { code: 40001, meaning: "invalid fields: `details` lists all of them" },
  "resource-unknown": { code: 40401, meaning: "unknown message, website, client or number" },
  "idempotency-conflict": { code: 40900, meaning: "the Idempotency-Key was used with another body" },
  fault: {
    code: 50000,
    meaning: "unexpected error; the log has it under the `X-Request-Id`",
    advice: "retry with an Idempotency-Key",
  },
  "store-unavailable": {
    code: 50300,
    meaning: "a store did not answer",
    advice: "retry after `Retry-After`: it is safe",
  },
};
