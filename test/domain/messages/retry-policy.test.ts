import { describe, expect, it } from "vitest";
import { SUBMIT_TIMEOUT_MILLISECONDS } from "../../../src/carriers/http.ts";
import {
  DELIVERY_RUN_MILLISECONDS,
  GRACE_MILLISECONDS,
  LONGEST_RECOVERY_SECONDS,
  QUEUE_RETRIES,
  RECOVERY_MILLISECONDS,
  recoverySeconds,
} from "../../../src/domain/messages/retry-policy.ts";
import wranglerToml from "../../../wrangler.toml?raw";
import { CALLBACK_JOBS_A_BATCH } from "../../world.ts";

describe("a job that makes up for a failed store", () => {
  it("is tried within half of the fault's age and ten seconds, whenever the store is back", () => {
    let triedAt = 0;
    for (let attempts = 1; attempts <= 120; attempts++) {
      const nextAt = triedAt + recoverySeconds(attempts);
      for (let backAt = triedAt; backAt < nextAt; backAt++) {
        expect(nextAt - backAt).toBeLessThanOrEqual(Math.min(LONGEST_RECOVERY_SECONDS, backAt / 2) + 10);
        // Whoever waits for the job leaves it time for its way and its run, and for one try of the store that is silent.
        expect(nextAt - backAt + 20).toBeLessThan(RECOVERY_MILLISECONDS / 1000);
      }
      triedAt = nextAt;
    }
  });
});

it("a delivery run ends within the grace period of a new version, with its last submission", () => {
  expect(DELIVERY_RUN_MILLISECONDS + SUBMIT_TIMEOUT_MILLISECONDS).toBeLessThanOrEqual(GRACE_MILLISECONDS - 2000);
});

describe("wrangler.toml", () => {
  it("has callback URLs under a zone of the account fetched like any other", () => {
    expect(wranglerToml).toMatch(/^compatibility_flags = \[.*"global_fetch_strictly_public".*\]$/m);
  });

  it("bounds how often each consumer runs at a time, and what it takes", () => {
    const [production = ""] = wranglerToml.split("[env.staging]");
    const limits = production.split("\n").filter((line) => /^max_(concurrency|batch_size) = /.test(line));
    expect(limits).toEqual([
      "max_batch_size = 24",
      "max_concurrency = 20",
      "max_batch_size = 6",
      "max_concurrency = 20",
      `max_batch_size = ${CALLBACK_JOBS_A_BATCH}`,
      "max_concurrency = 30",
      "max_batch_size = 96",
      "max_concurrency = 5",
      "max_batch_size = 100",
    ]);
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
