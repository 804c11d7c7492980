import { it } from "vitest";
import { expectPlainRule } from "./import-cuts-stage.ts";

it("an opt-out wins, else the last row; a dry run counts the same; and an undo takes all of it back", async () => {
  await expectPlainRule(60);
});
