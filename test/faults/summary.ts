import { inject } from "vitest";

/** Shows a line for people to read in a run of `npm run faults`. `npm test` shows failures alone. */
export function printSummary(line: string): void {
  if (inject("printsFaultSummaries")) console.log(line);
}
