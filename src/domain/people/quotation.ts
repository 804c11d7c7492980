// Pure. What a text quotes of a text that the person got: a phone sends a reaction as a text with a quotation, and some quote what they reply to.
import { toLetters } from "./plain-words.ts";

/** A part of a text is known as such from so many letters on: "STOP" in quotation marks is the person's own word. */
export const LEAST_LETTERS = 20;

/** What opens a quotation, and what closes it. */
const MARKS = ["“”", "„“", "„”", "””", "«»", "»«", "‹›", "「」", "『』", '""', "‘’"].map(
  (pair) => [...pair] as [string, string],
);
const OPENING = `[${MARKS.map(([open]) => open).join("")}]`;

const EMOJI =
  "[\\p{Extended_Pictographic}\\p{Regional_Indicator}][\\p{Extended_Pictographic}\\p{Regional_Indicator}\\p{Emoji_Modifier}\\p{Cf}\\ufe0f]*";

/**
 * With what a reaction begins, as iOS writes it in English, Spanish, French, German, Russian, Czech and Hungarian, and as Android does. What
 * it quotes may be any earlier text.
 */
const REACTIONS = [
  ...["Liked", "Loved", "Disliked", "Laughed at", "Emphasi[sz]ed", "Questioned", `Reacted ${EMOJI} to`],
  ...["Removed an? [\\p{L} ]{1,20} from", `Removed ${EMOJI} from`],
  ...["(?:No )?[Ll]e gustó", "Le encantó", "Le dio risa", "Exclamó por", "Dudó sobre"],
  ...["A aimé", "A adoré", "N['’]a pas aimé", "A ri de", "A souligné", "A mis en question"],
  ...["Gefällt(?: nicht)?:", `Hat mit ${EMOJI} auf`],
  ...["Очень понравилось", "Понравилось", "Не понравилось", "Посмеялись над", "Отмечено", "Поставлен вопрос на"],
  ...["Líbilo se", "Nelíbí se", "Milovaný", "Smál se", "Zdůrazněno", "Otázka", `Reagoval ${EMOJI} na`],
  ...["(?:nem )?kedveli:", "szívecske erre:", "nevetett rajta:", "kiemelte:", "kérdezte:", `${EMOJI} reagált erre:`],
  `${EMOJI}[\\p{Cf}\\s]*(?:to|from|a|à|zu|su|op|på|на)`,
];

const REACTION = new RegExp(`^[\\s\\p{Cf}]*(?:${REACTIONS.join("|")})[\\s\\p{Cf}]*${OPENING}`, "u");

/** The texts that a quotation may repeat. */
export interface Texts {
  /** What the person got. */
  ours: readonly string[];
  /** What the person sent before. */
  theirs: readonly string[];
}

/**
 * The text without what it quotes of ours: what stands behind the opening words of a reaction, and each quotation that repeats one of our
 * texts, or a part of it. A reaction may be to the person's own text: one that they sent, or one that is too short to be known as ours.
 */
export function withoutQuotations(text: string, { ours, theirs }: Texts): string {
  const [own, others] = [ours.map(toLetters), theirs.map(toLetters)];
  const isOurs = (quoted: string) => {
    const letters = toLetters(quoted);
    return own.some((one) => one === letters || (letters.length >= LEAST_LETTERS && one.includes(letters)));
  };
  const isTheirs = (letters: string) => letters.length < LEAST_LETTERS || others.includes(letters);
  const [reaction = ""] = REACTION.exec(text) ?? [];
  if (reaction !== "") {
    const { quoted, after } = splitReaction(text, reaction);
    return !isOurs(quoted) && isTheirs(toLetters(quoted)) ? text : after;
  }
  return quotationsIn(text)
    .filter(isOurs)
    .reduce((rest, quoted) => rest.replace(quoted, " "), text);
}

/** What a reaction quotes, to the last mark that closes the quotation, and what stands behind it. Where a phone has cut the text, that is nothing. */
function splitReaction(text: string, reaction: string): { quoted: string; after: string } {
  const start = reaction.length;
  const ends = MARKS.flatMap(([open, close]) => (open === reaction.at(-1) ? text.lastIndexOf(close) : []));
  const end = Math.max(...ends);
  return end < start
    ? { quoted: text.slice(start), after: "" }
    : { quoted: text.slice(start, end), after: text.slice(end + 1) };
}

/** Between marks, the longest first; from a mark to the end, where a phone has cut the text; and lines that begin with ">". */
function quotationsIn(text: string): string[] {
  const marked = MARKS.flatMap(([open, close]) => {
    const start = text.indexOf(open);
    if (start === -1) return [];
    const end = text.lastIndexOf(close);
    const whole = end > start ? [text.slice(start, end + 1)] : [];
    const each = text.match(new RegExp(`${open}[^${open}${close}]*${close}`, "g")) ?? [];
    return [...whole, ...each, text.slice(start)];
  });
  return [...(text.match(/^(?:[ \t]*>[^\n]*(?:\n|$))+/gm) ?? []), ...marked];
}

/** Whether there is anything to compare with our texts. */
export const mayQuote = (text: string): boolean => quotationsIn(text).length > 0;
