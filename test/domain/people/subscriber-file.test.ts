import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";
import { cut, encode, readPieces } from "./subscriber-pieces.ts";
import { readSubscribers } from "./whole-file.ts";

const anywhere = fc.array(fc.nat(100_000), { maxLength: 12 });

/** The text before the first byte that is none. */
function wellFormed(bytes: Uint8Array): string {
  for (let length = bytes.length; length >= 0; length--) {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length));
    } catch {}
  }
  return "";
}

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
  const subscribed = fc.constantFrom(...["true", "true", "FALSE", " no ", "y", "1", "0"], "maybe", "");
  const other = fc.constantFrom("", "a,b", 'say "hi"', "two\nlines", "two\r\nlines", "Łukasz", "👍🏽", '"', " ");
  const heading = fc.constantFrom(
    "phone_numbers,email,subscribed,name",
    " phone_numbers , email, subscribed,name",
    '"phone_numbers","email","subscribed",name',
    "phone_numbers,email",
    "name,subscribed,phone_numbers",
    '"phone_numbers";"the ""name""\n, or none";email;subscribed',
    "sep=;\nphone_numbers;email;subscribed;name",
    "phone_numbers\temail\tsubscribed\tname",
    "Phone_Numbers,name,SUBSCRIBED,,",
    "phone_numbers,subscribed,Subscribed",
    "phone,email",
    "",
  );
  const file = fc
    .record({
      heading,
      rows: fc.array(fc.tuple(phone, email, subscribed, other), { maxLength: 30 }),
      /** A row that most files do not have. */
      odd: fc.oneof(
        { weight: 4, arbitrary: fc.constant("") },
        fc.constantFrom("more", "header", "other header", "words"),
      ),
      lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
      mark: fc.constantFrom("", "\uFEFF"),
      quoted: fc.constantFrom("always", "when it must be", "never"),
      end: fc.constantFrom("", "\n\n \n", '"', "\n+12125550100,"),
    })
    .map(({ heading: first, rows, lineEnd, mark, quoted, end, odd }) => {
      const write = (cell: string) =>
        quoted === "always" || (quoted !== "never" && /[",;\t\r\n]/.test(cell))
          ? `"${cell.replaceAll('"', '""')}"`
          : cell;
      const separator = /[;\t]/.exec(first)?.[0] ?? ",";
      const width = first.split(separator).length;
      const lines = rows.map((row) => row.slice(0, width).map(write).join(separator));
      const oddLines: Record<string, string> = {
        more: ["+12125550100", "", "true", "", "x"].join(separator),
        header: first.split("\n").at(-1)?.toUpperCase() ?? "",
        "other header": ["email", "phone_numbers"].join(separator),
        words: ["", "subscribed"].join(separator),
      };
      if (odd) lines.splice(odd === "words" ? 0 : lines.length / 2, 0, oddLines[odd] ?? "");
      return mark + [first, ...lines].join(lineEnd) + end;
    });

  it("is what a reader of the whole file makes of it, wherever it is cut", () => {
    fc.assert(
      fc.property(file, anywhere, fc.boolean(), (text, places, swaps) => {
        const bytes = encode(text);
        // Mostly as the file needs it.
        const everyone = !/subscribed/i.test(text) !== (swaps && text.length % 5 === 0);
        expect(readPieces(cut(bytes, places), everyone)).toEqual(readSubscribers(bytes, everyone));
      }),
      { numRuns: 250 },
    );
  });

  it("ends at the first bytes that are no text, with their line, and tells the faults before them", () => {
    const bytes = fc
      .tuple(
        file,
        fc.integer({ min: 1, max: 2000 }),
        fc.constantFrom([0x80], [0xff], [0xe2, 0x41], [0xc3], [0xed, 0xa0]),
      )
      .map(([text, at, noise]) => Uint8Array.of(...encode(text).slice(0, at), ...noise, ...encode(text).slice(at)));
    fc.assert(
      fc.property(bytes, anywhere, (given, places) => {
        const before = wellFormed(given);
        const everyone = !/subscribed/i.test(before);
        const outcome = readPieces(cut(given, places), everyone);
        expect(outcome).toEqual(readPieces([given], everyone));
        const [first] = "details" in outcome ? outcome.details : [];
        // The shape of the file before those bytes.
        if (/no column|two columns|quote|^line \d+ (has \d+ fields|names|has no)/.test(first?.message ?? "")) return;
        if (first?.field === "everyone") return;
        const line = before.split(/\r\n|\r|\n/).length;
        expect(first?.message).toMatch(new RegExp(`^is not text in UTF-8: on line ${line} is the byte 0x`));
      }),
      { numRuns: 250 },
    );
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
    const rows = Array.from({ length: 200_000 }, (_, index) => `+1212${5_000_000 + index},yes`);
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
    expect(read.changes.length).toBe(200_003);
  });

  it("has one row for each number, and of many rows those with one address in their order", () => {
    const random = fc.sample(fc.integer({ min: 0, max: 2 ** 31 }), { numRuns: 1, seed: 7 })[0] ?? 0;
    const rows = Array.from({ length: 45_000 }, (_, index) => {
      const number = ((index + random) * 48_271) % 36_000;
      const name = index % 3 === 0 ? "" : `p${index % 1000 < 5 ? index % 5 : index}@example.com`;
      return `+1212${5_000_000 + number},${name},${index % 7 === 0 ? "no" : "yes"}`;
    });
    const bytes = encode(`phone_numbers,email,subscribed\n${rows.join("\n")}`);
    const read = readPieces(cut(bytes, [70_000, 140_001, 999_999]));
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
