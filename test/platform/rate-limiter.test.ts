import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlidingWindow } from "../../src/domain/sliding-window.ts";
import { RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";

const bound = env.RATE_LIMITER as RateLimiterNamespace;

/** An object that answers by the test's clock, a while after the call was begun, and counts the calls. */
function slowObject(clock: { now: number }, limit: number) {
  const window = new SlidingWindow(limit);
  const object = { calls: 0, delay: 0 };
  const admit = async () => {
    object.calls += 1;
    clock.now += object.delay;
    const admission = window.admit(clock.now);
    clock.now += object.delay;
    return admission;
  };
  return Object.assign(object, { namespace: { getByName: () => ({ admit }) } as unknown as RateLimiterNamespace });
}

describe("the object of a website", () => {
  it("admits 300 at once and refuses the next, for its own website alone", async () => {
    const limiter = bound.getByName(crypto.randomUUID());
    const admissions = await Promise.all(Array.from({ length: 300 }, () => limiter.admit()));
    expect(admissions.every(({ admitted }) => admitted)).toBe(true);
    expect(Math.max(...admissions.map(({ remaining = 0 }) => remaining))).toBe(299);
    expect(await limiter.admit()).toMatchObject({ admitted: false, remaining: 0 });
    expect(await bound.getByName(crypto.randomUUID()).admit()).toMatchObject({ admitted: true, remaining: 299 });
  });
});

describe("the gate of an isolate", () => {
  it("does not ask the object before the time that a refusal named", async () => {
    const clock = { now: 1_000_000 };
    const object = slowObject(clock, 3);
    const gate = new RateGate(object.namespace);
    for (let request = 0; request < 1000; request++) await gate.admit("brand", () => clock.now);
    expect(object.calls).toBe(4);
    clock.now += 1001;
    expect(await gate.admit("brand", () => clock.now)).toMatchObject({ admitted: true });
    expect(object.calls).toBe(5);
  });

  it("keeps the refusals of websites apart", async () => {
    const gate = new RateGate(bound);
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
    const now = Date.now();
    await Promise.all(Array.from({ length: 301 }, () => gate.admit(one, () => now)));
    expect(await gate.admit(one, () => now)).toMatchObject({ admitted: false });
    expect(await gate.admit(two, () => now)).toMatchObject({ admitted: true });
  });

  it("refuses nothing that the object would admit, however slow the way to it is", async () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 40 })), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (arrivals, limit) => {
        const clock = { now: 1_000_000 };
        const object = slowObject(clock, limit);
        const gate = new RateGate(object.namespace);
        const admitted: number[] = [];
        for (const [gap, delay] of arrivals) {
          clock.now += gap;
          object.delay = delay;
          const before = object.calls;
          const arrived = clock.now;
          const admission = await gate.admit("brand", () => clock.now);
          const decided = object.calls > before ? clock.now - delay : arrived;
          const counted = admitted.filter((at) => decided - at <= 1000).length;
          expect(admission.admitted).toBe(counted < limit);
          if (admission.admitted) admitted.push(decided);
        }
      }),
      { numRuns: 200 },
    );
  });
});
