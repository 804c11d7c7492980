import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";
import { testDrawnFiles } from "./drawn-subscriber-files.ts";
import { cut, encode, readPieces } from "./subscriber-pieces.ts";
import { readSubscribers } from "./whole-file.ts";

describe("a file of subscribers in pieces", () => {
  testDrawnFiles(250);

  it("that ends at bytes that are no text tells the faults before them", () => {
    const noText = [encode("phone_numbers,subscribed\n+12125550100,maybe\n"), Uint8Array.of(0xff)];
    expect(readPieces(noText)).toMatchObject({
      details: [{ field: "body" }, { field: "subscribed", message: "must be true or false", line: 2, value: "maybe" }],
    });
  });

  it("takes a byte order mark from its beginning, and from nowhere else", () => {
    const bytes = encode("\uFEFFphone_numbers,email\n+12125550100,a\uFEFFda@example.com");
    for (let at = 0; at <= bytes.length; at++) {
      expect(readPieces(cut(bytes, [at]), true)).toEqual(readSubscribers(bytes, true));
      expect(readPieces(cut(bytes, [at]), true)).toMatchObject({ invalidEmails: ["a\uFEFFda@example.com"] });
    }
  });

  it("opts a number out where any of its rows says so, however far apart they are, and in whatever order", () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `+1212${5_000_000 + index},yes`);
    const first = ["+12124000000,no", "+12124000001,yes", "+12124000002,yes"];
    const last = ["+12124000000,yes", "+12124000001,no", "+12124000002,yes"];
    const lines = ["phone_numbers,subscribed", ...first, ...rows, ...last];
    const read = readPieces(cut(encode(lines.join("\n")), [70_000, 140_000, 1_000_000]));
    if (!("changes" in read)) throw new Error("the file is valid");
    const some = read.changes.filter(({ phone: number }) => number < 12125000000);
    expect(some.map(({ phone: number, subscribed: to }) => [number, to])).toEqual([
      [12124000000, false],
      [12124000001, false],
      [12124000002, true],
    ]);
    expect(read.changes.length).toBe(60_003);
  });

  it("has one row for each number, and of many rows those with one address in their order", () => {
    const random = fc.sample(fc.integer({ min: 0, max: 2 ** 31 }), { numRuns: 1, seed: 7 })[0] ?? 0;
    const rows = Array.from({ length: 15_000 }, (_, index) => {
      const number = ((index + random) * 48_271) % 12_000;
      const name = index % 3 === 0 ? "" : `p${index % 300 < 5 ? index % 5 : index}@example.com`;
      return `+1212${5_000_000 + number},${name},${index % 7 === 0 ? "no" : "yes"}`;
    });
    const bytes = encode(`phone_numbers,email,subscribed\n${rows.join("\n")}`);
    const read = readPieces(cut(bytes, [70_000, 140_001, 333_333]));
    const whole = readSubscribers(bytes);
    if (!("changes" in read && "changes" in whole)) throw new Error("the file is valid");
    const byNumber = (changes: typeof read.changes) => changes.toSorted((a, b) => a.phone - b.phone);
    expect(byNumber(read.changes)).toEqual(byNumber(whole.changes));
    const withAddress = (changes: typeof read.changes, email: string) => changes.filter((it) => it.email === email);
    for (const email of ["p1@example.com", "p2@example.com", "p4@example.com"]) {
      expect(withAddress(whole.changes, email).length).toBeGreaterThan(20);
      expect(withAddress(read.changes, email)).toEqual(withAddress(whole.changes, email));
    }
  });

  it("comes in parts of 5,000 rows, of which an invalid one is one, and an empty one is not", () => {
    const rows = Array.from({ length: 12_000 }, (_, index) =>
      index % 10 === 0 ? "x,,yes" : `+1212${5_000_000 + index},,yes\n,,`,
    );
    const bytes = encode(`phone_numbers,email,subscribed\n${rows.join("\n")}`);
    const file = new SubscriberFile(Date.now());
    const parts = cut(bytes, [70_000, 140_000, 141_000]).flatMap((piece) => file.write(piece));
    expect(parts.map(({ rows: count, changes }) => [count, changes.length])).toEqual(new Array(2).fill([5000, 4500]));
    expect(file.end().map(({ rows: count }) => count)).toEqual([2000]);
  });

  it("is refused with more invalid rows than an answer can list", () => {
    const rows = Array.from({ length: 100_001 }, (_, index) => `x${index}`);
    const message = "has more than 100000 invalid phone numbers and e-mail addresses";
    const { details } = readPieces([encode(`phone_numbers\n${rows.join("\n")}`)], true) as { details: object[] };
    expect(details[0]).toEqual({ field: "body", message });
    expect(details[99]).toMatchObject({ line: 100, value: "x98" });
    expect(details.length).toBe(101);
    const invalid = rows.slice(1);
    expect(readPieces([encode(`phone_numbers\n${invalid.join("\n")}`)], true)).toMatchObject({
      invalidPhoneNumbers: invalid,
    });
  });
});
