import { afterAll, describe, expect, inject, it } from "vitest";
import { expectExact, prepare, world } from "./reported-life.ts";

prepare();

/** FAULT_SEEDS=3 for a trial. */
const SEEDS = Array.from({ length: inject("faultSeeds") }, (_, index) => inject("faultFromSeed") + index);

/** What is counted on days that were closed, and how many messages were purged, in all lives together. */
const sums = { messages: 0, clicks: 0, optedOut: 0, purged: 0 };

describe("a report", () => {
  it.each(SEEDS)("counts every message at every moment of a long life (seed %i)", async (number) => {
    const life = await expectExact(number, 250);
    const [counts] = await world.rows(
      "SELECT sum(messages) AS messages, sum(clicks) AS clicks, sum(opted_out) AS opted_out FROM report_counts",
    );
    const [stored] = await world.rows("SELECT count(*) AS messages FROM messages");
    sums.messages += Number(counts?.messages);
    sums.clicks += Number(counts?.clicks);
    sums.optedOut += Number(counts?.opted_out);
    sums.purged += life.model.size - Number(stored?.messages);
  });

  // Nothing was left out: days were closed, messages were purged, and closed days were changed.
  afterAll(() => {
    expect(sums.messages).toBeGreaterThan(20);
    expect(sums.clicks).toBeGreaterThan(3);
    expect(sums.optedOut).toBeGreaterThan(0);
    expect(sums.purged).toBeGreaterThan(5);
  });
});
