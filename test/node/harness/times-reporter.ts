import type { Reporter, TestModule } from "vitest/node";

/** What a short test may take, as a machine of two cores runs it beside nothing else. */
const MOST_MILLISECONDS = 500;

/** Lists tests that have grown long. They become faster, or go to the `*.long.test.ts` beside them. No time fails a run. */
export default class TimesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const grown = modules
      .flatMap((module) => [...module.children.allTests()])
      .map((test) => ({ test, milliseconds: Math.round(test.diagnostic()?.duration ?? 0) }))
      .filter(({ milliseconds }) => milliseconds > MOST_MILLISECONDS)
      .toSorted((one, other) => other.milliseconds - one.milliseconds);
    for (const { test, milliseconds } of grown)
      console.log(`${milliseconds} ms  ${test.module.relativeModuleId}  ${test.fullName}`);
    console.log(`${grown.length} short tests took more than ${MOST_MILLISECONDS} ms.`);
  }
}
