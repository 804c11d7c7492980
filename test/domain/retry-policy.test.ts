import { describe, expect, it } from "vitest";
import { LONGEST_RECOVERY_SECONDS, QUEUE_RETRIES, recoverySeconds } from "../../src/domain/retry-policy.ts";
import wranglerToml from "../../wrangler.toml?raw";

describe("a job that makes up for a failed store", () => {
  it("is tried within half of the fault's age and ten seconds, whenever the store is back", () => {
    let triedAt = 0;
    for (let attempts = 1; attempts <= 120; attempts++) {
      const nextAt = triedAt + recoverySeconds(attempts);
      for (let backAt = triedAt; backAt < nextAt; backAt++) {
        expect(nextAt - backAt).toBeLessThanOrEqual(Math.min(LONGEST_RECOVERY_SECONDS, backAt / 2) + 10);
      }
      triedAt = nextAt;
    }
    expect(triedAt).toBeGreaterThan(8 * 3600);
  });
});

describe("the consumers in wrangler.toml", () => {
  it("retry as often as the policy says", () => {
    const consumers = wranglerToml.split("[[queues.consumers]]").slice(1);
    const retries = consumers.map((text) => {
      const [, queue = ""] = /queue = "textgate-(.+)"/.exec(text) ?? [];
      return [queue, Number(/max_retries = (\d+)/.exec(text)?.[1])];
    });
    expect(Object.fromEntries(retries)).toEqual(QUEUE_RETRIES);
  });
});
