import { describe, expect, it } from "vitest";
import { countingDatabase } from "./counting-database.ts";
import { seed } from "./seed.ts";
import { costOfIdle, expectFound, HOURS, MINUTE, prepare, seedMessages, world } from "./sweeping.ts";

prepare();

const PENDING = 100_000;

const counted = async (table: string, condition = "true") =>
  Number((await world.rows(`SELECT count(*) AS n FROM ${table} WHERE ${condition}`))[0]?.n);

const DAYS_30 = 30 * 24 * 60 * MINUTE;

describe("a sweep with nothing to do beside 100,000 pending messages", () => {
  it.each(HOURS)("reads no more: %s", async (_, minutes, costs) => {
    expect(await costOfIdle(PENDING, minutes)).toEqual(costs);
  });
});

describe("a sweep with little to do", () => {
  it("finds them among 100,000, too", async () => {
    expect.hasAssertions();
    await expectFound(PENDING);
  });
});

describe("a purge", () => {
  it("of one sweep takes more than a minute of 300 messages a second, of all websites, and none that is younger", async () => {
    const old = world.now - DAYS_30;
    const final = { status: "'DELIVERED'", accepted_at: `iif(i < 18500, ${old}, ${old + 1})` };
    await seedMessages(19_500, final);
    const events = { event: "'DELIVERED'", occurred_at: "0" };
    await seed(world, "events", 19_500, { message_id: "'m' || i", ...events });
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await world.sweep();
    expect(take().calls).toBeLessThan(60);
    expect([await counted("messages"), await counted("events")]).toEqual([1000, 1000]);
    expect(await counted("messages", `accepted_at <= ${old}`)).toBe(0);
    expect(await world.rows("SELECT sum(messages) AS n FROM report_counts")).toEqual([{ n: 18_500 }]);
  });
});
