import { DefaultReporter, type TestModule } from "vitest/node";

/** Prints the files that fail and the figures of the run: in a terminal, also how far it is. */
export class QuietReporter extends DefaultReporter {
  protected override printTestModule(module: TestModule): void {
    if (module.state() === "failed") super.printTestModule(module);
  }
}
