import { describe, expect, test } from "vitest";
import { DEPLOYING, linesOf, RESTORING } from "./deployment-pages.ts";

describe("the lines of the pages", () => {
  test.each([...linesOf(DEPLOYING), ...linesOf(RESTORING)])("hold no comment and nothing to replace: %s", (line) => {
    expect(line).not.toMatch(/ #|^#|<\w|…/);
  });
});
