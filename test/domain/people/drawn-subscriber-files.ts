import fc from "fast-check";
import { expect, it } from "vitest";
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

const phone = fc.constantFrom(
  ...["+12125550100", " +12125550101 ", "+12125550102", "+447700900123", "+290123", "+4212345", "12125550100"],
  ...["nope", "", "+1.2E10", "٣+"],
);
const email = fc.constantFrom("", "", "Ada@Example.com", " ada@example.com", "gräce@example.com", "a@b", "K@x.y", "x");
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

/** What is read of a file in pieces. @param numRuns how many files are drawn for each test */
export function testDrawnFiles(numRuns: number): void {
  it("is what a reader of the whole file makes of it, wherever it is cut", () => {
    fc.assert(
      fc.property(file, anywhere, fc.boolean(), (text, places, swaps) => {
        const bytes = encode(text);
        // Mostly as the file needs it.
        const everyone = !/subscribed/i.test(text) !== (swaps && text.length % 5 === 0);
        expect(readPieces(cut(bytes, places), everyone)).toEqual(readSubscribers(bytes, everyone));
      }),
      { numRuns },
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
      { numRuns },
    );
  });
}
