import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlidingWindow } from "../../../src/domain/clients/sliding-window.ts";

/** Plain and slow: every admission is kept, and counted anew for each request. */
class Model {
  readonly #limit: number;
  readonly #admitted: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  admit(now: number): { admitted: boolean; remaining: number; resetMilliseconds: number } {
    const counted = this.#admitted.filter((at) => now - at <= 1000);
    const admitted = counted.length < this.#limit;
    if (admitted) {
      counted.push(now);
      this.#admitted.push(now);
    }
    const oldest = Math.min(...counted);
    return { admitted, remaining: this.#limit - counted.length, resetMilliseconds: oldest + 1001 - now };
  }
}

/** Gaps between arrivals, in milliseconds: bursts, a steady stream, pauses, and the edges of the window. */
const gaps = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.constant(0) },
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 10 }) },
    { weight: 2, arbitrary: fc.integer({ min: 11, max: 1500 }) },
    { weight: 2, arbitrary: fc.constantFrom(999, 1000, 1001) },
  ),
  { maxLength: 400 },
);

describe("the sliding window", () => {
  it("answers each request as the model does, for any arrivals and any limit", () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 20 }), (steps, limit) => {
        const window = new SlidingWindow(limit);
        const model = new Model(limit);
        let now = 1_763_000_000_000;
        for (const gap of steps) {
          now += gap;
          expect(window.admit(now)).toEqual(model.admit(now));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("never admits more than 300 in any span of one second, and never refuses below it", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 1, max: 200 }))), (bursts) => {
        const window = new SlidingWindow();
        const admitted: number[] = [];
        let now = 0;
        for (const [gap, size] of bursts) {
          now += gap;
          for (let i = 0; i < size; i++) {
            const counted = admitted.filter((at) => now - at <= 1000).length;
            const { admitted: isAdmitted } = window.admit(now);
            expect(isAdmitted).toBe(counted < 300);
            if (isAdmitted) admitted.push(now);
          }
        }
        const inSpan = admitted.map((start, index) => admitted.findLastIndex((at) => at <= start + 1000) - index + 1);
        expect(Math.max(0, ...inSpan)).toBeLessThanOrEqual(300);
      }),
      { numRuns: 30 },
    );
  });

  it("admits again at the very moment that a refusal names", () => {
    const window = new SlidingWindow(3);
    for (const at of [0, 10, 20]) expect(window.admit(at).admitted).toBe(true);
    const refused = window.admit(500);
    expect(refused).toEqual({ admitted: false, remaining: 0, resetMilliseconds: 501 });
    expect(window.admit(1000).admitted).toBe(false);
    expect(window.admit(500 + refused.resetMilliseconds).admitted).toBe(true);
  });

  it("does not admit more when the clock steps back", () => {
    const window = new SlidingWindow(2);
    expect([window.admit(5000), window.admit(4000), window.admit(4500)].map(({ admitted }) => admitted)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
