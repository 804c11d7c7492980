// Pure. Masks phone numbers and addresses in words of others: in the log, in what is stored, and in answers.
import { maskRuns } from "./digits.ts";

/**
 * What stays although it has many digits: ids (UUIDs, those of Twilio, and other hexadecimal ones), the status and the code before a
 * carrier's words, how often a code came, the code of an SMSC, and the dates of a receipt as SMPP 3.4 writes them in appendix B.
 */
const KEPT = new RegExp(
  [
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
    /\b[A-Z]{2}[0-9a-f]{32}\b/,
    /(?=\d*[a-f])[0-9a-f]{32,}/,
    /\bHTTP [1-5]\d\d(?:, \d{5})?(?=$|[:)]| \()/,
    /^[a-z]+: [a-z_]+, \d{5}(?=$|: )/,
    /\b\d{5} × \d+(?= of \d)/,
    /\bNACK\/0x[0-9a-f]{8}\b/,
    /\b(?:submit|done) date: ?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])(?:[0-5]\d){1,2}(?!\d)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);

/** Reduces each number of seven digits or more to its last two, `…00`, however it is spelled. */
export function maskNumbers(text: string): string {
  let masked = "";
  let at = 0;
  for (const { 0: kept, index } of text.matchAll(KEPT)) {
    masked += maskRuns(text.slice(at, index)) + kept;
    at = index + kept.length;
  }
  return masked + maskRuns(text.slice(at));
}

const DOTS = "•••";

/**
 * An address in words: all that may belong to it before the @, which is at least what a browser takes for an address. In a URL, the
 * @ may be escaped, and what is before the path stays.
 */
const ADDRESS =
  /(?<![^\s"<>(),;:\\[\]@＠])((?:https?:\/\/[^\s/?#@]+[/?#])?)([^\s"<>(),;:\\[\]@＠])[^\s"<>(),;:\\[\]@＠]*([@＠]|%(?:25)*40)(?=[\p{L}\p{N}[])/giu;

/** `a•••@example.com`. */
export function maskAddresses(text: string): string {
  if (!/[@＠]|%(?:25)*40/.test(text)) return text;
  return text.replace(ADDRESS, (_, origin: string, first: string, at: string) => origin + first + DOTS + at);
}

/** A field that holds an address: `a•••@example.com`, whatever is before its last @. */
export function maskAddress(address: string): string {
  const [first = ""] = address;
  const at = address.lastIndexOf("@");
  return first + DOTS + (at === -1 ? "" : address.slice(at));
}

/** JSON of the value, with what is under the keys for which `isMasked` is true as `toMasked` has it. */
export function toMaskedJson(value: unknown, isMasked: (key: string) => boolean, toMasked = maskNumbers): string {
  const mask = (key: string, inner: unknown) => {
    const isText = typeof inner === "string" || typeof inner === "number";
    const masked = isText && isMasked(key) ? toMasked(String(inner)) : undefined;
    return masked === undefined || masked === String(inner) ? inner : masked;
  };
  return JSON.stringify(value ?? null, mask);
}
