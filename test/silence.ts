// Stores that never answer, and the time limits that end the wait for them: a test does not sit through those.
import { vi } from "vitest";
import { limits } from "../src/platform/time-limit.ts";

// Not those that a test may put in their place. @cloudflare/vitest-plugin takes a stack trace in each call of setTimeout, and
// each call of a store has a time limit: an interval, which ends with its first turn, does without.
const { setInterval, clearInterval } = globalThis;

let over: Promise<unknown> | undefined;
let limitsOfCall = 0;

/** The time limits of silent calls, in milliseconds, in their order. */
export const waited: number[] = [];

/** How many time limits run. */
let running = 0;
export const countLimits = () => running;

/**
 * A call that never answers.
 * @param effect what it does all the same; the time limit that is set for it next is over once this has ended
 * @param limitsInTurn how many are set for it, each after the one before
 */
export function silent<T>(effect: Promise<unknown> = Promise.resolve(), limitsInTurn = 1): Promise<T> {
  over = effect;
  limitsOfCall = limitsInTurn;
  return new Promise(() => {});
}

/**
 * A real call may take so many times longer than on the platform: other programs may have the machine. Once a call has been silent,
 * limits are as they are: others may wait for the same silence.
 */
const PATIENCE = 20;

/** Ends the time limits of silent calls at once, from now on. Those of other calls run by the real clock, whatever a test holds. */
export function endSilences(): void {
  over = undefined;
  waited.length = 0;
  running = 0;
  let patience = PATIENCE;
  vi.spyOn(limits, "start").mockImplementation((milliseconds, onOver) => {
    const effect = over;
    limitsOfCall -= 1;
    if (limitsOfCall < 1) over = undefined;
    running += 1;
    if (effect) {
      patience = 1;
      waited.push(milliseconds);
      void effect.then(onOver, onOver);
    }
    const end = () => {
      clearInterval(timer);
      onOver();
    };
    const timer = effect ? null : setInterval(end, milliseconds * patience);
    return () => {
      running -= 1;
      clearInterval(timer);
    };
  });
}
