import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { begin, expectEachOnce } from "./events-stage.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a cursor", () => {
  it.each([1, 2, 3])("misses nothing and repeats nothing while isolates write at once (seed %i)", (seed) =>
    expectEachOnce(seed, 12),
  );
});
