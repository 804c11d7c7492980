// Pure. Reads JSON that comes in pieces of UTF-8, and says where it stops being JSON.
import { Tokenizer, TokenizerError, TokenParser, TokenType } from "@streamparser/json";
import { joinBytes } from "./join-bytes.ts";
import {
  AS_UTF8,
  describeCharacter,
  EMPTY_BODY,
  explainEncoding,
  explainEnd,
  explainFault,
  isGzip,
  type JsonPlace,
  placeOf,
} from "./json-fault.ts";
import { countCut, findIllFormed } from "./well-formed.ts";

/** The body is not JSON, or is truncated. The message completes a sentence that begins with "The body". */
export class BrokenBodyError extends Error {}

type Token = Parameters<Tokenizer["onToken"]>[0];

/** The tokenizer decodes a string at once from a buffer of this size. Without one it takes half as long again, in Arabic twice. */
const STRING_BUFFER_BYTES = 4096;

/** The tokenizer says only in its message where it failed, and within what. */
const FAILED = /absolute position "(\d+)"\) in state (\w+)$/;

/** What a token in the wrong place is called; any other is named by its first character. */
const LITERALS = new Map([
  [TokenType.STRING, "a string"],
  [TokenType.NUMBER, "a number"],
]);

/** Read before the body. Until its first literal, the tokenizer takes U+FEFF anywhere for a byte order mark, also within `[`. */
const PRIMER = "0 ";

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const TEXT = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/**
 * The library finds the tokens and refuses what is not JSON; this class follows them, to say where an error is. It hands out the
 * text of values, and not the library's values: of a string that begins with U+FEFF, the library drops that.
 */
export class JsonReader implements JsonPlace {
  readonly path: (number | string)[] = [];
  expects: JsonPlace["expects"] = "value";
  isAfterString = false;
  /** With each name of the outermost object, before its value is read. */
  onName: (name: string) => void = () => {};
  /** With the text of each value of an array or object in the outermost one, when `path` is its place. */
  onItem: (text: string) => void = () => {};
  /** When an array or object has begun. */
  onOpen: () => void = () => {};
  readonly #tokenizer = new Tokenizer({ stringBufferSize: STRING_BUFFER_BYTES });
  /** Drops each value of the second level when it is complete, so that memory stays bounded. */
  readonly #grammar = new TokenParser({ paths: ["$.*.*"], keepStack: false });
  #token: Token | undefined;
  /** Whole characters, and the number of bytes before them. */
  #piece = new Uint8Array();
  #before = 0;
  /** The bytes of a character within which the last piece ended. */
  #cut = new Uint8Array();
  /** The byte at which the text of a name or item begins, white space included, and what earlier pieces have of it. */
  #from = 0;
  #kept = "";

