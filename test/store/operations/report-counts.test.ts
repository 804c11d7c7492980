/** Reports are exact at every moment, whatever happens to messages, and whatever befalls the runs that count and delete them. */
import { describe, expect, it } from "vitest";
import { expectExact, prepare } from "./reported-life.ts";

prepare();

describe("a report", () => {
  it("counts every message at each moment of a short life", async () => {
    expect((await expectExact(1, 30)).model.size).toBeGreaterThan(0);
  });
});
