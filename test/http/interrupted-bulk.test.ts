/** A bulk request that ended after some of its messages were stored: the answer and the docs say the same, and nothing that texts twice. */
import { describe, expect, it } from "vitest";
import apiPage from "../../docs/api.md?raw";
import type { Failure } from "../../src/domain/failure.ts";
import { ERROR_CODES } from "../../src/http/error-codes.ts";
import { toAnswer } from "../../src/http/errors.ts";
import { REPEATS } from "../../src/openapi/error-meanings.ts";

const STORED = [{ index: 0, messageId: "5f0c5a9e-7d0d-4d6c-9c39-0f5f6c1e8a11" }];

/** What can end a request between two of its parts. `key`: which key the rest is sent with, if the request had one. */
const ENDS = {
  "body-too-large": { because: { kind: "body-too-large", limitBytes: 1 }, key: "new" },
  "body-incomplete": { because: { kind: "body-incomplete" }, key: "same" },
  "body-not-json": { because: { kind: "body-not-json", problem: "is not JSON." }, key: "same" },
  "idempotency-conflict": { because: { kind: "idempotency-conflict" }, key: "new" },
  "daily-limit-reached": {
    because: { kind: "daily-limit-reached", limit: 10, wanted: 5, retryAfterSeconds: 60 },
    key: "same",
  },
  fault: { because: { kind: "fault" }, key: "same" },
  "store-unavailable": { because: { kind: "store-unavailable" }, key: "same" },
  "store-full": { because: { kind: "store-full" }, key: "same" },
} as const;

type End = keyof typeof ENDS;

const messageOf = (end: End, isKeyed: boolean) => {
  const failure = { kind: "bulk-interrupted", because: ENDS[end].because, stored: STORED, isKeyed } as Failure;
  return toAnswer(failure, 0).message;
};

const ends = Object.keys(ENDS) as End[];

it("the docs have a word on each end, and on nothing else", () => {
  expect(Object.keys(REPEATS).sort()).toEqual([...ends].sort());
  const [, table = ""] = apiPage.split("| Code | With an `Idempotency-Key` | Without |");
  const codes = [...(table.split("\n\n")[0] ?? "").matchAll(/\b[45]\d{4}\b/g)].map(Number);
  expect(codes.sort()).toEqual(ends.map((end) => ERROR_CODES[end]).sort());
});

describe.each(ends)("%s", (end) => {
  it("with a key", () => {
    const message = messageOf(end, true);
    const isNew = ENDS[end].key === "new";
    expect([message, /new Idempotency-Key/.test(message)]).toEqual([message, isNew]);
    expect([message, /Repeat the same request with the same Idempotency-Key/.test(message)]).toEqual([message, !isNew]);
    expect(REPEATS[end]).toMatch(isNew ? /need(s)? a new/ : /the whole request again with the same key/);
  });

  it.skipIf(end === "idempotency-conflict")("without a key", () => {
    const message = messageOf(end, false);
    expect(message).not.toMatch(/repeat the (same )?request/i);
    expect(message).toMatch(end === "fault" ? /people may get the text twice/ : /send only the others/i);
  });

  it.each([true, false])("does not say that nothing was stored, with a key: %s", (isKeyed) => {
    expect(messageOf(end, isKeyed)).not.toMatch(/nothing was (stored|done)/i);
  });
});
