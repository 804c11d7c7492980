// Pure. Masks phone numbers in logs and in the dead jobs that the operator sees.

/** Hexadecimal ids, which stay; or a possible phone number, with the separators that people write between digits. */
const ID_OR_NUMBER = /(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,})|\d[\d ()-]{5,}\d/gi;

/** Reduces each number of seven digits or more to its last two: `…00`. */
export function maskNumbers(text: string): string {
  return text.replace(ID_OR_NUMBER, (found: string, id: string | undefined) =>
    id === undefined ? `…${found.replaceAll(/\D/g, "").slice(-2)}` : id,
  );
}

/** JSON of the value, with phone numbers masked under the keys for which `isMasked` is true. */
export function toMaskedJson(value: unknown, isMasked: (key: string) => boolean): string {
  const mask = (key: string, inner: unknown) => {
    const isText = typeof inner === "string" || typeof inner === "number";
    const masked = isText && isMasked(key) ? maskNumbers(String(inner)) : undefined;
    return masked === undefined || masked === String(inner) ? inner : masked;
  };
  return JSON.stringify(value ?? null, mask);
}
