import type { Failure } from "../domain/failure.ts";
import { LOOK_UPS } from "../domain/operations/operator-token.ts";
import { BODY_LIMITS } from "../http/body.ts";
import { type Call, hasFiles, isForOperators, looksUpPeople } from "../http/call.ts";
import { ERROR_CODES, type ErrorKind } from "../http/error-codes.ts";
import { errorSchema } from "../http/error-schema.ts";
import { type ErrorAnswer, FAULT, toAnswer } from "../http/errors.ts";
import { REQUEST_ID } from "../http/examples.ts";
import { ERROR_MEANINGS } from "./error-meanings.ts";
import { type HeaderName, referTo } from "./headers.ts";
import { type JsonObject, toJsonSchema } from "./schemas.ts";

const EXAMPLES: { [K in Exclude<ErrorKind, "fault">]: Extract<Failure, { kind: K }> } = {
  "path-unknown": { kind: "path-unknown" },
  "method-wrong": { kind: "method-wrong", given: "GET", allow: ["POST"] },
  "credentials-missing": { kind: "credentials-missing", message: "The header X-Client-ID is missing." },
  "credentials-wrong": {
    kind: "credentials-wrong",
    message:
      "There is no client with this X-Client-ID, or the X-Client-Secret is not its own. Compare both with what the operator gave you.",
  },
  "guesses-exceeded": { kind: "guesses-exceeded" },
  "tests-exceeded": { kind: "tests-exceeded", retryAfterSeconds: 12 },
  "look-ups-exceeded": { kind: "look-ups-exceeded", most: LOOK_UPS.most, retryAfterSeconds: 12 },
  "client-suspended": { kind: "client-suspended" },
  "operation-denied": { kind: "operation-denied", operation: "send" },
  "signature-wrong": { kind: "signature-wrong" },
  "origin-foreign": { kind: "origin-foreign" },
  "viewer-denied": { kind: "viewer-denied" },
  "rate-exceeded": { kind: "rate-exceeded", retryAfterSeconds: 1 },
  "media-type-wrong": { kind: "media-type-wrong", expected: "application/json", given: "text/plain" },
  "encoding-wrong": { kind: "encoding-wrong" },
  "body-too-large": { kind: "body-too-large", limitBytes: BODY_LIMITS.send },
  "body-incomplete": { kind: "body-incomplete" },
  "body-not-json": {
    kind: "body-not-json",
    problem:
      'is not JSON: line 1, column 34 (at text) has "A" where a comma or "}" was expected. Write a quote within a text as \\".',
  },
  "fields-wrong": {
    kind: "fields-wrong",
    details: [
      { field: "text", message: "is required" },
      { field: "phone", message: "either phone or email must be given" },
    ],
  },
  "resource-unknown": { kind: "resource-unknown", what: "message" },
  "idempotency-conflict": { kind: "idempotency-conflict" },
  "daily-limit-reached": { kind: "daily-limit-reached", limit: 10_000, wanted: 1, retryAfterSeconds: 1800 },
  "import-closed": { kind: "import-closed" },
  "count-changed": { kind: "count-changed", count: 880 },
  "store-unavailable": { kind: "store-unavailable" },
  "store-full": { kind: "store-full" },
};

const ORDER = Object.keys(ERROR_CODES) as ErrorKind[];

/** Every kind of failure that a call may answer. */
export function errorsOf(call: Call): ErrorKind[] {
  const { access, body, errors = [] } = call;
  const kinds: ErrorKind[] = [];
  const credentials = ["credentials-missing", "credentials-wrong"] as const;
  if (access === "operator") kinds.push("path-unknown", ...credentials, "guesses-exceeded", "origin-foreign");
  if (access === "operator" && (isForOperators(call) || hasFiles(call))) kinds.push("viewer-denied");
  if (looksUpPeople(call)) kinds.push("look-ups-exceeded");
  if (access === "carrier") kinds.push("path-unknown", "signature-wrong", "body-too-large", "body-incomplete");
  if (typeof access === "object") {
    kinds.push(...credentials, "guesses-exceeded", "client-suspended", "operation-denied", "rate-exceeded");
  }
  if (body && access !== "carrier") {
    kinds.push("media-type-wrong", "encoding-wrong", "body-too-large", "body-incomplete", "fields-wrong");
  }
  if (body?.mediaTypes.includes("application/json") && access !== "carrier") kinds.push("body-not-json");
  if (access !== "open") kinds.push("store-unavailable");
  const all = new Set<ErrorKind>([...kinds, ...errors, "fault"]);
  return ORDER.filter((kind) => all.has(kind));
}

/** The responses of failures: each is written once, among the components, and referred to. */
export class ErrorResponses {
  readonly components: Record<string, JsonObject> = {};
  readonly #schema = toJsonSchema(errorSchema) as { properties: { code: object } };

  /** The responses of these kinds by status. */
  byStatus(kinds: ErrorKind[], isLimited: boolean): JsonObject {
    const byStatus = Map.groupBy(kinds, (kind) => Math.floor(ERROR_CODES[kind] / 100));
    return Object.fromEntries([...byStatus].map(([status, some]) => [status, this.#refer(some, isLimited)]));
  }

  #refer(kinds: ErrorKind[], isLimited: boolean): JsonObject {
    const codes = kinds.map((kind) => ERROR_CODES[kind]);
    const name = `Error${codes.join("-")}${isLimited ? "Limited" : ""}`;
    this.components[name] ??= {
      description: kinds.map(describe).join("\n"),
      headers: referTo(headersOf(Math.floor((codes[0] ?? 0) / 100), isLimited)),
      content: { "application/json": { schema: this.#withCodes(codes), examples: toExamples(kinds) } },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  #withCodes(codes: number[]): JsonObject {
    const { properties } = this.#schema;
    return { ...this.#schema, properties: { ...properties, code: { type: "integer", enum: codes } } };
  }
}

/** A request without credentials, or of a client that may not, is not counted against the limit. */
function headersOf(status: number, isLimited: boolean): HeaderName[] {
  const headers: HeaderName[] = ["X-Request-Id", "Link"];
  if (isLimited && status !== 401 && status !== 403) headers.push("RateLimit-Policy", "RateLimit");
  if (status === 429 || status === 503) headers.push("Retry-After");
  if (status === 405) headers.push("Allow");
  return headers;
}

function toExamples(kinds: ErrorKind[]): JsonObject {
  const examples = kinds.map((kind) => {
    const { code, message, details = [] } = toExample(kind);
    return [code, { summary: ERROR_MEANINGS[kind].meaning, value: { code, message, details, requestId: REQUEST_ID } }];
  });
  return Object.fromEntries(examples);
}

function toExample(kind: ErrorKind): ErrorAnswer {
  return kind === "fault" ? FAULT : toAnswer(EXAMPLES[kind], 0);
}

function describe(kind: ErrorKind): string {
  const { meaning, advice } = ERROR_MEANINGS[kind];
  return `- ${ERROR_CODES[kind]}: ${meaning}${advice ? ` ${advice}` : ""}`;
}
