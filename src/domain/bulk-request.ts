// Pure. Reads the messages of a bulk request while its body comes in.
import * as z from "zod";
import { failField } from "./failure.ts";
import { AS_UTF8, explainEncoding, explainEnd, explainFault, isGzip } from "./json-fault.ts";
import { JsonFault, JsonScanner } from "./json-scanner.ts";
import { countCut, findIllFormed } from "./well-formed.ts";

export const MAX_BULK_MESSAGES = 50_000;

export const bulkSendAnswerSchema = z.object({
  successSent: z.array(z.object({ index: z.int(), messageId: z.uuid() })),
  failedSent: z.array(
    z.object({
      index: z.int(),
      /** As given, cut after the longest valid one; null when it is not a string. */
      phone: z.string().nullable(),
      email: z.string().nullable(),
      errorMessage: z.string(),
    }),
  ),
});

/** The body is not JSON, or is truncated. The message completes a sentence that begins with "The body". */
export class BrokenBodyError extends Error {}

/**
 * Limits of one chunk, which is checked and stored together. With an Idempotency-Key, a retry must split into the same chunks;
 * so a chunk depends on the messages alone, and not on the pieces in which the network delivers them.
 */
export const CHUNK_MESSAGES = 500;
const CHUNK_CHARACTERS = 500_000;

/**
 * Limit of bytes without a complete message. An incomplete message is kept, and JSON.parse makes up to a hundred times its size of
 * it; a valid send request may take half of this limit.
 */
const INCOMPLETE_BYTES = 256 * 1024;

/** JSON.stringify calls itself for each array or object within another. */
const MOST_DEEP = 1000;

const STRICT = { fatal: true, ignoreBOM: true };

/** Messages as given in the body. */
export interface BulkChunk {
  items: unknown[];
  /** The same as JSON, with the keys in the order of the body. */
  json: string;
}

/** Reads a body in pieces, and returns the items of its array `messages` in chunks. */
export class BulkReader {
  readonly #scanner = new JsonScanner();
  readonly #decoder = new TextDecoder("utf-8", STRICT);
  readonly #complete: BulkChunk[] = [];
  readonly #onIgnored: (name: string) => void;
  #items: unknown[] = [];
  #texts: string[] = [];
  #characters = 0;
  #incompleteBytes = 0;
  /** The field at the top level of the body. */
  #name = "";
  #arrays = 0;
  #bytes = 0;
  /** The bytes of a character within which the last piece ended. */
  #cut = new Uint8Array();

  /** @param onIgnored gets each name beside `messages` */
  constructor(onIgnored: (name: string) => void = () => {}) {
    this.#onIgnored = onIgnored;
    this.#scanner.onName = (raw) => this.#begin(JSON.parse(raw));
    this.#scanner.onOpen = () => {
      if (this.#scanner.open.length > MOST_DEEP) failField("body", `must not be nested more than ${MOST_DEEP} deep`);
    };
    this.#scanner.onItem = (raw) => {
      if (this.#name !== "messages") return;
      this.#incompleteBytes = 0;
      if (typeof this.#scanner.open[1] === "number") this.#add(JSON.parse(raw));
    };
  }

  /**
   * @param bytes much fewer than 256 KB
   * @throws BrokenBodyError; RequestFailure fields-wrong when a message or another field is far too large
   */
  write(bytes: Uint8Array): void {
    this.#incompleteBytes += bytes.byteLength;
    const text = this.#decode(bytes);
    this.#scan(text, this.#bytes - this.#cut.length);
    this.#cut = text === "" ? this.#joinCut(bytes) : bytes.slice(bytes.length - countCut(bytes));
    this.#bytes += bytes.byteLength;
    if (this.#incompleteBytes > INCOMPLETE_BYTES)
      failField("messages", "has more than 256 KB without a complete message");
  }

  /** Completes the last chunk. @throws BrokenBodyError when the body is incomplete */
  end(): void {
    if (this.#cut.length > 0) throw new BrokenBodyError(`is not UTF-8: it ends within a character. ${AS_UTF8}`);
    const isComplete = this.#explain(() => this.#scanner.end());
    if (!isComplete) throw new BrokenBodyError(explainEnd(this.#scanner));
    this.#closeChunk();
  }

  /** @returns the next complete chunk */
  take(): BulkChunk | undefined {
    return this.#complete.shift();
  }

  /** Of two fields of one name, JSON.parse takes the last. Here the messages of the first are already stored, so a second fails. */
  #begin(name: string): void {
    this.#name = name;
    if (name !== "messages") this.#onIgnored(name);
    if (name === "messages" && ++this.#arrays > 1) {
      throw new BrokenBodyError("has two fields named messages: put all messages into one array.");
    }
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: true });
    } catch {
      const whole = this.#joinCut(bytes);
      const before = this.#bytes - this.#cut.length;
      // What comes before bytes that are not UTF-8 may have another fault.
      const wellFormed = whole.subarray(0, findIllFormed(whole));
      if (before > 0 || !isGzip(whole)) this.#scan(new TextDecoder("utf-8", STRICT).decode(wellFormed), before);
      throw new BrokenBodyError(explainEncoding(whole, before) ?? "is not UTF-8.");
    }
  }

  #joinCut(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    return Uint8Array.from([...this.#cut, ...bytes]);
  }

  #scan(text: string, before: number): void {
    const isMarked = before === 0 && text.startsWith("\uFEFF");
    this.#explain(() => this.#scanner.write(isMarked ? text.slice(1) : text, before));
  }

  #explain<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof JsonFault ? new BrokenBodyError(explainFault(this.#scanner)) : error;
    }
  }

  #add(item: unknown): void {
    const text = JSON.stringify(item);
    if (this.#characters + text.length > CHUNK_CHARACTERS) this.#closeChunk();
    this.#items.push(item);
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#items.length === CHUNK_MESSAGES) this.#closeChunk();
  }

  #closeChunk(): void {
    if (this.#items.length > 0) this.#complete.push({ items: this.#items, json: `[${this.#texts.join(",")}]` });
    this.#items = [];
    this.#texts = [];
    this.#characters = 0;
  }
}
