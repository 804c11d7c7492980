// Pure. The rule for e-mail addresses. src/store/messages/recipients.ts finds the number of an address.
import * as z from "zod";

/** RFC 3696, section 3: a local part of 64, the @, and a domain of 255. */
export const MOST_EMAIL_CHARACTERS = 320;

/** By the rule of browsers: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address */
export function isEmail(text: string): boolean {
  return text.length <= MOST_EMAIL_CHARACTERS && z.regexes.html5Email.test(text);
}
