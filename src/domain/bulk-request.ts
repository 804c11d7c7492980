// Pure. Reads the messages of a bulk request while its body comes in.
import { JSONParser, TokenType } from "@streamparser/json";
import * as z from "zod/mini";
import { failField, RequestFailure } from "./failure.ts";
import { type Break, EMPTY_BODY, explainBreak, withoutByteOrderMark } from "./json-fault.ts";

export const MAX_BULK_MESSAGES = 50_000;

/** A function, so that the bundle of the Worker leaves it out: only the OpenAPI document needs it. */
export function bulkSendAnswerSchema() {
  return z.object({
    successSent: z.array(z.object({ index: z.int(), messageId: z.uuid() })),
    failedSent: z.array(
      z.object({
        index: z.int(),
        /** As given, cut after the longest valid one; null when it is not a string. */
        phone: z.nullable(z.string()),
        email: z.nullable(z.string()),
        errorMessage: z.string(),
      }),
    ),
  });
}

/** The body is not JSON, or is truncated. The message completes a sentence that begins with "The body". */
export class BrokenBodyError extends Error {}

/**
 * Limits of one chunk, which is checked and stored together. With an Idempotency-Key, a retry must split into the same chunks;
 * so a chunk depends on the messages alone, and not on the pieces in which the network delivers them.
 */
export const CHUNK_MESSAGES = 500;
const CHUNK_CHARACTERS = 500_000;

/**
 * Limit of bytes without a complete message. The parser buffers an incomplete message at up to a hundred times its size; a valid
 * send request may take half of this limit.
 */
const INCOMPLETE_BYTES = 256 * 1024;

/**
 * The parser decodes a string at once from a buffer of this size. Without one, it decodes each run of letters outside ASCII for
 * itself: in Arabic or Russian each word, which takes three times as long.
 */
const STRING_BYTES = 4096;

/** The parser walks through all open arrays and objects when one ends: 130,000 of them would take it eight seconds. */
const MOST_DEEP = 1000;

/** Messages as given in the body. */
export interface BulkChunk {
  items: unknown[];
  /** The same as JSON, with the keys in the order of the body. */
  json: string;
}

/** Parses a body in pieces, and returns the items of its array `messages` in chunks. */
export class BulkReader {
  readonly #parser = new JSONParser({ paths: ["$.messages.*"], keepStack: false, stringBufferSize: STRING_BYTES });
  readonly #complete: BulkChunk[] = [];
  #items: unknown[] = [];
  #texts: string[] = [];
  #characters = 0;
  #incompleteBytes = 0;
  #depth = 0;
  /** The previous token at the top level of the body. */
  #before: TokenType | undefined;
  #arrays = 0;
  #token: Break["token"];
  #bytes = 0;

  constructor() {
    // The parser's own decoder drops U+FEFF from the beginning of a string.
    // biome-ignore lint/complexity/useLiteralKeys: the property is private
    this.#parser["tokenizer"]["bufferedString"].decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    this.#parser.onToken = (token) => {
      this.#token = token;
      this.#countArrays(token.token, token.value);
    };
    this.#parser.onValue = ({ value, key }) => {
      this.#incompleteBytes = 0;
      if (typeof key === "number") this.#add(value);
    };
  }

  /**
   * @param bytes much fewer than 256 KB
   * @throws BrokenBodyError; RequestFailure fields-wrong when a message or another field is far too large
   */
  write(bytes: Uint8Array): void {
    this.#incompleteBytes += bytes.byteLength;
    const piece = this.#bytes === 0 ? withoutByteOrderMark(bytes) : bytes;
    this.#explain(piece, () => this.#parser.write(piece));
    this.#bytes += piece.byteLength;
    if (this.#incompleteBytes > INCOMPLETE_BYTES)
      failField("messages", "has more than 256 KB without a complete message");
  }

  /** Completes the last chunk. @throws BrokenBodyError when the body is incomplete */
  end(): void {
    this.#explain(new Uint8Array(), () => {
      if (!this.#parser.isEnded) this.#parser.end();
    });
    if (!this.#token) throw new BrokenBodyError(EMPTY_BODY);
    this.#closeChunk();
  }

  /** @returns the next complete chunk */
  take(): BulkChunk | undefined {
    return this.#complete.shift();
  }

  /** Of two fields of one name, JSON.parse takes the last. Here the messages of the first are already stored, so a second fails. */
  #countArrays(token: TokenType, value: unknown): void {
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.#depth -= 1;
    if (this.#depth === 1) {
      const isName = this.#before === TokenType.LEFT_BRACE || this.#before === TokenType.COMMA;
      if (isName && value === "messages" && ++this.#arrays > 1) {
        throw new BrokenBodyError("has two fields named messages: put all messages into one array.");
      }
    }
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#depth += 1;
    if (this.#depth > MOST_DEEP) failField("body", `must not be nested more than ${MOST_DEEP} deep`);
    if (this.#depth <= 1) this.#before = token;
  }

  #explain(piece: Uint8Array, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof BrokenBodyError || error instanceof RequestFailure) throw error;
      const broken = { parser: this.#parser, error, piece, before: this.#bytes, token: this.#token };
      throw new BrokenBodyError(explainBreak(broken));
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
