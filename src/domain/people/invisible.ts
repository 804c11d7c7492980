// Pure. White space and invisible characters: address books, spreadsheets and web pages leave them around what is copied.

/** The latter are what Unicode says to draw as nothing, such as U+200B, U+202A, U+2060, U+FEFF and U+00AD. */
const BLANK = /[\s\p{Default_Ignorable_Code_Point}]/u;

/** Below this, and above SPACE, each character can be seen. */
const DELETE = 0x7f;
const SPACE = 0x20;

/** @param code a UTF-16 code unit */
export function isBlankCode(code: number): boolean {
  return !(code > SPACE && code < DELETE) && BLANK.test(String.fromCharCode(code));
}

/** The text, or a part of it, without white space and invisible characters around it. */
export function strip(text: string, from = 0, to = text.length): string {
  let start = from;
  let end = to;
  while (start < end && isBlankCode(text.charCodeAt(start))) start++;
  while (start < end && isBlankCode(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isBlankCode(text.charCodeAt(at))) return false;
  return true;
}

/** Such as `U+200B`. */
export function toCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
