// Pure. How long the console waits before it looks again at a service that is away.

const SECONDS = [10, 20, 40, 60] as const;

/** @param failures those before this one, in a row */
export const nextLookSeconds = (failures: number): number => SECONDS[Math.min(failures, SECONDS.length - 1)] ?? 60;
