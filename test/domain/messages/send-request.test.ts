import { describe, expect, it } from "vitest";
import { parseFields, RequestFailure } from "../../../src/domain/failure.ts";
import { sendRequestSchema } from "../../../src/domain/messages/send-request.ts";

const GOOD = { phone: "+12125550100", text: "hello", callbackData: "{}", sendPurpose: "a" };

/** The messages about one field of a body that is good otherwise. */
function faults(field: string, value: unknown, rest: Record<string, unknown> = {}): string[] {
  try {
    parseFields(sendRequestSchema, { ...GOOD, ...rest, [field]: value });
    return [];
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.failure.kind !== "fields-wrong") throw error;
    return error.failure.details.map((detail) => `${detail.field}: ${detail.message}`);
  }
}

const url = (length: number) => `https://example.com/${"x".repeat(length - 20)}`;

describe("each rule of a send request, at its edge", () => {
  it.each<[string, unknown, Record<string, unknown>?]>([
    ["phone", "+12125550100"],
    ["phone", "", { email: "ada@example.com" }],
    ["phone", null, { email: "ada@example.com" }],
    ["email", "not an address"],
    ["email", "a@b.co", { phone: "" }],
    ["email", `${"x".repeat(64)}@example.com`, { phone: undefined }],
    ["text", "x"],
    ["text", "x".repeat(1600)],
    ["text", "👍".repeat(1600)],
    ["mediaUrl", null],
    ["mediaUrl", ""],
    ["mediaUrl", url(2048)],
    ["clickUrl", "http://example.com:8080/a?b=c&utm_source=%C3%A9#d"],
    ["clickUrl", "HTTPS://EXAMPLE.COM"],
    ["clickUrl", "https://пример.испытание/путь"],
    ["callbackData", ""],
    ["callbackData", "0"],
    ["callbackData", `"${"x".repeat(8190)}"`],
    ["callbackData", `"${"é".repeat(4095)}"`],
    ["sendPurpose", "x".repeat(100)],
    ["sendPurpose", "Flow Name"],
    ["sendPurpose", "a  b   c"],
    ["sendPurpose", "-_9"],
    ["phone", " ", { email: "ada@example.com" }],
    ["phone", "\u202a+13125550100\u202c"],
    ["phone", "\u200b +12125550100\u2060\ufeff"],
    ["phone", "\u200b", { email: "ada@example.com" }],
  ])("%s may be %j", (field, value, rest) => {
    expect(faults(field, value, rest)).toEqual([]);
  });

  it.each<[string, unknown, RegExp, Record<string, unknown>?]>([
    ["phone", "12125550100", /^phone: must be an E.164/],
    ["phone", 12125550100, /^phone: must be a string/],
    ["phone", "\u202a+1312\u200b5550100", /: its character 6 is U\+200B, which cannot be seen: remove it$/],
    ["phone", "\u200b", /^phone: either phone or email/],
    ["phone", " ", /^phone: either phone or email/],
    ["phone", "", /^phone: either phone or email/],
    ["phone", undefined, /^phone: either phone or email/, { email: null }],
    ["email", "ada", /^email: must be an e-mail address/, { phone: "" }],
    ["email", "a b@example.com", /^email: must be/, { phone: "" }],
    ["email", "a@example..com", /^email: must be/, { phone: "" }],
    ["email", 5, /^email: must be/, { phone: null }],
    ["email", `${"x".repeat(320)}@example.com`, /^email: must be/, { phone: "" }],
    ["text", undefined, /^text: is required/],
    ["text", null, /^text: is required/],
    ["text", 5, /^text: must be a string/],
    ["text", "", /^text: must not be empty/],
    ["text", " \n\t\u00a0", /^text: must not be empty/],
    ["text", "x".repeat(1601), /^text: must have at most 1600/],
    ["text", "👍".repeat(1601), /^text: must have at most 1600/],
    ["text", "half \ud83d", /^text: must be well-formed/],
    ["mediaUrl", url(2049), /^mediaUrl: must have at most 2048/],
    ["mediaUrl", "/image.jpg", /^mediaUrl: must be an absolute/],
    ["mediaUrl", "ftp://example.com/a", /^mediaUrl: must be an absolute/],
    ["mediaUrl", "https://", /^mediaUrl: must be an absolute/],
    ["clickUrl", "javascript:alert(1)", /^clickUrl: must be an absolute/],
    ["clickUrl", "https://example.com/a b", /^clickUrl: must have no white space: write a space as %20$/],
    ["clickUrl", "https://example.com/\r\nx", /^clickUrl: must have no white space/],
    ["clickUrl", "no url", /^clickUrl: must be an absolute/],
    ["clickUrl", [], /^clickUrl: must be a string/],
    ["callbackData", undefined, /^callbackData: is required/],
    ["callbackData", null, /^callbackData: is required/],
    ["callbackData", { a: 1 }, /^callbackData: must be a string that holds JSON/],
    ["callbackData", "{", /^callbackData: must be a string that parses as JSON/],
    ["callbackData", " ", /^callbackData: must be a string that parses as JSON/],
    ["callbackData", `"${"x".repeat(8191)}"`, /^callbackData: must have at most 8192 bytes/],
    ["callbackData", `"${"é".repeat(4096)}"`, /^callbackData: must have at most 8192 bytes/],
    ["callbackData", '"\ud83d"', /^callbackData: must be well-formed/],
    ["sendPurpose", undefined, /^sendPurpose: is required/],
    ["sendPurpose", "", /^sendPurpose: must be words/],
    ["sendPurpose", " ", /^sendPurpose: must be words/],
    ["sendPurpose", "a\tb", /^sendPurpose: must be words .*: it has U\+0009$/],
    ["sendPurpose", "Spring & Summer", /^sendPurpose: must be words .*: it has "&"$/],
    ["sendPurpose", "a.b", /^sendPurpose: must be words/],
    ["sendPurpose", "é", /^sendPurpose: must be words .*: it has "é" \(U\+00E9\)$/],
    ["sendPurpose", "früh", /: it has "ü" \(U\+00FC\)$/],
    ["sendPurpose", "a\u0301b", /: it has U\+0301$/],
    ["sendPurpose", "a\u200bb", /: it has U\+200B$/],
    ["sendPurpose", "x".repeat(101), /^sendPurpose: must have at most 100/],
  ])("%s may not be %j: one message", (field, value, message, rest) => {
    const found = faults(field, value, rest);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });

  it("trims white space around every field but the text and the callbackData", () => {
    const given = { text: " a ", callbackData: " {} ", sendPurpose: "\n Flow Name\t" };
    const urls = { mediaUrl: " https://example.com/a\n", clickUrl: "\u00a0https://example.com/b " };
    const rest = { text: " a ", callbackData: " {} ", sendPurpose: "Flow Name" };
    expect(parseFields(sendRequestSchema, { ...given, ...urls, phone: "\t+12125550100 " })).toEqual({
      ...rest,
      ...{ phone: 12125550100, email: null, mediaUrl: "https://example.com/a", clickUrl: "https://example.com/b" },
    });
    expect(
      parseFields(sendRequestSchema, { ...given, phone: " ", email: " Ada@example.com\n", mediaUrl: " " }),
    ).toEqual({
      ...rest,
      ...{ phone: null, email: "ada@example.com", mediaUrl: null, clickUrl: null },
    });
  });

  it("refuses a long sendPurpose in no time, however it is built", () => {
    const started = performance.now();
    expect(faults("sendPurpose", `${"a ".repeat(50_000)}!`)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
