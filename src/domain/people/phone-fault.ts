// Pure. Says what keeps a text from being a phone number in E.164 form.
import { INVISIBLE, toCodePoint } from "./invisible.ts";
import { asFromAbroad, isE164, readCallingCode } from "./phone.ts";
import { otherForm } from "./two-form-numbers.ts";

export const PHONE_RULE = "must be an E.164 phone number such as +12125550100";

/** No notation of a number has more. */
const MOST_CHARACTERS = 64;

/** @param text that is no phone number in E.164 form, stripped */
export function explainPhone(text: string): string {
  return `${PHONE_RULE}: ${findFault(text)}`;
}

function findFault(text: string): string {
  if (text.length > MOST_CHARACTERS) return `it is too long: it has ${text.length} characters`;
  const hidden = findHidden(text);
  if (hidden) return hidden;
  const plus = text.indexOf("+");
  if (!/\d/.test(text)) return explainNoDigits(text);
  if (/^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text))
    return "it is in scientific notation: format the column of the spreadsheet as text";
  if (plus === -1 && text.startsWith("00")) return "it begins with 00: write a plus sign in its place";
  const [otherPlus] = /[＋﹢⁺₊➕]/u.exec(text) ?? [];
  if (plus === -1 && otherPlus) return `it has the plus sign ${toCodePoint(otherPlus)}: write "+" in its place`;
  if (plus === -1) return "it has no plus sign: begin with a plus sign and the country code";
  if (plus > 0) return "the plus sign is not its first character";
  const [other] = /[^\d]/u.exec(text.slice(1)) ?? [];
  if (other !== undefined) return `it has ${nameOf(other)}: after the plus sign, write digits only`;
  if (text[1] === "0") return "it has a 0 after the plus sign: no country code begins with 0";
  const read = readCallingCode(text);
  if (!read) return "it begins with no known country code";
  const { callingCode, national, lengths } = read;
  return explainForm(text, callingCode) ?? explainLength(national.length, `+${callingCode}`, lengths);
}

/** What is no number from abroad, though a person can be called by it, or could be. */
function explainForm(text: string, callingCode: string): string | undefined {
  const corrected = asFromAbroad(text);
  if (corrected && corrected.length > text.length)
    return `it lacks digits after +${callingCode}: with them, it is ${corrected}`;
  if (corrected) return `it has a national prefix after +${callingCode}: without it, it is ${corrected}`;
  const renumbered = `+${otherForm(text.slice(1))}`;
  return isE164(renumbered) ? `it has an old form: today it is ${renumbered}` : undefined;
}

/** White space has words of its own. */
const HIDDEN = new RegExp(`(?![\\t\\n\\v\\f\\r])[${INVISIBLE}\\p{Cs}]`, "u");

/** What nobody can see is named by its place and its code point. */
function findHidden(text: string): string | undefined {
  const { 0: character, index } = HIDDEN.exec(text) ?? { 0: "", index: 0 };
  if (character === "") return undefined;
  const place = [...text.slice(0, index)].length + 1;
  return `its character ${place} is ${toCodePoint(character)}, which cannot be seen: remove it`;
}

function explainNoDigits(text: string): string {
  const [other] = /\p{N}/u.exec(text) ?? [];
  return other ? `it has ${nameOf(other)}: write the digits 0 to 9` : "it has no digits";
}

function explainLength(digits: number, callingCode: string, lengths: number[]): string {
  const [least = 0] = lengths;
  const most = lengths.at(-1) ?? 0;
  if (lengths.includes(digits)) return `no number after ${callingCode} has this form`;
  const is = digits < least ? "too short" : digits > most ? "too long" : "of a wrong length";
  const count = digits === 1 ? "1 digit" : `${digits} digits`;
  return `it is ${is}: it has ${count} after ${callingCode}, where numbers have ${nameLengths(lengths)}`;
}

/** @param lengths ascending. @returns for example "10", "7 to 9", "7, 9 or 10" */
function nameLengths(lengths: number[]): string {
  const runs: [first: number, last: number][] = [];
  for (const length of lengths) {
    const run = runs.at(-1);
    if (run?.[1] === length - 1) run[1] = length;
    else runs.push([length, length]);
  }
  const names = runs.flatMap(([first, last]) => {
    if (last - first >= 2) return `${first} to ${last}`;
    return first === last ? String(first) : [String(first), String(last)];
  });
  const final = names.pop() ?? "";
  return names.length === 0 ? final : `${names.join(", ")} or ${final}`;
}

/** Latin, Greek and Cyrillic letters that stand in numbers that somebody has typed or scanned. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...{ O: "0", o: "0", "\u039f": "0", "\u03bf": "0", "\u041e": "0", "\u043e": "0" },
  ...{
    I: "1",
    l: "1",
    "\u0399": "1",
    "\u0406": "1",
    Z: "2",
    S: "5",
    "\u0405": "5",
    B: "8",
    "\u0392": "8",
    "\u0412": "8",
  },
};

function nameOf(character: string): string {
  const codePoint = /[!-~ ]/.test(character) ? "" : ` (${toCodePoint(character)})`;
  if (/\s/.test(character)) return `a space${codePoint}`;
  const digit = LOOK_ALIKES[character];
  if (digit) return `the letter ${character}${codePoint}, which looks like the digit ${digit}`;
  if (/\p{L}/u.test(character)) return `the letter ${character}${codePoint}`;
  if (/\p{N}/u.test(character)) return `a digit other than 0 to 9${codePoint}`;
  return codePoint === "" ? `"${character}"` : `a character that is no digit${codePoint}`;
}
