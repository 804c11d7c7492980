import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestFailure } from "../../src/domain/failure.ts";
import { SubscriberFile } from "../../src/domain/subscriber-file.ts";
import { readSubscribers } from "./whole-file.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function readPieces(pieces: Uint8Array[]): ReturnType<typeof readSubscribers> {
  const file = new SubscriberFile();
  for (const piece of pieces) file.write(piece);
  try {
    const subscribers = file.end();
    const { invalidPhoneNumbers, invalidEmails } = subscribers;
    return { changes: [...subscribers.changes()], invalidPhoneNumbers, invalidEmails };
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.failure.kind !== "fields-wrong") throw error;
    const [detail] = error.failure.details;
    return { error: [String(detail?.field), String(detail?.message)] };
  }
}

/** @param places where to cut; beyond the end, modulo the length */
function cut(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const bounds = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, index) => bytes.slice(bounds[index], end));
}

const anywhere = fc.array(fc.nat(100_000), { maxLength: 12 });

describe("a file of subscribers in pieces", () => {
  const phone = fc.constantFrom(
    ...["+12125550100", " +12125550101 ", "+12125550102", "+447700900123", "+290123", "+4212345", "12125550100"],
    ...["nope", "", "+1.2E10", "٣+"],
  );
  const email = fc.constantFrom(
    "",
    "",
    "Ada@Example.com",
    " ada@example.com",
    "gräce@example.com",
    "a@b",
    "K@x.y",
    "x",
  );
  const subscribed = fc.constantFrom(...["", "", "", "true", "FALSE", " no ", "y", "1", "0"], "maybe");
  const other = fc.constantFrom("", "a,b", 'say "hi"', "two\nlines", "two\r\nlines", "Łukasz", "👍🏽", '"', " ");
  const heading = fc.constantFrom(
    "phone_numbers,email,subscribed,name",
    " phone_numbers , email, subscribed,name",
    '"phone_numbers","email","subscribed",name',
    "phone_numbers,email",
    "name,subscribed,phone_numbers",
    "phone,email",
    "",
  );
  const file = fc
    .record({
      heading,
      rows: fc.array(fc.tuple(phone, email, subscribed, other), { maxLength: 30 }),
      lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
      mark: fc.constantFrom("", "\uFEFF"),
      quoted: fc.constantFrom("always", "when it must be", "never"),
      end: fc.constantFrom("", "\n\n \n", '"', "\n+12125550100,"),
    })
    .map(({ heading: first, rows, lineEnd, mark, quoted, end }) => {
      const write = (cell: string) =>
        quoted === "always" || (quoted !== "never" && /[",\r\n]/.test(cell)) ? `"${cell.replaceAll('"', '""')}"` : cell;
      return mark + [first, ...rows.map((row) => row.map(write).join(","))].join(lineEnd) + end;
    });

  it("is what a reader of the whole file makes of it, wherever it is cut", () => {
    fc.assert(
      fc.property(file, anywhere, (text, places) => {
        const bytes = encode(text);
        expect(readPieces(cut(bytes, places))).toEqual(readSubscribers(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  it("is what a reader of the whole file makes of any bytes, and no text comes before any other error", () => {
    const bytes = fc
      .tuple(file, fc.nat(2000), fc.uint8Array({ maxLength: 3 }))
      .map(([text, at, noise]) => Uint8Array.of(...encode(text).slice(0, at), ...noise, ...encode(text).slice(at)));
    fc.assert(
      fc.property(bytes, anywhere, (given, places) => {
        expect(readPieces(cut(given, places))).toEqual(readSubscribers(given));
      }),
      { numRuns: 1000 },
    );
    expect(readPieces([encode("phone_numbers,subscribed\n+12125550100,maybe\n"), Uint8Array.of(0xff)])).toEqual({
      error: ["body", "is not text in UTF-8"],
    });
  });

  it("keeps the character of a byte order mark wherever it is not the first of the file", () => {
    const bytes = encode("\uFEFFphone_numbers,email\n+12125550100,\uFEFF");
    for (let at = 0; at <= bytes.length; at++) {
      expect(readPieces(cut(bytes, [at]))).toEqual(readSubscribers(bytes));
    }
    const other = encode("\0\uFEFFphone_numbers");
    expect(readPieces(cut(other, [1]))).toEqual(readSubscribers(other));
  });

  it("has one row for each number, its last, and of many rows those with one address in their order", () => {
    const random = fc.sample(fc.integer({ min: 0, max: 2 ** 31 }), { numRuns: 1, seed: 7 })[0] ?? 0;
    const rows = Array.from({ length: 150_000 }, (_, index) => {
      const number = ((index + random) * 48_271) % 120_000;
      const name = index % 3 === 0 ? "" : `p${index % 1000 < 5 ? index % 5 : index}@example.com`;
      return `+1212${5_000_000 + number},${name},${index % 7 === 0 ? "no" : ""}`;
    });
    const bytes = encode(`phone_numbers,email,subscribed\n${rows.join("\n")}`);
    const read = readPieces(cut(bytes, [70_000, 140_001, 999_999]));
    const whole = readSubscribers(bytes);
    if ("error" in read || "error" in whole) throw new Error("the file is valid");
    const byNumber = (changes: typeof read.changes) => changes.toSorted((a, b) => a.phone - b.phone);
    expect(byNumber(read.changes)).toEqual(byNumber(whole.changes));
    const withAddress = (changes: typeof read.changes, email: string) => changes.filter((it) => it.email === email);
    for (const email of ["p1@example.com", "p2@example.com", "p4@example.com"]) {
      expect(withAddress(whole.changes, email).length).toBeGreaterThan(20);
      expect(withAddress(read.changes, email)).toEqual(withAddress(whole.changes, email));
    }
    const alone = read.changes.slice(0, 50_000).map(({ phone: number }) => number);
    expect(alone).toEqual(alone.toSorted((a, b) => a - b));
  });

  it("is refused with more invalid rows than an answer can list", () => {
    const rows = Array.from({ length: 100_001 }, (_, index) => `x${index}`);
    const message = "has more than 100000 invalid phone numbers and e-mail addresses";
    expect(readPieces([encode(`phone_numbers\n${rows.join("\n")}`)])).toEqual({ error: ["body", message] });
    const invalid = rows.slice(1);
    expect(readPieces([encode(`phone_numbers\n${invalid.join("\n")}`)])).toMatchObject({
      invalidPhoneNumbers: invalid,
    });
  });
});
