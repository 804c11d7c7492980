import type { Deps } from "../../deps.ts";
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { countSlices, findSlices, type Slice } from "../../store/operations/report-counts.ts";
import { inBatches } from "../in-turn.ts";

/** What the sweep may take, beyond the deadlines, to end the last messages of a day. */
const MARGIN_MILLISECONDS = 3_600_000;

/** Counts the days whose messages have ended. @returns the number of slices */
export async function closeDays({ db, config }: Deps, now: number, mostSteps: number): Promise<number> {
  const open = now - config.submitWithinMilliseconds - config.receiptWithinMilliseconds - MARGIN_MILLISECONDS;
  const closing = open - (open % DAY_MILLISECONDS);
  let after: Slice | null = null;
  const take = async () => {
    const slices: Slice[] = await findSlices(db, { closing, after });
    after = slices.at(-1) ?? null;
    // Where a message has not ended in spite of its deadlines, a later sweep tries again.
    return after && slices.filter(({ isOpen }) => !isOpen).map((slice) => [slice]);
  };
  return inBatches(mostSteps, take, (slices) => countSlices(db, slices));
}
