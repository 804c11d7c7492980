import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { type Flow, lineOf, type Result, runWithEveryFault } from "./flow.ts";
import { printSummary } from "./summary.ts";

/** A violation has many like it: these are enough to find it. */
const SHOWN = 10;

/** The tests of flows whose every call fails in turn: what each came to, in one line, and that nothing went wrong. */
export function describeEveryFault(groups: Record<string, Flow[]>): void {
  const isLong = inject("faultSeeds") > 1;
  const chosen = Object.entries(groups).map(
    ([group, flows]) => [group, flows.filter(({ onlyLong }) => isLong || !onlyLong)] as const,
  );
  let results: Result[];
  let strays: string[];

  beforeAll(async () => {
    ({ results, strays } = await runWithEveryFault(chosen.flatMap(([, flows]) => flows)));
  }, 300_000);

  afterAll(() => {
    vi.restoreAllMocks();
  });

  describe.each(chosen)("%s whose every call fails in turn", (_, flows) => {
    it.each(flows)("$name", ({ name }) => {
      const result = results.find((one) => one.name === name) as Result;
      printSummary(lineOf(result));
      expect(result.violations.slice(0, SHOWN)).toEqual([]);
      expect(result.counts).toMatchObject({ lost: 0, twice: 0 });
    });
  });

  it("nobody is texted and nothing posted beside, and the reports are right", () => {
    expect(strays).toEqual([]);
  });
}
