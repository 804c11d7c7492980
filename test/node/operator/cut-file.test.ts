import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutFile, type Piece } from "../../../scripts/operator/import/cut-file.ts";
import { CsvReader } from "../../../src/domain/people/csv.ts";

async function* inChunks(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function cut(text: string | Uint8Array, most: number, size = 7): Promise<Piece[]> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const pieces: Piece[] = [];
  for await (const piece of cutFile(inChunks(bytes, size), most)) pieces.push(piece);
  return pieces;
}

const textOf = ({ body }: Piece) => new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(body);

function recordsOf(text: string, separator = ","): { fields: string[]; line: number }[] {
  const records: { fields: string[]; line: number }[] = [];
  const reader = new CsvReader(separator, (fields, line) => void records.push({ fields, line }));
  reader.write(text);
  reader.end();
  return records;
}

describe("a file is cut into requests", () => {
  test("each with the line of the columns, and a line break within quotes stays in its row", async () => {
    const rows = ['+12125550100,"two\nlines"', '+12125550101,"say ""hi"",\r\n\n"', "+12125550102,x"];
    const pieces = await cut(`phone_numbers,name\n${rows.join("\n")}\n`, 1);
    expect(pieces.map(textOf)).toEqual(rows.map((row) => `phone_numbers,name\n${row}\n`));
    expect(pieces.map(({ rows: count }) => count)).toEqual([1, 1, 1]);
    expect(pieces.map(({ headerLines, linesBefore }) => [headerLines, linesBefore])).toEqual([
      [1, 0],
      [1, 2],
      [1, 5],
    ]);
  });

  test("with its line sep=, its blank lines and its byte order mark, between a carriage return and a line feed nowhere", async () => {
    const header = "\uFEFFsep=;\r\n\r\nphone_numbers;name\r\n";
    const pieces = await cut(`${header}+12125550100;"a;\r\nb"\r\n+12125550101;c\r\n\r\n`, 1);
    expect(pieces.map(textOf)).toEqual([
      `${header}+12125550100;"a;\r\nb"\r\n`,
      `${header}+12125550101;c\r\n`,
      `${header}\r\n`,
    ]);
  });

  test("not at all where its columns are not known: the service says what is wrong", async () => {
    const text = "phone\n+12125550100\n+12125550101\n";
    expect((await cut(text, 1)).map(textOf)).toEqual([text]);
    expect((await cut("", 1)).map(textOf)).toEqual([""]);
    const noText = Uint8Array.of(0x50, 0x4b, 3, 4, 10, 10, 0xff);
    expect((await cut(noText, 1)).map(({ body }) => body)).toEqual([noText]);
  });

  test("in UTF-8 where it is in UTF-16", async () => {
    const text = "\uFEFFphone_numbers,name\n+12125550100,Łukasz\n+12125550101,👍🏽\n";
    const utf16 = new Uint8Array(text.length * 2);
    const view = new DataView(utf16.buffer);
    for (let index = 0; index < text.length; index++) view.setUint16(index * 2, text.charCodeAt(index), true);
    expect((await cut(utf16, 1, 3)).map(textOf)).toEqual([
      "\uFEFFphone_numbers,name\n+12125550100,Łukasz\n",
      "\uFEFFphone_numbers,name\n+12125550101,👍🏽\n",
    ]);
  });

  test("so that the rows are those of the whole file, with their lines", async () => {
    const cell = fc.constantFrom("", "a", "x y", '"', 'a"b', "two\nlines", "two\r\nlines", "\r", "a,b", "Ł");
    const write = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const file = fc.record({
      rows: fc.array(fc.tuple(cell, cell), { maxLength: 12 }),
      lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
      end: fc.constantFrom("", "\n", "\n\n"),
      most: fc.integer({ min: 1, max: 4 }),
      size: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ rows, lineEnd, end, most, size }) => {
        const lines = rows.map((row) => ["+12125550100", ...row].map(write).join(","));
        const text = `${["phone_numbers,a,b", ...lines].join(lineEnd)}${end}`;
        const found = (await cut(text, most, size)).flatMap((piece) =>
          recordsOf(textOf(piece))
            .slice(1)
            .map(({ fields, line }) => ({
              fields,
              line: line > piece.headerLines ? line + piece.linesBefore : line,
            })),
        );
        expect(found).toEqual(recordsOf(text).slice(1));
      }),
      { numRuns: 500 },
    );
  });
});
