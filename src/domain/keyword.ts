// Pure. The keywords with which a person opts out, opts in again, or asks for help.

export const KEYWORDS = ["stop", "start", "help"] as const;

export type Keyword = (typeof KEYWORDS)[number];

export const WORDS: Record<string, Keyword> = {
  STOP: "stop",
  STOPALL: "stop",
  "STOP ALL": "stop",
  UNSUBSCRIBE: "stop",
  CANCEL: "stop",
  END: "stop",
  QUIT: "stop",
  REVOKE: "stop",
  OPTOUT: "stop",
  "OPT OUT": "stop",
  START: "start",
  UNSTOP: "start",
  YES: "start",
  HELP: "help",
  INFO: "help",
};

/** Ignores case, spaces and punctuation. The text must be the keyword alone. */
export function readKeyword(text: string): Keyword | null {
  const words = text
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return Object.hasOwn(WORDS, words) ? (WORDS[words] ?? null) : null;
}
