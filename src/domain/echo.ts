// Pure. What is given back of a number or an address that cannot be taken: as it was given, unless no such thing is as long.
import { MOST_EMAIL_CHARACTERS } from "./email.ts";

/** Four times the fifteen digits of E.164, and some more: however a number is written, it has no more. */
export const MOST_PHONE_CHARACTERS = 64;

export const echoPhone = (text: string) => cut(text, MOST_PHONE_CHARACTERS);

export const echoEmail = (text: string) => cut(text, MOST_EMAIL_CHARACTERS);

/** An answer must not grow with what was given: a thousand of these may stand in one. */
function cut(text: string, most: number): string {
  // Without half of a surrogate pair at its end.
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
