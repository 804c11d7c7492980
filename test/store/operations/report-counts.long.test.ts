import { describe, expect, inject, it } from "vitest";
import { expectExact, prepare, world } from "./reported-life.ts";

prepare();

/** FAULT_SEEDS=3 for a trial. */
const SEEDS = Array.from({ length: inject("faultSeeds") }, (_, index) => inject("faultFromSeed") + index);

describe("a report", () => {
  it.each(SEEDS)("counts every message at every moment of a long life (seed %i)", async (number) => {
    const life = await expectExact(number, 250);
    // Nothing was left out: days were closed, messages were purged, and closed days were changed.
    const [counts] = await world.rows(
      "SELECT sum(messages) AS messages, sum(clicks) AS clicks, sum(opted_out) AS opted_out FROM report_counts",
    );
    const [stored] = await world.rows("SELECT count(*) AS messages FROM messages");
    expect(Number(counts?.messages)).toBeGreaterThan(20);
    expect(Number(counts?.clicks)).toBeGreaterThan(3);
    expect(Number(counts?.opted_out)).toBeGreaterThan(0);
    expect(Number(stored?.messages)).toBeLessThan(life.model.size - 5);
  });
});
