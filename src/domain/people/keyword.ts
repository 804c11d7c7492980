// Pure. The keywords with which a person opts out, opts in again, or asks for help.

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

/** They may stand beside an opt-out word: in English, French and Spanish. */
const COURTESIES = [
  ...["PLEASE", "PLS", "PLZ", "THANKS", "THANK YOU", "THANKYOU", "THX", "TY"],
  ...["S IL VOUS PLAIT", "S IL TE PLAIT", "SVP", "STP", "MERCI", "POR FAVOR", "GRACIAS"],
];

const COURTESY = new RegExp(`(?<=^| )(?:${COURTESIES.join("|")})(?= |$)`, "g");

/** What stands between the two words of "STOP2END", which advertisements print. */
const LINKS = ["2", "TO"];

export interface ReadText {
  keyword: Keyword | null;
  /** It contains an opt-out word, and is none: a person must decide what is meant. */
  maybeOptOut: boolean;
}

/** @param ownWords the opt-out words of the websites that the text is for */
export function readText(text: string, ownWords: readonly string[] = []): ReadText {
  const keyword = readKeyword(text, ownWords);
  return { keyword, maybeOptOut: keyword === null && containsOptOut(text, [...WORDS.stop, ...ownWords]) };
}

/**
 * Ignores case, accents, invisible characters, spaces and punctuation. A word that opts in or asks for help must be the whole text. An
 * opt-out word may also be repeated, have a courtesy beside it, or be the first line: a signature may follow.
 */
export function readKeyword(text: string, ownWords: readonly string[] = []): Keyword | null {
  const whole = toWords(text);
  if (WORDS.start.includes(whole)) return "start";
  if (WORDS.help.includes(whole)) return "help";
  const [firstLine = ""] = text.split(/[\r\n\u2028\u2029]+/).filter((line) => toWords(line) !== "");
  const optOutWords = [...WORDS.stop, ...ownWords].map(toLetters);
  return [text, firstLine].some((part) => isOptOut(part, optOutWords)) ? "stop" : null;
}

function isOptOut(text: string, words: string[]): boolean {
  const letters = toWords(text).replaceAll(COURTESY, "").replaceAll(" ", "");
  return words.some(
    (word) =>
      letters.startsWith(word) &&
      (letters === word.repeat(letters.length / word.length) || isJoined(letters.slice(word.length), words)),
  );
}

function isJoined(rest: string, words: string[]): boolean {
  return LINKS.some((link) => words.some((word) => rest === link + word));
}

/** Whole words only: "stopped" contains none. Punctuation may stand within a word: "S.T.O.P texting me". */
function containsOptOut(text: string, words: string[]): boolean {
  const readings = [text, text.replaceAll(/[^\p{L}\p{N}\p{M}\s]+/gu, "")].map((one) => ` ${toWords(one)} `);
  return words.some((word) => readings.some((reading) => reading.includes(` ${toWords(word)} `)));
}

/** Accents and frames of letters, and what cannot be seen. */
const IGNORED = /[\u0300-\u036f\u20d0-\u20ff\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;

/** In upper case, with one space between words. */
function toWords(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(IGNORED, "")
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}

const toLetters = (text: string) => toWords(text).replaceAll(" ", "");

/** What keeps a website from having this opt-out word, in words; undefined: nothing. */
export function findWordFault(word: string): string | undefined {
  const letters = toLetters(word);
  if (letters.length < 2) return "has fewer than two letters or digits";
  for (const keyword of ["start", "help"] as const) {
    if (WORDS[keyword].includes(letters)) return `is the keyword ${letters}, which does not opt out`;
  }
  return readKeyword(word, [word]) === "stop" ? undefined : "is a courtesy that may stand beside any opt-out word";
}
