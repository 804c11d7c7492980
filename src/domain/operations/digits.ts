// Pure. The digits of a text, in any script and with anything between them: a phone number has as many spellings as it has writers.

interface Digit {
  /** As ASCII. A character such as ⑫ has two. */
  value: string;
  /** Where it stands in the text. */
  start: number;
  end: number;
  /** A letter stands between it and the digit before. */
  isAfterLetter: boolean;
}

/** What stands for another character. Its own digits and letters say nothing. */
const ESCAPE = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#?\w{1,6};/iy;

/** Not the marks among the letters: the Japanese ー stands for a hyphen in numbers, and º and ª for "number". */
const LETTER = /[[\p{Lu}\p{Ll}\p{Lt}\p{Lo}]--[ªº]]/v;

/** With fewer characters, no text has seven digits. */
const FEWEST_CHARACTERS = 4;

/** @param skipsEscapes `%2D` is read as the character that it stands for, and not as a digit and a letter */
function digitsIn(text: string, skipsEscapes: boolean): Digit[] {
  const digits: Digit[] = [];
  let isAfterLetter = false;
  for (let at = 0; at < text.length; ) {
    ESCAPE.lastIndex = at;
    const escaped = skipsEscapes ? ESCAPE.exec(text)?.[0] : undefined;
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    const end = at + (escaped ?? character).length;
    const value = escaped === undefined ? toDigits(character) : "";
    if (value !== "") digits.push({ value, start: at, end, isAfterLetter });
    isAfterLetter = value === "" && (isAfterLetter || (escaped === undefined && LETTER.test(character)));
    at = end;
  }
  return digits;
}

/** `４` and `٤` are 4, `⑫` is 12, and a letter is none. */
function toDigits(character: string): string {
  if (character >= "0" && character <= "9") return character;
  if (!/\p{N}/u.test(character)) return "";
  const plain = character.normalize("NFKC");
  return [...plain].map((one) => (/\p{Nd}/u.test(one) ? digitValue(one) : "")).join("");
}

/** The digits of a script follow one another, from its zero on. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) as number;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

const valueOfAll = (digits: readonly Digit[]) => digits.map(({ value }) => value).join("");

/** So many digits may be a phone number. */
export const FEWEST_DIGITS = 7;

/** Replaces each run of seven digits or more, with anything but letters between them, by its last two: `…00`. */
export function maskRuns(text: string): string {
  if ((text.match(/\p{N}/gu)?.length ?? 0) < FEWEST_CHARACTERS) return text;
  return maskRunsOf(maskRunsOf(text, false), true);
}

function maskRunsOf(text: string, skipsEscapes: boolean): string {
  const runs: Digit[][] = [];
  for (const digit of digitsIn(text, skipsEscapes)) {
    if (digit.isAfterLetter || runs.length === 0) runs.push([]);
    runs.at(-1)?.push(digit);
  }
  const numbers = runs.filter((run) => valueOfAll(run).length >= FEWEST_DIGITS);
  return replaceRuns(text, numbers, (run) => `…${valueOfAll(run).slice(-2)}`);
}

/**
 * Replaces seven and more digits of the number, whatever stands between them, letters too. What is left of the text may form the
 * number anew, so it is read until nothing is found.
 * @param number as it may be spelled: only its digits count
 */
export function withoutDigitsOf(text: string, number: string): string {
  const own = number.replaceAll(/\D/g, "");
  for (let left = text; ; ) {
    const run = findRunOf(digitsIn(left, false), own);
    if (!run) return left;
    left = replaceRuns(left, [run], () => "…");
  }
}

function findRunOf(digits: readonly Digit[], own: string): Digit[] | undefined {
  for (let start = 0; start < digits.length; start++) {
    let end = start;
    while (end < digits.length && own.includes(valueOfAll(digits.slice(start, end + 1)))) end += 1;
    const run = digits.slice(start, end);
    if (valueOfAll(run).length >= FEWEST_DIGITS) return run;
  }
  return undefined;
}

function replaceRuns(text: string, runs: Digit[][], toText: (run: Digit[]) => string): string {
  let replaced = "";
  let at = 0;
  for (const run of runs) {
    replaced += text.slice(at, run[0]?.start) + toText(run);
    at = run.at(-1)?.end ?? at;
  }
  return replaced + text.slice(at);
}
