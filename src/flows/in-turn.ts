import { isStoreUnavailable } from "../domain/failure.ts";

/** A store that has not answered so many times in a row is away: the rest is left for the next time. */
const MOST_UNANSWERED = 3;

/**
 * Does work on each item, one after the other. One that fails keeps none of the others from their turn.
 * @throws what the first failed with, in the end; a store that did not answer comes first: then it is worth to try again
 */
export async function inTurn<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  let unanswered = 0;
  for (const item of items) {
    try {
      await work(item);
      unanswered = 0;
    } catch (error) {
      failures.push(error);
      unanswered = isStoreUnavailable(error) ? unanswered + 1 : 0;
    }
    if (unanswered === MOST_UNANSWERED) break;
  }
  if (failures.length > 0) throw failures.find(isStoreUnavailable) ?? failures[0];
}
