// Pure. Which path somebody may have meant who asks for one that there is not.

/** What clients put in front of the paths of an API: `/api`, `/v1`. */
const VERSION = /^(\/(api|rest|v\d+(\.\d+)?)(?=\/))+/;

/** Longer than any path here with what may stand in front of it. */
const LONGEST = 100;

/** One letter in so many may be wrong. */
const LETTERS_A_FAULT = 6;

/** The path that ends the given one, or that it ends, in whatever case; otherwise the one that differs in a few letters. */
export function nearestPath(given: string, known: readonly string[]): string | undefined {
  const path = given.toLowerCase().replace(/\/+/g, "/").replace(/\/$/, "").replace(VERSION, "");
  if (path === "" || path.length > LONGEST) return undefined;
  const ending = known.find((one) => one.endsWith(path)) ?? known.find((one) => path.endsWith(one));
  if (ending !== undefined) return ending;
  const [nearest] = known
    .map((one) => ({ one, distance: distanceOf(one, path) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance * LETTERS_A_FAULT <= path.length ? nearest.one : undefined;
}

/** The Levenshtein distance: how many letters must be inserted, left out or replaced. */
function distanceOf(a: string, b: string): number {
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
