// Pure. Says why a body is not JSON, and where. What it returns completes a sentence that begins with "The body".
import { toCodePoint } from "./invisible.ts";
import { JsonFault, JsonScanner } from "./json-scanner.ts";
import { findIllFormed } from "./well-formed.ts";

export const EMPTY_BODY = "is empty: send a JSON object.";

/** @param body in UTF-8, and not JSON */
export function explainNotJson(body: Uint8Array): string {
  const scanner = new JsonScanner();
  try {
    scanner.write(new TextDecoder().decode(body), 0);
    return scanner.end() ? "is not JSON." : explainEnd(scanner);
  } catch (error) {
    if (error instanceof JsonFault) return explainFault(scanner);
    throw error;
  }
}

/** @param scanner after a JsonFault */
export function explainFault(scanner: JsonScanner): string {
  const { text, before, at, token: found = describeCharacter(text, at) } = scanner;
  const has = `is not JSON: ${placeOf(text, before, at)}${withinField(scanner)} has ${found}`;
  if (scanner.within !== "") return `${has} ${WITHIN[scanner.within]}.`;
  return `${has} where ${expectedIn(scanner)} was expected.${hint(scanner, found)}`;
}

/** Of a body that ends before the JSON does. */
export function explainEnd(scanner: JsonScanner): string {
  const { isEmpty, within } = scanner;
  if (isEmpty) return EMPTY_BODY;
  const isInString = within === "string" || within === "escape";
  return `is not complete: it ends${withinField(scanner)} before the JSON does.${isInString ? " Is a quote missing, or is it not UTF-8?" : ""}`;
}

export const AS_UTF8 = "Send it as UTF-8, and not as Latin-1, Windows-1252 or UTF-16.";

export const isGzip = ([first, second]: Uint8Array) => first === 0x1f && second === 0x8b;

/** Why bytes are no text in UTF-8, or are compressed; undefined when that is not what is wrong with them. */
export function explainEncoding(piece: Uint8Array, before: number): string | undefined {
  if (before === 0 && isGzip(piece)) {
    return "looks like gzip: it begins with the bytes 0x1F 0x8B. Send it uncompressed.";
  }
  const illFormed = findIllFormed(piece);
  if (illFormed === undefined) return undefined;
  const byte = (piece[illFormed] ?? 0).toString(16).toUpperCase();
  const place = before === 0 ? `, at ${placeOf(new TextDecoder().decode(piece.subarray(0, illFormed)), 0)}` : "";
  return `is not UTF-8: its byte ${before + illFormed + 1} is 0x${byte}${place}, where no character begins so. ${AS_UTF8}`;
}

/** What a character breaks within each kind of token. */
const WITHIN = {
  string: "within a string: write it with a backslash, such as \\n",
  escape: "after a backslash: write a backslash as \\\\",
  number: "within a number",
  word: "within a word: JSON has only true, false and null",
};

function expectedIn({ expects, open }: JsonScanner): string {
  if (expects === "value") return "a value";
  if (expects === "name") return "the name of a field in double quotes";
  if (expects === "colon") return "a colon";
  if (expects === "comma") return typeof open.at(-1) === "number" ? 'a comma or "]"' : 'a comma or "}"';
  return "the end of the body";
}

function hint({ expects, isAfterString }: JsonScanner, found: string): string {
  if (found === `"'"`) return " Strings take double quotes.";
  if (/"[}\]]"/.test(found) && expects !== "comma" && expects !== "end")
    return " Is there a comma too many, or no value?";
  if (expects !== "comma") return "";
  if (found === "a string") return " Is a comma missing?";
  return isAfterString ? ' Write a quote within a text as \\".' : "";
}

/** ` (at messages[3].text)`: the field that was read, or the one before it. */
function withinField({ open }: JsonScanner): string {
  const path = [...open.slice(0, -1).slice(0, 4), ...open.slice(-1)].reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return key === "" ? text : `${text}${text === "" ? "" : "."}${(JSON.parse(key) as string).slice(0, 40)}`;
  }, "");
  return path === "" ? "" : ` (at ${path})`;
}

/** Line and column, from 1, where the line begins in the piece. */
function placeOf(piece: string, before: number, at = piece.length): string {
  const text = piece.slice(0, at);
  if (before > 0) return `byte ${before + new TextEncoder().encode(text).length + 1}`;
  let [line, column, last] = [1, 1, ""];
  // One at a time: a body of 8 MB may be one line, or millions.
  for (const character of text) {
    if (character === "\r" || (character === "\n" && last !== "\r")) {
      line += 1;
      column = 1;
    } else if (character !== "\n") column += 1;
    last = character;
  }
  return `line ${line}, column ${column}`;
}

function describeCharacter(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  const character = String.fromCodePoint(code);
  if (character === '"') return "a double quote";
  if (/[\r\n]/.test(character)) return "a line break";
  if (character === "\t") return "a tab";
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return `"${character}"`;
  return toCodePoint(character);
}
