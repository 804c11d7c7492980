/** Tables as people have them, against papaparse, which is told the separator and the line break that the reader must find. */
import fc from "fast-check";
import Papa from "papaparse";
import { expect, it } from "vitest";
import { FileText } from "../../../src/domain/people/file-text.ts";
import { PhoneRowReader, readPhoneColumn } from "../../../src/domain/people/phone-file.ts";

interface Row {
  line: number;
  cells: (string | null)[];
}

function readPieces(pieces: Uint8Array[]): Row[] {
  const rows: Row[] = [];
  const reader = new PhoneRowReader({ others: ["email"] }, (cells, line) => rows.push({ line, cells }));
  const file = new FileText(reader, 4);
  for (const piece of pieces) file.write(piece);
  file.end();
  reader.end();
  return rows;
}

function readColumn(csv: string): string[] {
  const cells = readPhoneColumn(csv);
  if (Array.isArray(cells)) return cells;
  const { text, bounds } = cells;
  return Array.from({ length: bounds.length / 2 }, (_, row) => text.slice(bounds[2 * row], bounds[2 * row + 1]));
}

type Encoding = "UTF-8" | "UTF-8 with a mark" | "UTF-16LE" | "UTF-16BE";

function encode(text: string, encoding: Encoding): Uint8Array {
  if (encoding === "UTF-8") return new TextEncoder().encode(text);
  if (encoding === "UTF-8 with a mark") return new TextEncoder().encode(`\ufeff${text}`);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const bytes = [0xfeff, ...units].flatMap((unit) => [unit >> 8, unit & 0xff]);
  if (encoding === "UTF-16BE") return Uint8Array.from(bytes);
  return Uint8Array.from(bytes, (_, at) => bytes[at ^ 1] ?? 0);
}

const unit = fc.constantFrom("+", "1", "a", " ", ",", ";", "\t", '"', "\n", "\r", "\r\n", "é", "名", "💬");
const cell = fc.oneof(fc.constantFrom("", " ", "+12125550100", "ada@example.com"), fc.string({ unit, maxLength: 6 }));
const isOther = (name: string) => !["phone_numbers", "email"].includes(name.trim().toLowerCase());

const table = fc
  .record({
    names: fc.uniqueArray(
      cell.filter((name) => isOther(name) && name.trim() !== ""),
      {
        minLength: 1,
        maxLength: 2,
        selector: (name) => name.trim(),
      },
    ),
    place: fc.nat(2),
    rows: fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 8 }),
    separator: fc.constantFrom(",", ";", "\t"),
    lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
    first: fc.constantFrom("", "", "plain", "quoted"),
    isQuoted: fc.boolean(),
    ends: fc.boolean(),
  })
  // Read with commas, such a name would be the column.
  .filter(({ names, separator }) => separator === "," || !names.some((name) => /phone_numbers/.test(name)))
  .map(({ names, place, rows, separator, lineEnd, first, isQuoted, ends }) => {
    const write = (text: string) => (isQuoted || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const heading = [...names.slice(0, place), "phone_numbers", ...names.slice(place), "email"];
    const all = [heading, ...rows.map((cells) => cells.slice(0, heading.length))];
    const lines = all.map((cells) => cells.map(write).join(separator));
    const named = { "": "", plain: `sep=${separator}${lineEnd}`, quoted: `"sep=${separator}"${lineEnd}` }[first] ?? "";
    const csv = lines.join(lineEnd) + (ends ? lineEnd : "");
    // An editor counts each line break before a row, also those within quotes.
    const starts = lines.map((_, index) =>
      editorLines(
        named +
          lines
            .slice(0, index)
            .map((it) => it + lineEnd)
            .join(""),
      ),
    );
    const isRow = (index: number) => index > 0 && all[index]?.join("").trim() !== "";
    return { csv, text: named + csv, separator, lineEnd, starts: starts.filter((_, index) => isRow(index)) };
  });

const editorLines = (before: string) => before.replaceAll("\r\n", "\n").split(/[\r\n]/).length;

it("gives the cells that papaparse gives, and the line of each row, wherever the file is cut, in each encoding", () => {
  const encodings = fc.constantFrom<Encoding>("UTF-8", "UTF-8 with a mark", "UTF-16LE", "UTF-16BE");
  fc.assert(
    fc.property(table, encodings, fc.array(fc.nat(500), { maxLength: 8 }), (given, encoding, places) => {
      const { csv, text, separator, lineEnd, starts } = given;
      const options = { header: true, skipEmptyLines: "greedy", delimiter: separator, newline: lineEnd } as const;
      const { data } = Papa.parse<Record<string, string>>(csv, options);
      const bytes = encode(text, encoding);
      const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      const read = readPieces(cuts.slice(1).map((end, index) => bytes.slice(cuts[index], end)));
      expect(read.map(({ cells }) => cells)).toEqual(data.map((row) => [row.phone_numbers, row.email]));
      expect(read.map(({ line }) => line)).toEqual(starts);
      expect(readColumn(text)).toEqual(data.map((row) => row.phone_numbers));
    }),
    { numRuns: 1000 },
  );
});
