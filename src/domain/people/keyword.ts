// Pure. The keywords with which a person opts out, opts in again, or asks for help.
import { isCourtesy, isOptOutText } from "./opt-out-text.ts";
import { toLetters, toWords } from "./plain-words.ts";
import { type Texts, withoutQuotations } from "./quotation.ts";

export const KEYWORDS = ["stop", "start", "help"] as const;

export type Keyword = (typeof KEYWORDS)[number];

/** A website may add opt-out words of its own. */
export const WORDS: Record<Keyword, readonly string[]> = {
  stop: [
    ...["STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT", "OPT OUT"],
    "ARRET",
  ],
  start: ["START", "UNSTOP", "YES"],
  help: ["HELP", "INFO"],
};

export interface ReadText {
  keyword: Keyword | null;
  /** It contains an opt-out word, and is none: a person must decide what is meant. */
  maybeOptOut: boolean;
}

/**
 * @param ownWords the opt-out words of the websites that the text is for
 * @param texts what the person got from them, and sent to them, of late
 */
export function readText(text: string, ownWords: readonly string[] = [], texts: Partial<Texts> = {}): ReadText {
  const keyword = readKeyword(text, ownWords);
  const words = [...WORDS.stop, ...ownWords];
  const ownPart = withoutQuotations(text, { ours: [], theirs: [], ...texts });
  return { keyword, maybeOptOut: keyword === null && containsOptOut(ownPart, words) };
}

/**
 * Ignores case, accents, invisible characters, spaces and punctuation. A word that opts in or asks for help must be the whole text. For a
 * word that opts out, see isOptOutText.
 */
export function readKeyword(text: string, ownWords: readonly string[] = []): Keyword | null {
  const whole = toWords(text);
  if (WORDS.start.includes(whole)) return "start";
  if (WORDS.help.includes(whole)) return "help";
  return isOptOutText(text, [...WORDS.stop, ...ownWords].map(toLetters)) ? "stop" : null;
}

/** Whole words only: "stopped" contains none. Punctuation may stand within a word, and digits beside it: "S.T.O.P texting me", "STOP2". */
function containsOptOut(text: string, words: string[]): boolean {
  const joined = text.replaceAll(/[^\p{L}\p{N}\p{M}\s]+/gu, "");
  const apart = toWords(text).replaceAll(/\p{N}+/gu, " ");
  const readings = [text, joined, apart].map((one) => ` ${toWords(one)} `);
  return words.some((word) => readings.some((reading) => reading.includes(` ${toWords(word)} `)));
}

/** What keeps a website from having this opt-out word, in words; undefined: nothing. */
export function findWordFault(word: string): string | undefined {
  const letters = toLetters(word);
  if (letters.length < 2) return "has fewer than two letters or digits";
  for (const keyword of ["start", "help"] as const) {
    if (WORDS[keyword].includes(letters)) return `is the keyword ${letters}, which does not opt out`;
  }
  return isCourtesy(word) ? "is a courtesy that may stand beside any opt-out word" : undefined;
}
