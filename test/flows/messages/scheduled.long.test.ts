/** Messages with a time, many of them, and whatever happens. */
import fc from "fast-check";
import { inject, it } from "vitest";
import { expectAllGo, expectTakenBack, HOUR, MINUTE, race, ScheduledStage, submitAll } from "./scheduled-stage.ts";

/** In a trial there are 100,000 texts. */
const isTrial = inject("faultSeeds") > 1;
const TEXTS_A_RUN = isTrial ? { minLength: 500, maxLength: 900, size: "max" as const } : { minLength: 1, maxLength: 6 };
const RUNS = isTrial ? 200 : 5;

it("no text goes early or twice, whatever the times, the clock, the sweeps and the faults; and all go", async () => {
  const times = fc.array(fc.integer({ min: -4 * MINUTE, max: 3 * HOUR }), TEXTS_A_RUN);
  const step = fc.record({
    seconds: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 * MINUTE }) },
      { weight: 1, arbitrary: fc.constantFrom(-HOUR, HOUR) },
    ),
    fault: fc.constantFrom(null, "before", "after"),
    sweeps: fc.boolean(),
  });
  await fc.assert(fc.asyncProperty(times, fc.array(step, { maxLength: 12 }), expectAllGo), { numRuns: RUNS });
});

it("a client that cancels races the run that submits, 500 times: one wins, the answer names it, and the client hears of it once", async () => {
  const at = await ScheduledStage.begin();
  for (let turn = 0; turn < 20; turn++) await race(at, turn, {}, () => submitAll(at));
});

it("a client that cancels races the sweep that queues, 500 times: the same", async () => {
  const at = await ScheduledStage.begin();
  for (let turn = 0; turn < 20; turn++) await race(at, turn, { sendAt: at.inSeconds(HOUR) }, () => at.world.sweep());
});

it.each([8, 12])(
  "a message %i minutes ahead, whose client was told that it is not stored, does not go before the cancellation, whenever the store comes back",
  expectTakenBack,
);
