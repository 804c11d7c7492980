// Pure. Keeps phone numbers out of what is logged, and out of jobs that are kept for the operator.

/** Ids in hex, which are left alone; or whatever could be a number, with what people write between its digits. */
const ID_OR_NUMBER = /(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,})|\d[\d ()-]{5,}\d/gi;

/** The text with each number of seven digits or more reduced to its last two: `…00`. */
export function maskNumbers(text: string): string {
  return text.replace(ID_OR_NUMBER, (found: string, id: string | undefined) =>
    id === undefined ? `…${found.replaceAll(/\D/g, "").slice(-2)}` : id,
  );
}

/** JSON of the value, with numbers masked in what stands under the keys that `isMasked` names. */
export function toMaskedJson(value: unknown, isMasked: (key: string) => boolean): string {
  const mask = (key: string, inner: unknown) => {
    const isText = typeof inner === "string" || typeof inner === "number";
    const masked = isText && isMasked(key) ? maskNumbers(String(inner)) : undefined;
    return masked === undefined || masked === String(inner) ? inner : masked;
  };
  return JSON.stringify(value ?? null, mask);
}
