// Pure. Phone numbers: E.164 text at the edges, whole numbers inside.
import { parsePhoneNumberFromString } from "libphonenumber-js";

const E164_SHAPE = /^\+[1-9]\d{1,14}$/;

/**
 * Whether `text` is a phone number in E.164 form: libphonenumber finds it possible (a length that its country has) and
 * writes it in the same way. Possible, not "valid": numbering plans change faster than the library's data.
 */
export function isE164(text: string): boolean {
  if (!E164_SHAPE.test(text)) return false;
  const parsed = parsePhoneNumberFromString(text);
  return parsed !== undefined && parsed.number === text && parsed.isPossible();
}

/** `+12125550100` as 12125550100. E.164 has at most 15 digits and no leading zero, so a number holds it exactly. */
export function toDigits(e164: string): number {
  return Number(e164.slice(1));
}

export function toE164(digits: number): string {
  return `+${digits}`;
}
