// Pure. Says why a body is not JSON, and where. What it returns completes a sentence that begins with "The body".
import { JSONParser } from "@streamparser/json";
import { findIllFormed } from "./well-formed.ts";

/** A parser that has broken off. */
export interface Break {
  parser: JSONParser;
  error: unknown;
  /** The bytes that it was given last, and the number of bytes before them. */
  piece: Uint8Array;
  before: number;
  /** The latest token, if there was one. */
  token: { value: unknown; offset: number } | undefined;
}

export const EMPTY_BODY = "is empty: send a JSON object.";

/** The parser skips the mark as well, but does not count it. */
export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** @param body in UTF-8, and not JSON */
export function explainNotJson(body: Uint8Array): string {
  const bytes = withoutByteOrderMark(body);
  // It keeps what it parses: to drop each value takes it a walk over all that are open.
  const parser = new JSONParser({ paths: ["$.none"] });
  let token: Break["token"];
  parser.onValue = () => {};
  parser.onToken = (next) => {
    token = next;
  };
  try {
    parser.write(bytes);
    if (!parser.isEnded) parser.end();
  } catch (error) {
    return explainBreak({ parser, error, piece: bytes, before: 0, token });
  }
  return token ? "is not JSON." : EMPTY_BODY;
}

export function explainBreak(broken: Break): string {
  const { error, piece, before, token } = broken;
  const message = error instanceof Error ? error.message : "";
  const [, position, tokenizerState = ""] = /chunk position "(\d+)" .* in state (\w+)$/.exec(message) ?? [];
  const [, parserState] = /^Unexpected [A-Z_]+ .* in state (\w+)$/s.exec(message) ?? [];
  let index = position === undefined ? undefined : Number(position);
  if (parserState && token) index = token.offset - before;
  const encoding = explainEncoding(piece, before, index);
  if (encoding) return encoding;
  if (index === undefined) {
    if (/INCOMPLETE_CHAR/.test(message)) return `is not UTF-8: it ends within a character. ${AS_UTF8}`;
    if (!/ ended in /.test(message)) return `is not UTF-8, at or before byte ${before + 1}. ${AS_UTF8}`;
    const isInString = /STRING/.test(message);
    return `is not complete: it ends${withinField(broken)} before the JSON does.${isInString ? " Is a quote missing, or is it not UTF-8?" : ""}`;
  }
  const found = parserState ? describeToken(token?.value, piece, index) : describeCharacter(piece, index);
  const has = `is not JSON: ${placeOf(piece, before, index)}${withinField(broken)} has ${found}`;
  const within = Object.keys(WITHIN).find((state) => tokenizerState.startsWith(state));
  if (within) return `${has} ${WITHIN[within]}.`;
  const state = parserState ?? STATES[privateOf(broken.parser).state] ?? "";
  return `${has} where ${expectedIn(state, broken)} was expected.${hint(state, found, token)}`;
}

const AS_UTF8 = "Send it as UTF-8, and not as Latin-1, Windows-1252 or UTF-16.";

/**
 * Why bytes are no text in UTF-8, or are compressed; undefined when that is not what is wrong with them.
 * @param most the place of another fault: what comes after it is not looked at
 */
export function explainEncoding(piece: Uint8Array, before: number, most = piece.length): string | undefined {
  const [first, second] = piece;
  if (before === 0 && first === 0x1f && second === 0x8b) {
    return "looks like gzip: it begins with the bytes 0x1F 0x8B. Send it uncompressed.";
  }
  const illFormed = findIllFormed(piece, before > 0);
  if (illFormed === undefined || illFormed > most) return undefined;
  const byte = (piece[illFormed] ?? 0).toString(16).toUpperCase();
  const place = before === 0 ? `, at ${placeOf(piece, before, illFormed)}` : "";
  return `is not UTF-8: its byte ${before + illFormed + 1} is 0x${byte}${place}, where no character begins so. ${AS_UTF8}`;
}

/** What a character breaks in each state of the tokenizer, by the beginning of its name. */
const WITHIN: Record<string, string> = {
  STRING_DEFAULT: "within a string: write it with a backslash, such as \\n",
  STRING: "after a backslash: write a backslash as \\\\",
  NUMBER: "within a number",
  TRUE: "within a word: JSON has only true, false and null",
  FALSE: "within a word: JSON has only true, false and null",
  NULL: "within a word: JSON has only true, false and null",
};

/** States of the parser, by their numbers. */
const STATES = ["VALUE", "KEY", "COLON", "COMMA", "ENDED"];

function expectedIn(state: string, { parser }: Break): string {
  if (state === "VALUE") return "a value";
  if (state === "KEY") return "the name of a field in double quotes";
  if (state === "COLON") return "a colon";
  if (state === "COMMA") return privateOf(parser).mode === 1 ? 'a comma or "]"' : 'a comma or "}"';
  return "the end of the body";
}

function hint(state: string, found: string, token: Break["token"]): string {
  if (found === `"'"`) return " Strings take double quotes.";
  if (/"[}\]]"/.test(found) && state !== "COMMA" && state !== "ENDED")
    return " Is there a comma too many, or no value?";
  const isAfterString = state === "COMMA" && typeof token?.value === "string";
  if (isAfterString) return found === "a string" ? " Is a comma missing?" : ' Write a quote within a text as \\".';
  return "";
}

interface Private {
  state: number;
  /** 1: in an array. */
  mode: number | undefined;
  key: unknown;
  stack: { key: unknown }[];
}

function privateOf(parser: JSONParser): Private {
  // biome-ignore lint/complexity/useLiteralKeys: the property is private
  return parser["tokenParser"] as unknown as Private;
}

/** ` (at messages[3].text)`: the field that was read, or the one before it. */
function withinField({ parser }: Break): string {
  const { stack, key } = privateOf(parser);
  const path = [...stack.slice(1, 5).map((open) => open.key), key].reduce<string>((text, part) => {
    if (part === undefined) return text;
    return typeof part === "number"
      ? `${text}[${part}]`
      : `${text}${text === "" ? "" : "."}${String(part).slice(0, 40)}`;
  }, "");
  return path === "" ? "" : ` (at ${path})`;
}

/** Line and column, from 1, where the line begins in the piece. */
function placeOf(piece: Uint8Array, before: number, index: number): string {
  if (before > 0) return `byte ${before + index + 1}`;
  const lines = new TextDecoder().decode(piece.subarray(0, index)).split(/\r\n|[\r\n]/);
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? "")].length + 1}`;
}

function describeToken(value: unknown, piece: Uint8Array, index: number): string {
  if (typeof value === "number") return "a number";
  const character = describeCharacter(piece, index);
  return typeof value === "string" && (index < 0 || character === "a double quote") ? "a string" : character;
}

function describeCharacter(piece: Uint8Array, index: number): string {
  const [character = ""] = new TextDecoder().decode(piece.subarray(index, index + 4));
  if (character === '"') return "a double quote";
  if (/[\r\n]/.test(character)) return "a line break";
  if (character === "\t") return "a tab";
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return `"${character}"`;
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
