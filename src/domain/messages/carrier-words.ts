// Pure. What is stored of the words of a carrier: not what they quote, not the person's number or address, and nothing of the text.
import { withoutDigitsOf } from "../operations/digits.ts";
import { maskAddresses, maskNumbers } from "../operations/mask.ts";
import { withoutEscapes } from "./escapes.ts";

/** The message that the words are about. */
export interface AboutMessage {
  /** As it was submitted. */
  text: string;
  /** E.164; null: it has none. */
  phone: string | null;
}

/** The beginning of a reason, which is ours: the carrier, the status or the word of it, and its code. */
const OWN = /^[a-z]+: (?:HTTP [1-5]\d\d(?:, \d{5})?|[a-z_ ]+(?:, \d{5})?)(?=$|: | \()/i;

/** The reason of a submission or a receipt without the words of the carrier. */
export const withoutWords = (reason: string): string => OWN.exec(reason)?.[0] ?? "";

/** Longer words are cut before they are read: at most 300 characters of what is left of them are kept. */
const READ_CHARACTERS = 1200;

/**
 * The one function through which the words of a carrier go before they are stored or logged.
 * @param about left out: it is not known yet
 */
export function stripWords(given: string, about?: AboutMessage): string {
  const reason = given.slice(0, READ_CHARACTERS).toWellFormed();
  const own = withoutWords(reason);
  const words = reason.slice(own.length);
  const seen = withoutEscapes(words);
  const cleaned = cleanWords(seen, about);
  // An error that is thrown may begin as our own words do.
  const ours = about ? withoutQuotations(own, about.text) : own;
  // Escapes stay where nothing is hidden behind them.
  return ours + (cleaned === seen ? cleanWords(words, about) : cleaned);
}

function cleanWords(given: string, about: AboutMessage | undefined): string {
  const words = withoutQuotedWords(given, about?.text ?? "");
  const masked = maskNumbers(maskAddresses(about ? withoutQuotations(words, about.text) : words));
  return about?.phone ? withoutDigitsOf(masked, about.phone) : masked;
}

/** Marks of quotation, each with those that end it. A single one begins and ends beside a word, because it may be an apostrophe. */
const QUOTATIONS = [
  ...['"[^"]*', '“[^”"]*', "„[^“”]*", "«[^»]*", "»[^«]*", "‹[^›]*", "「[^」]*", "『[^』]*", "＂[^＂]*", "`[^`]*"],
  ...[
    "《[^》]*",
    "〈[^〉]*",
    "❝[^❞]*",
    "❛[^❜]*",
    "‟[^”]*",
    "〝[^〞〟]*",
    "｢[^｣]*",
    "﹁[^﹂]*",
    "﹃[^﹄]*",
    "″[^″]*",
    "''[^']*'",
  ],
  "(?<![\\p{L}\\p{N}])['‘‚](?:[^'’]|['’](?=[\\p{L}\\p{N}]))*",
];

const QUOTATION = new RegExp(QUOTATIONS.map((begun) => `(?:${begun})(?:$|.)`).join("|"), "gsu");

/** The same marks in HTML. */
const ENTITIES: [RegExp, string][] = [
  [/&(?:quot|ldquo|rdquo|#34|#x22);/gi, '"'],
  [/&(?:apos|lsquo|rsquo|#39|#x27);/gi, "'"],
];

/** A shorter quotation, which is not of the text, is a name of the carrier's, such as 'To'. */
const NAME_CHARACTERS = 8;

/** A quotation without an end, in words that were cut, goes on to their end. */
function withoutQuotedWords(words: string, text: string): string {
  const plain = ENTITIES.reduce((given, [entity, mark]) => given.replace(entity, mark), words);
  const said = ` ${toWords(text)} `;
  return plain.replace(QUOTATION, (quotation) => {
    const quoted = toWords(quotation);
    const isName = quotation.length < NAME_CHARACTERS + 2 && quoted !== "" && !said.includes(` ${quoted} `);
    return isName || quoted === ""
      ? quotation
      : `${quotation[0]}…${/[\p{L}\p{N}]$/u.test(quotation) ? "" : quotation.at(-1)}`;
  });
}

/** In lower case, with one space between words. */
const toWords = (text: string) => (toPlain(text).match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");

/** Without accents, capitals and forms of width. */
const toPlain = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** So many characters of a text in a row are a quotation. */
const QUOTED_CHARACTERS = 8;

/** A part of a text that is compared, and where it stands. */
interface Unit {
  value: string;
  start: number;
  end: number;
}

/** The words without what they repeat of the text: as it is, and with other spaces, signs, accents or capitals. */
export function withoutQuotations(words: string, text: string): string {
  const unlike = withoutRuns(words, charactersOf(words), text);
  return withoutRuns(unlike, lettersOf(unlike), valuesOf(lettersOf(text)));
}

const valuesOf = (units: readonly Unit[]) => units.map(({ value }) => value).join("");

const toUnit = ({ 0: value, index }: RegExpExecArray): Unit => ({ value, start: index, end: index + value.length });

const charactersOf = (text: string): Unit[] => [...text.matchAll(/./gsu)].map(toUnit);

/** Letters, digits and emoji. What is escaped is none of them. */
const lettersOf = (text: string): Unit[] =>
  [...text.matchAll(/%[0-9a-f]{2}|&#?\w{1,6};|\\u[0-9a-f]{4}|\\[nrt]|[\p{L}\p{N}\p{So}]/giu)]
    .map(toUnit)
    .filter(({ value }) => !/^[%&\\]/.test(value))
    .map((unit) => ({ ...unit, value: toPlain(unit.value) }));

/** Replaces each run of the units that is in the text by an ellipsis. */
function withoutRuns(words: string, units: readonly Unit[], text: string): string {
  let kept = "";
  let from = 0;
  for (let at = 0; at < units.length; ) {
    const run = runAt(words, units, at, text);
    kept += run.length > 0 ? `${words.slice(from, run[0]?.start)}…` : "";
    from = run.at(-1)?.end ?? from;
    at += Math.max(1, run.length);
  }
  return kept + words.slice(from);
}

/** @returns the longest run from there that is a quotation; empty: there is none */
function runAt(words: string, units: readonly Unit[], at: number, text: string): readonly Unit[] {
  let run: readonly Unit[] = [];
  for (let end = at + 1; end <= units.length && text.includes(valuesOf(units.slice(at, end))); end++)
    run = units.slice(at, end);
  const length = valuesOf(run).length;
  if (length >= QUOTED_CHARACTERS) return run;
  return length > 0 && length === text.length && isApart(words, run) ? run : [];
}

/** Whether no word goes on beside the run: a short text may be a part of any word. */
function isApart(words: string, run: readonly Unit[]): boolean {
  const [before, after] = [words.slice(0, run[0]?.start), words.slice(run.at(-1)?.end)];
  return !/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after);
}
