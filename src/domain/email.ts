// Pure. What counts as an e-mail address.
import * as z from "zod";

/** 64 of the local part, the @, and 255 of the domain: RFC 3696, section 3. */
export const MOST_EMAIL_CHARACTERS = 320;

export function isEmail(text: string): boolean {
  return text.length <= MOST_EMAIL_CHARACTERS && z.regexes.html5Email.test(text);
}
