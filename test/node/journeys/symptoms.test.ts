import { expect, test } from "vitest";
import { COMMAND, symptoms } from "./runbook-lines.ts";

test("each symptom says what is safe to repeat, and of each command what it prints", () => {
  expect(symptoms.length).toBeGreaterThan(5);
  for (const { name, lines, isComplete } of symptoms) {
    expect([name, isComplete, lines.length > 1]).toEqual([name, true, true]);
    for (const { run, sees } of lines) expect([run, sees.length > 0]).toEqual([run, COMMAND.test(run)]);
  }
});
