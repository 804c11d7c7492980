// Pure. Why a body is not JSON, as the end of a sentence that begins with "The body". No more of a body is quoted than a character
// and the name of a field: bodies hold personal data.
import { toCodePoint } from "./people/invisible.ts";
import { findIllFormed } from "./well-formed.ts";

export const EMPTY_BODY = "is empty: send a JSON object.";

export const AS_UTF8 = "Send it as UTF-8, and not as Latin-1, Windows-1252 or UTF-16.";

/** Where the reading of JSON has come to. */
export interface JsonPlace {
  /** In each array or object that is open: the index, or the last name, "" before the first. */
  readonly path: readonly (number | string)[];
  /** What may come next; beside it, an array or object may be closed after a value, or when it is empty. */
  readonly expects: "value" | "name" | "colon" | "comma" | "end";
  readonly isAfterString: boolean;
}

/**
 * @param place as of placeOf @param found what stands there
 * @param state in which the tokenizer did not take a character; none when a whole token is in the wrong place
 */
export function explainFault(json: JsonPlace, place: string, found: string, state = ""): string {
  const has = `is not JSON: ${place}${atField(json)} has ${found}`;
  const [, within] = WITHIN.find(([states]) => states.test(state)) ?? [];
  if (within) return `${has} ${within}.${hintAtQuote(json)}`;
  return `${has} where ${expectedIn(json)} was expected.${hint(json, found)}`;
}

/** What a character breaks in the states of the tokenizer that are within a token. */
const WITHIN: [RegExp, string][] = [
  [/^STRING_DEFAULT/, "within a string: write it with a backslash, such as \\n"],
  [/^STRING/, "after a backslash: write a backslash as \\\\"],
  [/^NUMBER/, "within a number"],
  [/^(TRUE|FALSE|NULL)/, "within a word: JSON has only true, false and null"],
];

/** Explains a body that ends before the JSON does. */
export function explainEnd(json: JsonPlace, isInString: boolean): string {
  return `is not complete: it ends${atField(json)} before the JSON does.${isInString ? " Is a quote missing, or is it not UTF-8?" : ""}`;
}

export const isGzip = ([first, second]: Uint8Array) => first === 0x1f && second === 0x8b;

/** Why bytes are no text in UTF-8, or are compressed; undefined when that is not what is wrong with them. */
export function explainEncoding(piece: Uint8Array, before: number): string | undefined {
  if (before === 0 && isGzip(piece)) {
    return "looks like gzip: it begins with the bytes 0x1F 0x8B. Send it uncompressed.";
  }
  const illFormed = findIllFormed(piece);
  if (illFormed === undefined) return undefined;
  const byte = (piece[illFormed] ?? 0).toString(16).toUpperCase();
  const place = before === 0 ? `, at ${placeOf(piece, 0, illFormed)}` : "";
  return `is not UTF-8: its byte ${before + illFormed + 1} is 0x${byte}${place}, where no character begins so. ${AS_UTF8}`;
}

const EXPECTED = {
  value: "a value",
  name: "the name of a field in double quotes",
  colon: "a colon",
  comma: 'a comma or "}"',
  end: "the end of the body",
};

function expectedIn({ expects, path }: JsonPlace): string {
  return expects === "comma" && typeof path.at(-1) === "number" ? 'a comma or "]"' : EXPECTED[expects];
}

function hint(json: JsonPlace, found: string): string {
  const { expects } = json;
  if (found === `"'"`) return " Strings take double quotes.";
  if (/"[}\]]"/.test(found) && expects !== "comma" && expects !== "end")
    return " Is there a comma too many, or no value?";
  return expects === "comma" && found === "a string" ? " Is a comma missing?" : hintAtQuote(json);
}

function hintAtQuote({ expects, isAfterString }: JsonPlace): string {
  return expects === "comma" && isAfterString ? ' Write a quote within a text as \\".' : "";
}

/** ` (at messages[3].text)`: the field that was read, or the one before it. */
function atField({ path }: JsonPlace): string {
  const text = [...path.slice(0, -1).slice(0, 4), ...path.slice(-1)].reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return key === "" ? text : `${text}${text === "" ? "" : "."}${key.slice(0, 40)}`;
  }, "");
  return text === "" ? "" : ` (at ${text})`;
}

/**
 * The line and column of a byte, from 1; its number in the body, from 1, when lines of earlier pieces are not known.
 * @param piece whole characters up to the byte @param before the number of bytes before the piece @param at as before
 */
export function placeOf(piece: Uint8Array, before: number, at: number): string {
  if (before > 0) return `byte ${at + 1}`;
  let [line, column, last] = [1, 1, ""];
  // One at a time: a body of 8 MB may be one line, or millions.
  for (const character of new TextDecoder().decode(piece.subarray(0, at))) {
    if (character === "\r" || (character === "\n" && last !== "\r")) {
      line += 1;
      column = 1;
    } else if (character !== "\n") column += 1;
    last = character;
  }
  return `line ${line}, column ${column}`;
}

/** @param text that begins with the character */
export function describeCharacter(text: string): string {
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
  if (character === '"') return "a double quote";
  if (/[\r\n]/.test(character)) return "a line break";
  if (character === "\t") return "a tab";
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return `"${character}"`;
  return toCodePoint(character);
}
