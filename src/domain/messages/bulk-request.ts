// Pure. Reads the messages of a bulk request while its body comes in.
import * as z from "zod";
import { failField } from "../failure.ts";
import { JsonReader } from "../json-reader.ts";
import { findRepeatedField, STANDS_TWICE } from "../repeated-field.ts";
import { ignoredFieldsShape } from "./ignored-fields.ts";
import { scheduledForShape } from "./send-times.ts";

export const MAX_BULK_MESSAGES = 50_000;

export const bulkSendAnswerSchema = z.object({
  successSent: z.array(z.object({ index: z.int(), messageId: z.uuid(), ...scheduledForShape })),
  failedSent: z.array(
    z.object({
      index: z.int(),
      /** As given, cut after the longest valid one; null when it is not a string. */
      phone: z.string().nullable(),
      email: z.string().nullable(),
      errorMessage: z.string(),
    }),
  ),
  ...ignoredFieldsShape,
});

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
export const MOST_DEEP = 1000;

/** Messages as given in the body. */
export interface BulkChunk {
  items: unknown[];
  /** The same as JSON, as it is written in the body. */
  json: string;
}

/** Reads a body in pieces, and returns the items of its array `messages` in chunks. */
export class BulkReader {
  readonly #json = new JsonReader();
  readonly #complete: BulkChunk[] = [];
  readonly #onIgnored: (name: string) => void;
  #items: unknown[] = [];
  #texts: string[] = [];
  #characters = 0;
  #incompleteBytes = 0;
  /** The field at the top level of the body. */
  #name = "";
  readonly #names = new Set<string>();

  /** @param onIgnored gets each name beside `messages` */
  constructor(onIgnored: (name: string) => void = () => {}) {
    this.#onIgnored = onIgnored;
    this.#json.onName = (name) => this.#begin(name);
    this.#json.onOpen = () => {
      if (this.#json.path.length > MOST_DEEP) failField("body", `must not be nested more than ${MOST_DEEP} deep`);
    };
    this.#json.onItem = (text) => {
      if (this.#name === "messages" && typeof this.#json.path[1] === "number") this.#read(text, this.#json.path[1]);
    };
  }

  /**
   * @param bytes much fewer than 256 KB
   * @throws BrokenBodyError; RequestFailure fields-wrong when a message or another field is far too large
   */
  write(bytes: Uint8Array): void {
    this.#incompleteBytes += bytes.byteLength;
    this.#json.write(bytes);
    if (this.#incompleteBytes > INCOMPLETE_BYTES)
      failField("messages", "has more than 256 KB without a complete message");
  }

  /** Completes the last chunk. @throws BrokenBodyError when the body is incomplete */
  end(): void {
    this.#json.end();
    this.#closeChunk();
  }

  /** @returns the next complete chunk */
  take(): BulkChunk | undefined {
    return this.#complete.shift();
  }

  /** Messages before the second of two fields with one name may be stored already. */
  #begin(name: string): void {
    if (this.#names.has(name)) failField(name, STANDS_TWICE);
    this.#name = name;
    this.#names.add(name);
    if (name !== "messages") this.#onIgnored(name);
  }

  #read(text: string, index: number): void {
    const repeated = findRepeatedField(text);
    if (repeated !== undefined)
      failField(`messages[${index}]${repeated.startsWith("[") ? "" : "."}${repeated}`, STANDS_TWICE);
    this.#add(text);
  }

  /** White space does not count: a retry may have more of it. */
  #add(text: string): void {
    this.#incompleteBytes = 0;
    const item: unknown = JSON.parse(text);
    const { length } = JSON.stringify(item);
    if (this.#characters + length > CHUNK_CHARACTERS) this.#closeChunk();
    this.#items.push(item);
    this.#texts.push(text);
    this.#characters += length;
    if (this.#items.length === CHUNK_MESSAGES) this.#closeChunk();
  }

  #closeChunk(): void {
    if (this.#items.length > 0) this.#complete.push({ items: this.#items, json: `[${this.#texts.join(",")}]` });
    this.#items = [];
    this.#texts = [];
    this.#characters = 0;
  }
}
