// Pure. The rule for e-mail addresses.

/** RFC 3696, section 3: a local part of 64, the @, and a domain of 255. */
export const MOST_EMAIL_CHARACTERS = 320;

/**
 * The rule of browsers: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
 * `z.regexes` has the same, and would bring every pattern of zod into the bundle.
 */
const HTML_EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

export function isEmail(text: string): boolean {
  return text.length <= MOST_EMAIL_CHARACTERS && HTML_EMAIL.test(text);
}
