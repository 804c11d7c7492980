// Pure. Finds a field that stands twice in a JSON text: JSON.parse takes the last one, and other readers the first.

/** What is wrong with such a field. */
export const STANDS_TWICE = "must stand once: the body has it twice";

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58];
const [LEFT_BRACE, RIGHT_BRACE, LEFT_BRACKET, RIGHT_BRACKET] = [123, 125, 91, 93];

/** An array or object around the place. */
interface Around {
  /** The names of an object so far; null: an array. */
  names: Set<string> | null;
  /** The field, or the index, of the present value. */
  at: string | number;
}

/**
 * @param text valid JSON
 * @returns the path of the first field that stands twice in its object, such as `phone` or `messages[3].phone`; undefined: none does
 */
export function findRepeatedField(text: string): string | undefined {
  const around: Around[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const inner = around.at(-1);
      if (isName && inner?.names) {
        inner.at = readName(text.slice(at + 1, end));
        if (inner.names.has(inner.at)) return toPath(around);
        inner.names.add(inner.at);
        isName = false;
      }
      at = end;
    } else if (code === LEFT_BRACE || code === LEFT_BRACKET) {
      isName = code === LEFT_BRACE;
      around.push(isName ? { names: new Set(), at: "" } : { names: null, at: 0 });
    } else if (code === RIGHT_BRACE || code === RIGHT_BRACKET) {
      around.pop();
      isName = false;
    } else if (code === COMMA) {
      const inner = around.at(-1);
      isName = inner?.names != null;
      if (inner && typeof inner.at === "number") inner.at += 1;
    } else if (code === COLON) isName = false;
  }
  return undefined;
}

/** @returns the place of the closing quote */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** One name may be written in several ways: `\u0061` is `a`. */
const readName = (written: string): string =>
  written.includes("\\") ? (JSON.parse(`"${written}"`) as string) : written;

const toPath = (around: Around[]): string =>
  around.map(({ at }, depth) => (typeof at === "number" ? `[${at}]` : depth === 0 ? at : `.${at}`)).join("");
