// Pure. Which path somebody may have meant who asks for one that there is not.
import { distanceOf } from "./nearest.ts";

/** What clients put in front of the paths of an API: `/api`, `/v1`. */
const VERSION = /^(\/(api|rest|v\d+(\.\d+)?)(?=\/))+/;

/** Longer than any path here, with any prefix of it. */
const LONGEST = 100;

/** One letter in so many may be wrong. */
const LETTERS_A_FAULT = 6;

/**
 * The path that ends the given one, or that it ends, in whatever case; or that it goes on from, with an id; otherwise the one that differs
 * in a few letters.
 */
export function nearestPath(given: string, known: readonly string[]): string | undefined {
  const path = given.toLowerCase().replace(/\/+/g, "/").replace(/\/$/, "").replace(VERSION, "");
  if (path === "" || path.length > LONGEST) return undefined;
  const ending = known.find((one) => one.endsWith(path)) ?? known.find((one) => path.endsWith(one));
  const within = ending ?? known.find((one) => path.startsWith(`${one}/`));
  if (within !== undefined) return within;
  const [nearest] = known
    .map((one) => ({ one, distance: distanceOf(one, path) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance * LETTERS_A_FAULT <= path.length ? nearest.one : undefined;
}
