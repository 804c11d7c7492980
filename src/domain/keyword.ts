// Pure. The words by which a person opts out, in again, or asks for help.

export type Keyword = "stop" | "start" | "help";

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

/** The keyword that a text is, whatever its case, and whatever spaces and punctuation are in and around it. */
export function readKeyword(text: string): Keyword | null {
  const words = text
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return Object.hasOwn(WORDS, words) ? (WORDS[words] ?? null) : null;
}
