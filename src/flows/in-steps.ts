/** A job of the sweep takes at most so many steps; the next sweep goes on. */
export const SWEEP_STEPS = 20;

/**
 * Works through rows of which a statement takes a part at a time, until none is left.
 * @param take the next rows: their work, or their being taken, keeps them from the next step
 * @returns how many there were
 */
export function inSteps<T>(take: () => Promise<T[]>, work: (found: T[]) => Promise<void>): Promise<number> {
  const step = async () => {
    const found = await take();
    return { found, mayBeMore: found.length > 0 };
  };
  return whileMore(step, work);
}

/**
 * Likewise, where a step that finds nothing need not be the last.
 * @param take `mayBeMore`: another step may find others
 */
export async function whileMore<T>(
  take: () => Promise<{ found: T[]; mayBeMore: boolean }>,
  work: (found: T[]) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let step = 0; step < SWEEP_STEPS; step++) {
    const { found, mayBeMore } = await take();
    if (found.length > 0) await work(found);
    count += found.length;
    if (!mayBeMore) break;
  }
  return count;
}
