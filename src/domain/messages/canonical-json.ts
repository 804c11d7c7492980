// Pure. One form of JSON for all bodies that say the same: template engines change the order of keys and the white space.

/**
 * @param value from JSON.parse
 * @param text the same as JSON, for a value that is nested too deeply for a recursion
 */
export function canonicalJson(value: unknown, text: string): string {
  try {
    return JSON.stringify(sortKeys(value));
  } catch (error) {
    if (error instanceof RangeError) return text;
    throw error;
  }
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const given = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(given)
      .sort()
      .map((key) => [key, sortKeys(given[key])]),
  );
}
