/** No marketing text reaches the carrier while its hours are closed, or early, whatever happens; and each text goes or ends. */
import fc from "fast-check";
import { inject, it } from "vitest";
import { start, step, Trial } from "./hours-trial.ts";

/** A trial has some ten thousand texts. One that was four times as long ran out of the memory that an isolate of the tests has. */
const isTrial = inject("faultSeeds") > 1;
const RUNS = isTrial ? 100 : 5;
const STEPS = isTrial ? { minLength: 60, maxLength: 120, size: "max" as const } : { minLength: 12, maxLength: 24 };

it("whatever is sent, set, answered and lost, and whenever", async () => {
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, STEPS), async (at, steps) => {
      const trial = await Trial.begin(at);
      for (const step of steps) await trial.take(step);
      await trial.end();
    }),
    { numRuns: RUNS },
  );
});
