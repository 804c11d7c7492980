import { describe, expect, it } from "vitest";
import { recoveredWithinSeconds, recoverySeconds } from "../../src/domain/backoff.ts";

describe("a job that makes up for a failed store", () => {
  it("is tried, once the store is back, before what waits for it: however long the store was away", () => {
    let triedAt = 0;
    for (let attempts = 1; attempts <= 120; attempts++) {
      const nextAt = triedAt + recoverySeconds(attempts);
      for (let backAt = triedAt; backAt < nextAt; backAt++) {
        expect(nextAt - backAt).toBeLessThanOrEqual(recoveredWithinSeconds(backAt * 1000) - 20);
      }
      triedAt = nextAt;
    }
    expect(triedAt).toBeGreaterThan(8 * 3600);
  });
});
