// Pure. The messages of a bulk request, read from its body piece by piece.
import { JSONParser, TokenType } from "@streamparser/json";
import * as z from "zod";
import { failField } from "./failure.ts";
import { sendRequestSchema } from "./send-request.ts";

export const MAX_BULK_MESSAGES = 50_000;

export const bulkSendRequestSchema = z.object({ messages: z.array(sendRequestSchema).min(1).max(MAX_BULK_MESSAGES) });

export const bulkSendAnswerSchema = z.object({
  successSent: z.array(z.object({ index: z.int(), messageId: z.uuid() })),
  failedSent: z.array(
    z.object({
      index: z.int(),
      /** As given, cut after what one may have; null where it is no string. */
      phone: z.string().nullable(),
      email: z.string().nullable(),
      errorMessage: z.string(),
    }),
  ),
});

/** The body is no JSON, or breaks off. */
export class BrokenBodyError extends Error {}

/**
 * How many messages, and how many characters of JSON, are checked and stored at a time. Under an Idempotency-Key the same
 * body must fall into the same chunks, so both count messages and not what the network brings together.
 */
const CHUNK_MESSAGES = 500;
const CHUNK_CHARACTERS = 500_000;

/**
 * How much may come without completing a message. The parser keeps what is not complete, at up to a hundred times its
 * size, and a send request alone may have half of this.
 */
const INCOMPLETE_BYTES = 256 * 1024;

/** Messages as they stand in the body. */
export interface BulkChunk {
  items: unknown[];
  /** The same as JSON, for what an Idempotency-Key is bound to. */
  json: string;
}

/** Takes a body in pieces, and gives the items of its array `messages` in chunks, as they become whole. */
export class BulkReader {
  readonly #parser = new JSONParser({ paths: ["$.messages.*"], keepStack: false });
  readonly #whole: BulkChunk[] = [];
  #items: unknown[] = [];
  #texts: string[] = [];
  #characters = 0;
  #incompleteBytes = 0;
  #depth = 0;
  /** The token before, of the body's own object. */
  #before: TokenType | undefined;
  #arrays = 0;

  constructor() {
    this.#parser.onToken = ({ token, value }) => this.#countArrays(token, value);
    this.#parser.onValue = ({ value, key }) => {
      this.#incompleteBytes = 0;
      if (typeof key === "number") this.#add(value);
    };
  }

  /**
   * @param bytes a piece that is small beside 256 KB
   * @throws BrokenBodyError; RequestFailure fields-wrong for a message, or another field, that is far too large
   */
  write(bytes: Uint8Array): void {
    this.#incompleteBytes += bytes.byteLength;
    rethrow(() => this.#parser.write(bytes));
    if (this.#incompleteBytes > INCOMPLETE_BYTES)
      failField("messages", "goes on for more than 256 KB without a whole message");
  }

  /** @throws BrokenBodyError unless the body is whole; then the last chunk is too */
  end(): void {
    rethrow(() => {
      if (!this.#parser.isEnded) this.#parser.end();
    });
    this.#closeChunk();
  }

  /** The next chunk that is whole. */
  take(): BulkChunk | undefined {
    return this.#whole.shift();
  }

  /** JSON.parse would take the last of two fields of one name; here, the messages of the first are stored by then. */
  #countArrays(token: TokenType, value: unknown): void {
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.#depth -= 1;
    if (this.#depth === 1) {
      const isName = this.#before === TokenType.LEFT_BRACE || this.#before === TokenType.COMMA;
      if (isName && value === "messages" && ++this.#arrays > 1) throw new BrokenBodyError("two fields named messages");
    }
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#depth += 1;
    if (this.#depth <= 1) this.#before = token;
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
    if (this.#items.length > 0) this.#whole.push({ items: this.#items, json: `[${this.#texts.join(",")}]` });
    this.#items = [];
    this.#texts = [];
    this.#characters = 0;
  }
}

/** The parser throws plain errors too, such as for bytes that are no UTF-8. */
function rethrow(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new BrokenBodyError(error instanceof Error ? error.message : String(error));
  }
}
