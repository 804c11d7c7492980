// Pure. White space and invisible characters: address books, spreadsheets and web pages leave them around what is copied.

/**
 * For a class of a regular expression: controls, and what is drawn as nothing. Those are the characters that Unicode names so (U+200B,
 * U+202A, U+3164, U+FEFF, variation selectors), the empty Braille pattern, and the marks of interlinear annotations.
 */
export const INVISIBLE = "\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb";

const BLANK = new RegExp(`[\\s${INVISIBLE}]`, "u");

/** Below this, and above SPACE, each character can be seen. */
const DELETE = 0x7f;
const SPACE = 0x20;

/** @param code of a character, or a UTF-16 code unit */
export function isBlankCode(code: number): boolean {
  return !(code > SPACE && code < DELETE) && BLANK.test(String.fromCodePoint(code));
}

/** The text, or a part of it, without white space and invisible characters around it. */
export function strip(text: string, from = 0, to = text.length): string {
  let start = from;
  let end = to;
  while (start < end && isBlankCode(text.codePointAt(start) as number)) start += widthAt(text, start);
  while (start < end) {
    const last = end - (end - 2 >= start && widthAt(text, end - 2) === 2 ? 2 : 1);
    if (!isBlankCode(text.codePointAt(last) as number)) break;
    end = last;
  }
  return text.slice(start, end);
}

/** How many UTF-16 code units the character takes. */
const widthAt = (text: string, at: number): number => ((text.codePointAt(at) as number) > 0xffff ? 2 : 1);

export function isBlank(text: string): boolean {
  return strip(text) === "";
}

/** Such as `U+200B`. */
export function toCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
