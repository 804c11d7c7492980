import * as z from "zod";
import type { Failure } from "../../domain/failure.ts";
import { ERROR_CODES, type ErrorKind } from "../error-codes.ts";
import { type ErrorAnswer, errorSchema, FAULT, toAnswer } from "../errors.ts";
import { type HeaderName, referTo } from "./headers.ts";
import type { ApiOperation } from "./operation.ts";
import { type JsonObject, toJsonSchema } from "./schemas.ts";

const LIMIT_BYTES = 131_072;

const EXAMPLES: { [K in Exclude<ErrorKind, "fault">]: Extract<Failure, { kind: K }> } = {
  "path-unknown": { kind: "path-unknown" },
  "method-wrong": { kind: "method-wrong", allow: ["POST"] },
  "credentials-missing": { kind: "credentials-missing", message: "The header X-Client-ID is missing." },
  "credentials-wrong": {
    kind: "credentials-wrong",
    message: "X-Client-ID and X-Client-Secret do not belong together, or there is no such client.",
  },
  "client-suspended": { kind: "client-suspended" },
  "operation-denied": { kind: "operation-denied", operation: "send" },
  "signature-wrong": { kind: "signature-wrong" },
  "rate-exceeded": { kind: "rate-exceeded", retryAfterSeconds: 1 },
  "media-type-wrong": { kind: "media-type-wrong", expected: "application/json" },
  "body-too-large": { kind: "body-too-large", limitBytes: LIMIT_BYTES },
  "body-not-json": { kind: "body-not-json" },
  "fields-wrong": {
    kind: "fields-wrong",
    details: [
      { field: "text", message: "is required" },
      { field: "phone", message: "either phone or email must be given" },
    ],
  },
  "resource-unknown": { kind: "resource-unknown", what: "message" },
  "idempotency-conflict": { kind: "idempotency-conflict" },
  "store-unavailable": { kind: "store-unavailable" },
};

/** Every kind of failure that an operation may answer. */
export function errorsOf({ access, body, errors = [] }: ApiOperation): ErrorKind[] {
  const kinds: ErrorKind[] = [];
  const credentials = ["credentials-missing", "credentials-wrong"] as const;
  if (access === "operator") kinds.push("path-unknown", ...credentials);
  if (access === "carrier") kinds.push("path-unknown", "signature-wrong", "body-too-large");
  if (typeof access === "object") kinds.push(...credentials, "client-suspended", "operation-denied", "rate-exceeded");
  if (body && access !== "carrier") kinds.push("media-type-wrong", "body-too-large", "fields-wrong");
  if (body?.mediaTypes.includes("application/json") && access !== "carrier") kinds.push("body-not-json");
  return [...new Set([...kinds, ...errors, "fault" as const])];
}

/** The responses of these kinds by status, and the headers that each has. */
export function errorResponses(kinds: ErrorKind[], isLimited: boolean): Record<string, JsonObject> {
  const byStatus = Map.groupBy(kinds, (kind) => Math.floor(ERROR_CODES[kind].code / 100));
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(entries.map(([status, some]) => [status, errorResponse(some, isLimited)]));
}

export function errorResponse(kinds: ErrorKind[], isLimited: boolean): JsonObject {
  const answers = kinds.map(toExample);
  const headers: HeaderName[] = ["X-Request-Id"];
  const status = Math.floor((answers[0]?.code ?? 0) / 100);
  if (isLimited && status !== 401 && status !== 403) headers.push("RateLimit-Policy", "RateLimit");
  if (status === 429 || status === 503) headers.push("Retry-After");
  if (status === 405) headers.push("Allow");
  const schema = errorSchema.extend({ code: z.literal(answers.map(({ code }) => code)) });
  return {
    description: kinds.map(describe).join("; "),
    headers: referTo(headers),
    content: { "application/json": { schema: toJsonSchema(schema), examples: toExamples(kinds, answers) } },
  };
}

function toExample(kind: ErrorKind): ErrorAnswer {
  return kind === "fault" ? FAULT : toAnswer(EXAMPLES[kind]);
}

function toExamples(kinds: ErrorKind[], answers: ErrorAnswer[]): JsonObject {
  const entries = answers.map(({ code, message, details = [] }, index) => {
    const kind = kinds[index];
    return [String(code), { summary: kind && ERROR_CODES[kind].meaning, value: { code, message, details } }] as const;
  });
  return Object.fromEntries(entries);
}

function describe(kind: ErrorKind): string {
  const { code, meaning, advice } = ERROR_CODES[kind];
  return `${code}: ${meaning}${advice ? ` (${advice})` : ""}`;
}
