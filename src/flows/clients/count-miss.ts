import type { Deps } from "../../deps.ts";
import type { Guesses } from "../../platform/guesses.ts";
import { unlessItFails } from "../unless-it-fails.ts";

/** After the answer, which does not depend on it: a look-up for the caller has found nothing. */
export function countMiss(deps: Deps, guesses: Guesses, what: string, caller: string): void {
  deps.waitUntil(unlessItFails(deps, "guess.not-counted", {}, () => guesses.missed(what, caller, deps.now())));
}
