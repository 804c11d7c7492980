/** Floods of one website in virtual time: many isolates, and one object some way off that answers so many calls a second. */
import { describe, expect, it } from "vitest";
import { mostInASecond } from "../timeline.ts";
import { flat, LIMIT, perSecond, prepare, run } from "./flooded.ts";

prepare();

describe("a website at twice its limit", () => {
  it.each([
    [1, 50],
    [10, 2],
    [10, 50],
    [100, 150],
  ])("over %i isolates, %i ms away, is let in as much as the limit has", async (isolates, trip) => {
    const { admitted, slipped, asks } = await run({ rates: flat(2 * LIMIT, 6), isolates, trip });
    expect(mostInASecond(admitted)).toBe(LIMIT);
    expect(slipped.length).toBe(0);
    expect(perSecond(admitted, [0, 6])).toBeGreaterThan(0.97 * LIMIT);
    expect(mostInASecond(asks)).toBeLessThanOrEqual(2 * LIMIT);
  });
});

describe("an object that falls silent", () => {
  it("lets in a website that is within its limit", async () => {
    const { slipped, refused } = await run({ rates: [200, 200], isolates: 4, trip: 50, service: 3000 });
    expect([slipped.length, refused.length]).toEqual([400, 0]);
  });
});

describe("2,000 requests a second of one website over 20 isolates", () => {
  it("ask the object far less often, and use up the limit", async () => {
    const { asks, admitted, slipped } = await run({ rates: flat(2000, 3), isolates: 20, trip: 50 });
    expect(mostInASecond(admitted)).toBe(LIMIT);
    expect(slipped.length).toBe(0);
    expect(perSecond(asks, [0, 3])).toBeLessThan(700);
    expect(perSecond(admitted, [0, 3])).toBe(LIMIT);
  });

  it("let nobody in over the limit where the object says that it is overloaded", async () => {
    const { admitted, slipped } = await run({ rates: flat(2000, 3), isolates: 20, trip: 50, service: 1, queue: 20 });
    expect(mostInASecond(admitted)).toBeLessThanOrEqual(LIMIT);
    expect(admitted.length).toBeGreaterThan(0);
    expect(slipped.length).toBe(0);
  });

  it("are over two seconds after their end", async () => {
    const { refused } = await run({ rates: [...flat(2000, 2), ...flat(200, 3)], isolates: 20, trip: 50 });
    expect(refused.filter((at) => at >= 2000).length).toBeGreaterThan(0);
    expect(refused.filter((at) => at >= 4000).length).toBeLessThan(0.05 * 200);
  });
});
