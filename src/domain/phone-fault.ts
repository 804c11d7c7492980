// Pure. Says what keeps a text from being a phone number in E.164 form.
import { planOf, splitCallingCode } from "./numbering-plan.ts";
import { nationalPrefixRemoved } from "./phone.ts";

export const PHONE_RULE = "must be an E.164 phone number such as +12125550100";

/** @param text that is no phone number in E.164 form, trimmed */
export function explainPhone(text: string): string {
  return `${PHONE_RULE}: ${findFault(text)}`;
}

function findFault(text: string): string {
  const plus = text.indexOf("+");
  if (!/\d/.test(text)) return "it has no digits";
  if (/e\+?\d+$/i.test(text)) return "it is in scientific notation: format the column of the spreadsheet as text";
  if (plus === -1 && text.startsWith("00")) return "it begins with 00: write a plus sign in its place";
  if (plus === -1) return "it has no plus sign: begin with a plus sign and the country code";
  if (plus > 0) return "the plus sign is not its first character";
  const [other] = /[^\d]/.exec(text.slice(1)) ?? [];
  if (other !== undefined) return `it has ${nameOf(other)}: after the plus sign, write digits only`;
  if (text[1] === "0") return "it has a 0 after the plus sign: no country code begins with 0";
  const [callingCode, national] = splitCallingCode(text.slice(1)) ?? [];
  const plan = planOf(Number(callingCode));
  if (!plan || national === undefined) return "it begins with no known country code";
  const corrected = nationalPrefixRemoved(text);
  if (corrected) return `it has a national prefix after +${callingCode}: without it, it is ${corrected}`;
  return explainLength(national.length, `+${callingCode}`, plan.lengths);
}

function explainLength(digits: number, callingCode: string, lengths: number[]): string {
  const [least = 0] = lengths;
  const most = lengths.at(-1) ?? 0;
  if (lengths.includes(digits)) return `no number after ${callingCode} has this form`;
  const is = digits < least ? "too short" : digits > most ? "too long" : "of a wrong length";
  const allowed = least === most ? String(least) : `${least} to ${most}`;
  return `it is ${is}: it has ${digits} digits after ${callingCode}, where numbers have ${allowed}`;
}

function nameOf(character: string): string {
  if (/\s/.test(character)) return "a space";
  if (/\p{L}/u.test(character)) return "a letter";
  if (/\p{N}/u.test(character)) return "a digit other than 0 to 9";
  return /[!-~]/.test(character) ? `"${character}"` : "a character that is no digit";
}
