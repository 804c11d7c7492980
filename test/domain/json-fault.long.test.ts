import { describe, expect, it } from "vitest";
import { testDrawnFaults } from "./drawn-json-faults.ts";
import { encode, explainWhole, hugeBodies } from "./huge-bodies.ts";

describe("a body that is not JSON", () => {
  it.each(hugeBodies(8_000_000))("of 8 MB is explained, with %s", (_, body, message) => {
    expect(explainWhole(encode(body))).toContain(message);
  });

  testDrawnFaults(1000);
});
