import type { Reporter, TestModule, Vitest } from "vitest/node";
import { ALLOWED_PLANS } from "../../strict/allowed-plans.ts";

/** Fails a run of all tests in which none needed an allowed plan: what it allows is gone, and must not come back. */
export class UnusedPlansReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: string): Promise<void> {
    const all = await this.#vitest?.globTestSpecifications();
    const isWhole = all?.length === modules.length && modules.every((module) => module.state() !== "skipped");
    if (!isWhole || reason !== "passed") return;
    const used = new Set(
      modules.flatMap((module) => [...module.children.allTests()].flatMap((test) => test.meta().plans ?? [])),
    );
    const unused = ALLOWED_PLANS.filter((_, index) => !used.has(index));
    if (unused.length === 0) return;
    console.error("test/strict/allowed-plans.ts: no statement needs", unused);
    process.exitCode = 1;
  }
}
