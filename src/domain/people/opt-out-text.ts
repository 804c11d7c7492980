// Pure. Texts that are made of opt-out words, and of what stands beside them.
import { toLetters, toWords } from "./plain-words.ts";

/** They may stand beside an opt-out word: in English, French and Spanish. */
const COURTESIES = [
  ...["PLEASE", "PLS", "PLZ", "THANKS", "THANKYOU", "THX", "TY"],
  ...["SILVOUSPLAIT", "SILTEPLAIT", "SVP", "STP", "MERCI", "PORFAVOR", "GRACIAS"],
];

/** They join two words, as in "STOP2END", which advertisements print: in English, French and Spanish. Punctuation needs no mention. */
const JOINERS = ["2", "TO", "AND", "OR", "ET", "OU", "Y", "O"];

const LINE_END = /[\r\n\v\f\u0085\u2028\u2029]+/;

/** They also begin an ordinary sentence: "Cancel", and on the next line "my order please". */
const ORDINARY = ["CANCEL", "END"];

export const isCourtesy = (text: string) => COURTESIES.includes(toLetters(text));

/**
 * Whether the text has opt-out words, courtesies, what joins two of them, and nothing else. Or its first line has, above a signature: if
 * that line has ordinary words only, what follows must not go on with a sentence.
 * @param words as letters
 */
export function isOptOutText(text: string, words: string[]): boolean {
  if (isMadeOf(text, words)) return true;
  const lines = text.split(LINE_END).filter((line) => line.trim() !== "");
  const at = lines.findIndex((line) => toWords(line) !== "");
  const [first = "", second = ""] = lines.slice(Math.max(0, at));
  return isMadeOf(first, words) && !(isMadeOf(first, ORDINARY) && goesOn(second));
}

/** What a reader of letters has read last. */
type Read = "nothing" | "item" | "joiner";

/** Reads the letters from left to right in every way at once: a word may be spelled with spaces, and words may stand together. */
function isMadeOf(text: string, words: string[]): boolean {
  const tokens = toWords(text).split(" ");
  const letters = tokens.join("");
  const edges = edgesOf(tokens);
  const ways: Set<string>[] = Array.from({ length: letters.length + 1 }, () => new Set());
  const reach = (at: number, last: Read, hasWord: boolean) => ways[at]?.add(`${last} ${hasWord}`);
  reach(0, "nothing", false);
  for (let at = 0; at < letters.length; at++) {
    for (const way of ways[at] ?? []) {
      const hasWord = way.endsWith("true");
      for (const word of words) if (letters.startsWith(word, at)) reach(at + word.length, "item", true);
      for (const courtesy of edges.has(at) ? COURTESIES : []) {
        const end = at + courtesy.length;
        if (letters.startsWith(courtesy, at) && edges.has(end)) reach(end, "item", hasWord);
      }
      for (const joiner of way.startsWith("nothing") ? [] : JOINERS) {
        if (letters.startsWith(joiner, at)) reach(at + joiner.length, "joiner", hasWord);
      }
    }
  }
  return ways[letters.length]?.has("item true") ?? false;
}

/** Where a token begins or ends, in the letters of all. */
function edgesOf(tokens: string[]): Set<number> {
  let end = 0;
  return new Set([0, ...tokens.map((token) => (end += token.length))]);
}

/** Lines that mail programs write. */
const MAIL_LINE = /^\W*(sent (from|via|with) |get outlook|envoyé |enviado |gesendet |von meinem |inviato |verzonden )/i;

/**
 * Whether the line below a word reads as a sentence: it asks, begins in lower case, has as many words in lower case as others, or has three
 * words or more in capitals. A name, a number, an address, a quotation and what a mail program writes do not.
 */
function goesOn(line: string): boolean {
  if (MAIL_LINE.test(line) || /^\s*(--|>)/.test(line)) return false;
  const tokens = line.split(/\s+/).filter((token) => /\p{L}/u.test(token) && !/[@/]|\w\.\w/.test(token));
  const letters = tokens.map((token) => token.replace(/^[^\p{L}]+/u, ""));
  const words = letters.filter((word) => !isCourtesy(word));
  const lower = words.filter((word) => /^\p{Ll}/u.test(word));
  const isShouted = letters.length > 2 && letters.every((word) => /^\p{Lu}/u.test(word) && !/\p{Ll}/u.test(word));
  const isLower = lower.length > 0 && (lower.includes(words[0] ?? "") || 2 * lower.length >= words.length);
  return /[?¿]/.test(line) || isLower || isShouted;
}
