// Pure. Which word somebody may have meant who mistyped one.

/** One letter in so many may be wrong; in a short word, one. */
const LETTERS_A_FAULT = 4;

/** @returns the known word that differs in the fewest letters, if they are few */
export function nearestOf(given: string, known: readonly string[]): string | undefined {
  const word = given.toLowerCase();
  const [nearest] = known
    .map((one) => ({ one, distance: distanceOf(one.toLowerCase(), word) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= Math.max(1, word.length / LETTERS_A_FAULT) ? nearest.one : undefined;
}

/** The Levenshtein distance: how many letters must be inserted, left out or replaced. */
export function distanceOf(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + Number(a[row - 1] !== b[column - 1]);
      line.push(Math.min(replaced, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1));
    }
    above = line;
  }
  return above[b.length] ?? 0;
}
