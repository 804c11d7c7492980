// Pure. Invalid numbers and addresses as answers repeat them: as given, cut when they are longer than any valid one.
import { MOST_EMAIL_CHARACTERS } from "./email.ts";

/** Four times the fifteen digits of E.164, and a few more: no notation of a number is longer. */
export const MOST_PHONE_CHARACTERS = 64;

export const echoPhone = (text: string) => cut(text, MOST_PHONE_CHARACTERS);

/** A UUID has 36. */
export const echoId = (text: string) => cut(text, 64);

export const echoEmail = (text: string) => cut(text, MOST_EMAIL_CHARACTERS);

/** An answer may hold thousands of these, and must not grow with their lengths. */
function cut(text: string, most: number): string {
  // Never ends with half of a surrogate pair.
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