  constructor() {
    this.#grammar.onValue = () => {};
    this.#grammar.onError = () => {
      throw this.#misplaced();
    };
    this.#tokenizer.onError = (error) => {
      throw error instanceof TokenizerError ? this.#unexpected(error) : error;
    };
    this.#tokenizer.onToken = () => {};
    this.#tokenizer.write(PRIMER);
    this.#tokenizer.onToken = (token) => this.#read(token, token.offset - PRIMER.length);
  }

  /** @throws BrokenBodyError, and what the callbacks throw */
  write(bytes: Uint8Array): void {
    this.#before += this.#piece.length;
    const joined = joinBytes(this.#cut, bytes);
    const piece = joined.subarray(0, joined.length - countCut(joined));
    this.#cut = joined.slice(piece.length);
    const illFormed = findIllFormed(piece);
    // What comes before bytes that are not UTF-8 may have another fault.
    this.#tokenize(piece.subarray(0, this.#before === 0 && isGzip(piece) ? 0 : illFormed));
    if (illFormed !== undefined) throw new BrokenBodyError(explainEncoding(piece, this.#before));
    this.#kept = this.#textTo(this.#before + piece.length);
  }

  /** @throws BrokenBodyError when the JSON is not complete */
  end(): void {
    if (this.#cut.length > 0) throw new BrokenBodyError(`is not UTF-8: it ends within a character. ${AS_UTF8}`);
    this.#tokenizer.end();
    if (this.#isAt(0, "value")) throw new BrokenBodyError(EMPTY_BODY);
    if (this.expects !== "end") throw new BrokenBodyError(explainEnd(this, false));
  }

  /** @param at the byte of the body at which the token begins */
  #read(token: Token, at: number): void {
    this.#token = token;
    this.#grammar.write(token);
    // A name ends at its colon, an item at the comma or bracket after it; the white space around them does not matter.
    if (this.#isAt(1, "colon")) this.onName(JSON.parse(this.#textTo(at)));
    if (this.#isAt(2, "comma")) this.onItem(this.#textTo(at));
    this.#follow(token);
    if (!this.#isAt(1, "name") && !this.#isAt(2, "value")) return;
    this.#from = at + 1;
    this.#kept = "";
  }

  #isAt(depth: number, expects: JsonPlace["expects"]): boolean {
    return this.path.length === depth && this.expects === expects;
  }

  /** @param end a byte of the piece */
  #textTo(end: number): string {
    const from = Math.max(this.#from - this.#before, 0);
    return this.#kept + TEXT.decode(this.#piece.subarray(from, end - this.#before));
  }

  #tokenize(piece: Uint8Array<ArrayBuffer>): void {
    this.#piece = piece;
    const isMarked = this.#before === 0 && BYTE_ORDER_MARK.every((byte, at) => piece[at] === byte);
    // A byte order mark is read as so many spaces: after the primer, the tokenizer takes none.
    if (isMarked) this.#tokenizer.write("   ");
    this.#tokenizer.write(isMarked ? piece.subarray(BYTE_ORDER_MARK.length) : piece);
  }

  /** Where the next token stands, and what it may be. */
  #follow({ token, value }: Token): void {
    const { path, expects } = this;
    const last = path.length - 1;
    const key = path[last];
    this.isAfterString = token === TokenType.STRING;
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      path.push(token === TokenType.LEFT_BRACE ? "" : 0);
      this.expects = token === TokenType.LEFT_BRACE ? "name" : "value";
      this.onOpen();
    } else if (token === TokenType.COMMA) {
      if (typeof key === "number") path[last] = key + 1;
      this.expects = typeof key === "number" ? "value" : "name";
    } else if (token === TokenType.COLON) {
      this.expects = "value";
    } else if (expects === "name" && token === TokenType.STRING) {
      path[last] = String(value);
      this.expects = "colon";
    } else {
      if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) path.pop();
      this.expects = path.length === 0 ? "end" : "comma";
    }
  }

  /** The grammar has no such token here. */
  #misplaced(): BrokenBodyError {
    const { token, value, offset } = this.#token as Token;
    return this.#fault(offset - PRIMER.length, LITERALS.get(token) ?? `"${String(value).charAt(0)}"`);
  }

  /** No token has such a character, or the JSON has ended within one. */
  #unexpected({ message }: TokenizerError): BrokenBodyError {
    const [, position, state] = FAILED.exec(message) ?? [];
    if (position === undefined) return new BrokenBodyError(explainEnd(this, message.includes("STRING")));
    const at = Number(position) - PRIMER.length;
    const character = TEXT.decode(this.#piece.subarray(at - this.#before).subarray(0, 4));
    return this.#fault(at, describeCharacter(character), state);
  }

  #fault(at: number, found: string, state?: string): BrokenBodyError {
    return new BrokenBodyError(explainFault(this, placeOf(this.#piece, this.#before, at), found, state));
  }
}

/** @param body in UTF-8, and not JSON @returns the end of a sentence that begins with "The body" */
export function explainNotJson(body: Uint8Array): string {
  const reader = new JsonReader();
  try {
    reader.write(body);
    reader.end();
  } catch (error) {
    if (error instanceof BrokenBodyError) return error.message;
    throw error;
  }
  return "is not JSON.";
}
