// Pure. The text of a file that comes in pieces: UTF-8, or UTF-16 that says so. What else people send is named.

import { joinBytes } from "../join-bytes.ts";
import { countCut, findIllFormed } from "../well-formed.ts";
import { CsvError, lineAfter } from "./csv.ts";

/** Gets the text, piece by piece. */
export interface TextSink {
  write(text: string): void;
  /** The line of the file, from 1, on which the next character stands. */
  readonly line: number;
}

/** What a file is shows in so many bytes. */
const BEGINNING_BYTES = 65_536;

const SAVE_AS = 'save it as "CSV UTF-8"';

export class FileText {
  readonly #sink: TextSink;
  readonly #beginningBytes: number;
  #decoder: TextDecoder | undefined;
  /** What is too short to tell what the file is; after that, the beginning of a character. */
  #held: Uint8Array = new Uint8Array();

  /** @param beginningBytes how many are waited for, to see what the file is */
  constructor(sink: TextSink, beginningBytes = BEGINNING_BYTES) {
    this.#sink = sink;
    this.#beginningBytes = beginningBytes;
  }

  /**
   * @param piece may be used again by the caller
   * @throws CsvError; a file with text that is broken has been written up to there
   */
  write(piece: Uint8Array): void {
    const bytes = this.#held.length === 0 ? piece : joinBytes(this.#held, piece);
    if (this.#decoder) this.#decode(this.#decoder, bytes);
    else if (bytes.length < this.#beginningBytes) this.#held = bytes.slice();
    else this.#begin(bytes);
  }

  /** @throws CsvError */
  end(): void {
    if (!this.#decoder) this.#begin(this.#held);
    if (this.#held.length > 0) this.#failUtf8(this.#held);
    if (this.#decoder?.encoding !== "utf-8") this.#decodeUtf16(this.#decoder as TextDecoder);
  }

  #begin(bytes: Uint8Array): void {
    const { encoding, markBytes } = recognize(bytes.subarray(0, BEGINNING_BYTES));
    this.#held = new Uint8Array();
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    this.#decode(this.#decoder, bytes.subarray(markBytes));
  }

  #decode(decoder: TextDecoder, bytes: Uint8Array): void {
    if (decoder.encoding === "utf-8") this.#sink.write(this.#decodeUtf8(decoder, bytes));
    else this.#decodeUtf16(decoder, bytes);
  }

  #decodeUtf8(decoder: TextDecoder, bytes: Uint8Array): string {
    const end = bytes.length - countCut(bytes);
    this.#held = bytes.slice(end);
    try {
      return decoder.decode(bytes.subarray(0, end));
    } catch {
      return this.#failUtf8(bytes);
    }
  }

  #failUtf8(bytes: Uint8Array): never {
    const at = findIllFormed(bytes) ?? 0;
    this.#sink.write(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, at)));
    const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
    throw new CsvError(
      `is not text in UTF-8: on line ${this.#sink.line} is the byte 0x${byte}, where no character begins so. It may be Windows-1252 or another encoding: ${SAVE_AS}`,
    );
  }

  /** @param bytes undefined at the end */
  #decodeUtf16(decoder: TextDecoder, bytes?: Uint8Array): void {
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      const { line } = this.#sink;
      throw new CsvError(`is not whole text in UTF-16: after line ${line} is half of a character. Send it as UTF-8`);
    }
    this.#sink.write(text);
  }
}

/** @throws CsvError */
export function readFileText(bytes: Uint8Array): string {
  let text = "";
  const sink = {
    write: (piece: string) => {
      text += piece;
    },
    get line() {
      return lineAfter(text);
    },
  };
  const file = new FileText(sink);
  file.write(bytes);
  file.end();
  return text;
}

const EXPORT_IT = `and not CSV: open it and ${SAVE_AS}`;

/** By the bytes that they begin with. */
const OTHER_FILES: [bytes: number[], problem: string][] = [
  [[0xd0, 0xcf, 0x11, 0xe0], `is an Excel workbook (.xls, or one with a password), ${EXPORT_IT}`],
  [[0xff, 0xfe, 0, 0], `is text in UTF-32: ${SAVE_AS}`],
  [[0x1f, 0x8b], "is compressed with gzip: send it uncompressed"],
];

const MARKS = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
];

const ZIP = [0x50, 0x4b, 3, 4];

/** What the names of the files within show. */
const ZIPPED: [part: string, problem: string][] = [
  ["xl/", `is an Excel workbook (.xlsx), ${EXPORT_IT}`],
  ["opendocument.spreadsheet", `is a spreadsheet of LibreOffice or OpenOffice (.ods), ${EXPORT_IT}`],
];

/** @throws CsvError for what is no text in UTF-8, or in UTF-16 with its mark */
function recognize(beginning: Uint8Array): { encoding: string; markBytes: number } {
  const begins = (bytes: number[]) => bytes.every((byte, index) => beginning[index] === byte);
  const other = OTHER_FILES.find(([bytes]) => begins(bytes));
  if (other) throw new CsvError(other[1]);
  if (begins(ZIP)) throw new CsvError(explainZip(beginning));
  const mark = MARKS.find(({ bytes }) => begins(bytes));
  if (mark) return { encoding: mark.encoding, markBytes: mark.bytes.length };
  if (isUnmarkedUtf16(beginning)) {
    throw new CsvError(`looks like text in UTF-16 without its byte order mark: ${SAVE_AS}`);
  }
  return { encoding: "utf-8", markBytes: 0 };
}

function explainZip(beginning: Uint8Array): string {
  const text = Array.from(beginning, (byte) => String.fromCharCode(byte)).join("");
  const [, problem] = ZIPPED.find(([part]) => text.includes(part)) ?? [];
  return problem ?? "is a ZIP archive, and not CSV: send the CSV file that is in it";
}

/** Digits and separators have a zero byte each in UTF-16, and text in UTF-8 has none. */
function isUnmarkedUtf16(beginning: Uint8Array): boolean {
  const bytes = beginning.subarray(0, 1024);
  return bytes.filter((byte) => byte === 0).length > bytes.length / 10;
}
