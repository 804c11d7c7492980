import { isStoreUnavailable } from "../domain/failure.ts";

/** After so many failures of the store in a row, the remaining items are skipped: a retry or the next sweep does them. */
const MOST_STORE_FAILURES = 3;

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
