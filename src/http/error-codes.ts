import type { Failure } from "../domain/failure.ts";

/**
 * A failure with a code of its own, or the unexpected: `fault`, which is the code of an unknown outcome, too. A bulk request or an import
 * that ended early has its cause's code.
 */
export type ErrorKind =
  | Exclude<Failure["kind"], "outcome-unknown" | "bulk-interrupted" | "import-interrupted">
  | "fault";

/**
 * Every code, in the order in which a request is checked. The HTTP status is the code divided by 100. Codes never change
 * meaning; src/openapi/error-meanings.ts says what each means.
 */
export const ERROR_CODES: Record<ErrorKind, number> = {
  "path-unknown": 40400,
  "method-wrong": 40500,
  "credentials-missing": 40100,
  "guesses-exceeded": 42903,
  "credentials-wrong": 40101,
  "client-suspended": 40300,
  "operation-denied": 40301,
  "signature-wrong": 40302,
  "origin-foreign": 40303,
  "viewer-denied": 40304,
  "rate-exceeded": 42900,
  "media-type-wrong": 41500,
  "encoding-wrong": 41501,
  "body-too-large": 41300,
  "body-incomplete": 40800,
  "body-not-json": 40000,
  "fields-wrong": 40001,
  "resource-unknown": 40401,
  "idempotency-conflict": 40900,
  "daily-limit-reached": 42901,
  "tests-exceeded": 42902,
  "look-ups-exceeded": 42904,
  "import-closed": 40901,
  "count-changed": 40903,
  fault: 50000,
  "store-unavailable": 50300,
  "store-full": 50301,
};

/** What only the calls of operators and of carriers can get: the page of clients leaves it out. */
export const NOT_FOR_CLIENTS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "signature-wrong",
  "origin-foreign",
  "viewer-denied",
  "look-ups-exceeded",
  "import-closed",
  "count-changed",
]);

const OTHER_CODES = new Set([...NOT_FOR_CLIENTS].map((kind) => ERROR_CODES[kind]));

/** Where the service itself explains a code. */
export const docsOf = (code: number) => `/docs${OTHER_CODES.has(code) ? "/operator" : ""}#${code}`;
