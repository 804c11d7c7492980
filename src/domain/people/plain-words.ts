// Pure. The words of a text, however they are written.

/** Accents and frames of letters, and what cannot be seen. */
const IGNORED = /[\u0300-\u036f\u20d0-\u20ff\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;

/** In upper case, with one space between words. */
export function toWords(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(IGNORED, "")
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}

export const toLetters = (text: string) => toWords(text).replaceAll(" ", "");
