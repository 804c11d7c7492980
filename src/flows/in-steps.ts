/** The most steps of a job of the sweep. The next sweep continues it. */
export const SWEEP_STEPS = 20;

/**
 * Works through rows of which a statement takes a part at a time, until none is left.
 * @param take the next rows: their work, or their being taken, keeps them from the next step
 * @returns how many there were
 */
export async function inSteps<T>(take: () => Promise<T[]>, work: (found: T[]) => Promise<void>): Promise<number> {
  let count = 0;
  for (let step = 0; step < SWEEP_STEPS; step++) {
    const found = await take();
    if (found.length === 0) break;
    await work(found);
    count += found.length;
  }
  return count;
}
