import { isStoreUnavailable } from "../domain/failure.ts";

/** After so many failures of the store in a row, the remaining items are skipped: a retry or the next sweep does them. */
export const MOST_STORE_FAILURES = 3;

/**
 * Works on the items one after the other, and goes on after a failure.
 * @throws at the end, the first failure; a failure of the store takes precedence, because it makes the caller retry
 */
export async function inTurn<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  let storeFailures = 0;
  for (const item of items) {
    try {
      await work(item);
      storeFailures = 0;
    } catch (error) {
      failures.push(error);
      storeFailures = isStoreUnavailable(error) ? storeFailures + 1 : 0;
    }
    if (storeFailures === MOST_STORE_FAILURES) break;
  }
  if (failures.length > 0) throw failures.find(isStoreUnavailable) ?? failures[0];
}

/**
 * Works on one batch after the other. The groups of a batch are worked on together; where that fails by a fault of one of
 * them, each by itself, and then the next batch.
 * @param take null: there is none
 * @returns the number of items
 * @throws at the end, the first failure; a failure of the store at once
 */
export async function inBatches<T>(
  mostBatches: number,
  take: () => Promise<T[][] | null>,
  work: (items: T[]) => Promise<void>,
): Promise<number> {
  const failures: unknown[] = [];
  let count = 0;
  for (let batch = 0; batch < mostBatches; batch++) {
    const groups = await take();
    if (groups === null) break;
    try {
      await togetherOrInTurn(groups, work);
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      failures.push(error);
    }
    count += groups.flat().length;
  }
  if (failures.length > 0) throw failures[0];
  return count;
}

/**
 * Works on the groups together; where that fails by a fault of one of them, on each by itself.
 * @throws the first failure; a failure of the store at once
 */
export async function togetherOrInTurn<T>(groups: T[][], work: (items: T[]) => Promise<void>): Promise<void> {
  if (groups.length === 0) return;
  try {
    await work(groups.flat());
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    await inTurn(groups, work);
  }
}
