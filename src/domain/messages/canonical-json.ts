// Pure. One form of JSON for all bodies that say the same: template engines change the order of keys and the white space.

/** What the engine has beyond TypeScript's own types: the text of a number, and a number that is written as a text says. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** @param text JSON. What is nested too deeply for a recursion stays as it is */
export function canonicalJson(text: string): string {
  try {
    return JSON.stringify(parse(text, toCanonical));
  } catch (error) {
    if (error instanceof RangeError) return text;
    throw error;
  }
}

function toCanonical(_key: string, value: unknown, { source }: { source: string }): unknown {
  if (typeof value === "number") return rawJSON(exactNumber(source));
  if (typeof value !== "object" || value === null || Array.isArray(value) || isRawJSON(value)) return value;
  const given = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(given)
      .sort()
      .map((key) => [key, given[key]]),
  );
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,15}))?$/;

/** `1`, `1.0` and `10e-1` are one number. `9007199254740993` and `9007199254740992` are two, though a double has room for one of them. */
function exactNumber(source: string): string {
  const [, sign = "", whole, fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  if (whole === undefined) return source;
  const digits = (whole + fraction).replace(/^0+/, "");
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  const power = Number(exponent) - fraction.length + digits.length - length;
  return length === 0 ? "0" : `${sign}${digits.slice(0, length)}e${power}`;
}
