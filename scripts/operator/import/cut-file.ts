// Cuts a CSV file of subscribers into requests, each with the lines that name the columns. It cuts between rows of CSV, not between
// lines. The bytes stay as they are, so the service finds in them what is wrong with the file.
import { type FileHeader, readFileHeader } from "./file-header.ts";
import { RowEnds } from "./row-ends.ts";

/** A fifth of the rows that a request may have. The progress is shown after each piece, and an interruption loses little. */
const REQUEST_ROWS = 50_000;

/** The service takes 32 MB. */
const REQUEST_BYTES = 24 * 1024 * 1024;

/** The columns are named within so many bytes, if at all. */
const HEADER_BYTES = 4 * 65_536;

/** A request. */
export interface Piece {
  body: Uint8Array<ArrayBuffer>;
  /** What it has of the file: bytes, and rows, of which some may be blank. */
  bytes: number;
  rows: number;
  /** A line of the body, from 1, that is beyond so many lines is `linesBefore` lines further down in the file. */
  headerLines: number;
  linesBefore: number;
}

/** @param most rows of a request */
export async function* cutFile(chunks: AsyncIterable<Uint8Array>, most = REQUEST_ROWS): AsyncGenerator<Piece, void> {
  let beginning: Uint8Array<ArrayBuffer> = new Uint8Array();
  let cutter: Cutter | undefined;
  for await (const chunk of inUtf8(chunks)) {
    if (cutter) yield* cutter.write(chunk);
    else {
      beginning = join([beginning, chunk]);
      if (beginning.length < HEADER_BYTES) continue;
      cutter = new Cutter(readFileHeader(beginning, false), most);
      yield* cutter.write(beginning);
    }
  }
  if (!cutter) {
    cutter = new Cutter(readFileHeader(beginning, true), most);
    yield* cutter.write(beginning);
  }
  yield* cutter.end();
}

/** A file in UTF-16 with its byte order mark goes on in UTF-8, with one. */
async function* inUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let decoder: TextDecoder | null | undefined;
  for await (const chunk of chunks) {
    if (decoder === undefined) {
      const encoding = encodingOf(chunk);
      decoder = encoding ? new TextDecoder(encoding, { fatal: false, ignoreBOM: true }) : null;
    }
    yield decoder ? encoder.encode(decoder.decode(chunk, { stream: true })) : chunk;
  }
  if (decoder) yield encoder.encode(decoder.decode());
}

function encodingOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

class Cutter {
  readonly #ends: RowEnds;
  readonly #mostRows: number;
  readonly #headerBytes: number;
  #header: Uint8Array<ArrayBuffer> = new Uint8Array();
  #headerLines = 0;
  /** Read from the file so far. */
  #bytes = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #rows = 0;
  #startLines = 0;
  #isFirst = true;

  /** @param header null: the file is not cut by rows */
  constructor(header: FileHeader | null, mostRows: number) {
    this.#ends = new RowEnds(header?.separator ?? ",");
    this.#mostRows = header ? mostRows : Number.POSITIVE_INFINITY;
    this.#headerBytes = header?.bytes ?? 0;
  }

  *write(chunk: Uint8Array): Generator<Piece, void> {
    let start = 0;
    let hasRow = this.#isFull();
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (hasRow && !this.#ends.isSecondHalf(byte)) {
        this.#hold(chunk.subarray(start, at));
        yield this.#take();
        start = at;
        hasRow = false;
      }
      const isEnd = this.#ends.take(byte);
      this.#bytes += 1;
      if (this.#bytes === this.#headerBytes) {
        this.#hold(chunk.subarray(start, at + 1));
        this.#takeHeader();
        start = at + 1;
      } else if (isEnd && this.#bytes > this.#headerBytes) {
        this.#rows += 1;
        hasRow = this.#isFull(at + 1 - start);
      }
    }
    this.#hold(chunk.slice(start));
  }

  *end(): Generator<Piece, void> {
    if (this.#heldBytes > 0 || this.#isFirst) yield this.#take();
  }

  #isFull(more = 0): boolean {
    return this.#rows >= this.#mostRows || (this.#rows > 0 && this.#heldBytes + more > REQUEST_BYTES);
  }

  #hold(bytes: Uint8Array): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #takeHeader(): void {
    this.#header = join(this.#held);
    this.#headerLines = this.#ends.lines;
    [this.#held, this.#heldBytes, this.#startLines] = [[], 0, this.#ends.lines];
  }

  #take(): Piece {
    const piece = {
      body: join([this.#header, ...this.#held]),
      bytes: this.#heldBytes + (this.#isFirst ? this.#header.length : 0),
      rows: this.#rows,
      headerLines: this.#headerLines,
      linesBefore: this.#startLines - this.#headerLines,
    };
    [this.#held, this.#heldBytes, this.#rows, this.#startLines] = [[], 0, 0, this.#ends.lines];
    this.#isFirst = false;
    return piece;
  }
}

function join(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
