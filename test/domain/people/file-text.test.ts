import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvError } from "../../../src/domain/people/csv.ts";
import { readFileText } from "../../../src/domain/people/file-text.ts";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";

const ascii = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
const utf16 = (text: string) => ascii(text).flatMap((code) => [code, 0]);
const CSV = "phone_numbers\n+12125550100\n";
/** The beginning of a file within a ZIP archive, whose content is stored as it is. */
const zipped = (name: string) => [0x50, 0x4b, 3, 4, 20, 0, ...Array(20).fill(0), name.length, 0, 0, 0, ...ascii(name)];

const EXCEL = 'is an Excel workbook (.xlsx), and not CSV: open it and save it as "CSV UTF-8"';

const FILES: [what: string, bytes: number[], message: string][] = [
  ["an Excel workbook", [...zipped("[Content_Types].xml"), ...zipped("xl/workbook.xml")], EXCEL],
  ["one of another program", [...zipped("_rels/.rels"), ...zipped("xl/worksheets/sheet1.xml")], EXCEL],
  [
    "one of Excel 97, or with a password",
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    'is an Excel workbook (.xls, or one with a password), and not CSV: open it and save it as "CSV UTF-8"',
  ],
  [
    "a spreadsheet of LibreOffice",
    [...zipped("mimetype"), ...ascii("application/vnd.oasis.opendocument.spreadsheet")],
    'is a spreadsheet of LibreOffice or OpenOffice (.ods), and not CSV: open it and save it as "CSV UTF-8"',
  ],
  [
    "another archive",
    [...zipped("numbers.csv"), ...ascii(CSV)],
    "is a ZIP archive, and not CSV: send the CSV file that is in it",
  ],
  ["a compressed file", [0x1f, 0x8b, 8, 0], "is compressed with gzip: send it uncompressed"],
  [
    "UTF-16 without its mark",
    utf16(CSV),
    'looks like text in UTF-16 without its byte order mark: save it as "CSV UTF-8"',
  ],
  [
    "the same, the other way around",
    [0, ...utf16(CSV).slice(0, -1)],
    'looks like text in UTF-16 without its byte order mark: save it as "CSV UTF-8"',
  ],
  ["UTF-32", [0xff, 0xfe, 0, 0, ...ascii("p\0\0\0")], 'is text in UTF-32: save it as "CSV UTF-8"'],
  [
    "UTF-16 that is cut off",
    [0xff, 0xfe, ...utf16(CSV), 0x2b],
    "is not whole text in UTF-16: after line 3 is half of a character. Send it as UTF-8",
  ],
  [
    "Windows-1252",
    [...ascii("name,phone_numbers\r\nAda,+12125550100\r\n\r\nJos"), 0xe9, ...ascii(",+12125550101")],
    'is not text in UTF-8: on line 4 is the byte 0xE9, where no character begins so. It may be Windows-1252 or another encoding: save it as "CSV UTF-8"',
  ],
  [
    "UTF-8 that is cut off",
    [...ascii(CSV), 0xe2, 0x82],
    'is not text in UTF-8: on line 3 is the byte 0xE2, where no character begins so. It may be Windows-1252 or another encoding: save it as "CSV UTF-8"',
  ],
];

function messageOf(work: () => unknown): string {
  try {
    work();
    return "no error";
  } catch (error) {
    if (error instanceof CsvError) return error.message;
    const { failure } = error as { failure: { details: { field: string; message: string }[] } };
    return String(failure.details[0]?.message);
  }
}

describe("what is no CSV file in UTF-8", () => {
  it.each(FILES)("is named: %s", (_, bytes, message) => {
    expect(messageOf(() => readFileText(Uint8Array.from(bytes)))).toBe(message);
  });

  it("is named wherever the file is cut", () => {
    fc.assert(
      fc.property(fc.constantFrom(...FILES), fc.array(fc.nat(200), { maxLength: 4 }), ([, bytes, message], places) => {
        const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const file = new SubscriberFile(Date.now(), true);
        for (const [index, end] of cuts.slice(1).entries()) file.write(Uint8Array.from(bytes.slice(cuts[index], end)));
        expect(messageOf(() => file.end())).toBe(message);
      }),
    );
  });

  it("is told with its line beyond the beginning of a large file", () => {
    const lines = 200_000;
    const bytes = Uint8Array.from([...ascii("phone_numbers\r\n"), ...ascii("+1\r\n".repeat(lines)), 0xff]);
    const message = new RegExp(`^is not text in UTF-8: on line ${lines + 2} is the byte 0xFF`);
    expect(messageOf(() => readFileText(bytes))).toMatch(message);
    const file = new SubscriberFile(Date.now(), true);
    for (let at = 0; at < bytes.length; at += 65_536) file.write(bytes.slice(at, at + 65_536));
    expect(messageOf(() => file.end())).toMatch(message);
  });
});

describe("text", () => {
  it("may have single zero bytes", () => {
    expect(readFileText(Uint8Array.from(ascii(`${CSV}+1\0`)))).toBe(`${CSV}+1\0`);
  });

  it("may be nothing", () => {
    expect(readFileText(new Uint8Array())).toBe("");
  });
});
