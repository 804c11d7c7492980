import { describe, expect, it } from "vitest";
import { mostInASecond } from "../timeline.ts";
import { flat, LIMIT, perSecond, prepare, run } from "./flooded.ts";

prepare();

/** What the object answers a second, as Cloudflare has it. */
const CAPACITY = 1000;

/** The first second has what came before there was any answer: nobody could know of the others. */
const afterFirst = (times: number[]) => times.filter((at) => at >= 1000);

describe("10,000 requests a second of one website over 100 isolates", () => {
  it.each([
    [2, 500],
    [50, 1000],
    [150, 2100],
  ])("ask an object that is %i ms away less than %i times a second, and use up the limit", async (trip, most) => {
    const { asks, admitted, slipped } = await run({ rates: flat(10_000, 5), isolates: 100, trip });
    expect(mostInASecond(admitted)).toBe(LIMIT);
    expect(slipped.length).toBe(0);
    expect(perSecond(asks, [0, 5])).toBeLessThan(most);
    expect(perSecond(admitted, [0, 5])).toBe(LIMIT);
  });

  it("let nobody in over the limit where the object says that it is overloaded", async () => {
    const flood = { rates: flat(10_000, 8), isolates: 100, trip: 50, service: 1, queue: 200 };
    const { asks, admitted, slipped } = await run(flood);
    expect(mostInASecond(admitted)).toBe(LIMIT);
    expect(slipped.length).toBe(0);
    expect(perSecond(asks, [0, 8])).toBeLessThan(CAPACITY);
    expect(perSecond(admitted, [0, 8])).toBeGreaterThan(0.9 * LIMIT);
  });

  it("let nobody in over the limit where the object says nothing of it, and is late for all of them", async () => {
    const { asks, admitted, slipped } = await run({ rates: flat(10_000, 10), isolates: 100, trip: 50, service: 1 });
    expect(mostInASecond(admitted)).toBe(LIMIT);
    // These isolates had heard of no refusal half a second after the flood began.
    expect(slipped.length).toBeLessThan(300);
    expect(afterFirst(slipped).length).toBe(0);
    expect(perSecond(asks, [0, 10])).toBeLessThan(2700);
  });

  it("are over two seconds after their end", async () => {
    const { refused } = await run({ rates: [...flat(10_000, 3), ...flat(200, 4)], isolates: 100, trip: 50 });
    expect(refused.filter((at) => at >= 3000 && at < 5000).length).toBeLessThan(0.6 * 400);
    expect(refused.filter((at) => at >= 5000).length).toBeLessThan(0.05 * 400);
  });
});
