import type { Reporter, TestModule, Vitest } from "vitest/node";
import { ALLOWED_PLANS } from "../../strict/allowed-plans.ts";

/**
 * Prints at the end of a run all that the strict platform refused, plans to list among it, and after a run of all short tests in
 * workerd the listed plans that no statement needs.
 */
export class PlansReporter implements Reporter {
  #vitest: Vitest | undefined;
  readonly #looksForUnused: boolean;

  /** @param looksForUnused the run has the short tests, which reach each statement */
  constructor(looksForUnused: boolean) {
    this.#looksForUnused = looksForUnused;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: string): Promise<void> {
    const metas = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.meta()));
    const refusals = new Set(metas.flatMap((meta) => meta.refusals ?? []));
    if (refusals.size > 0)
      console.error(["Cloudflare would have refused, or read too much for:", ...refusals].join("\n\n"));
    // Only tests that run in workerd reach the strict platform.
    const inWorkerd = modules.filter((module) => module.project.name === "worker");
    const all = await this.#vitest?.globTestSpecifications();
    const isWhole =
      this.#looksForUnused &&
      inWorkerd.length > 0 &&
      all?.filter(({ project }) => project.name === "worker").length === inWorkerd.length &&
      inWorkerd.every((module) => module.state() !== "skipped");
    if (!isWhole || reason !== "passed") return;
    const used = new Set(metas.flatMap((meta) => meta.plans ?? []));
    const unused = ALLOWED_PLANS.filter((_, index) => !used.has(index));
    if (unused.length === 0) return;
    // What it allows is gone, and must not come back.
    console.error("test/strict/allowed-plans.ts: no statement needs", unused);
    process.exitCode = 1;
  }
}
