import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeIsolateState } from "../../src/deps.ts";
import { SlidingWindow } from "../../src/domain/clients/sliding-window.ts";
import type { Send } from "../../src/domain/messages/send.ts";
import { RateGate, type RateLimiterNamespace, type SendAnswer } from "../../src/platform/rate-limiter.ts";
import { limits, SilenceError } from "../../src/platform/time-limit.ts";
import { mockOwnLimits } from "../own-limits.ts";
import { bound, end } from "./rate-limiter-stage.ts";

afterEach(end);

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

  it("makes the object where the configuration says, or else near the first request", async () => {
    const options: unknown[] = [];
    const getByName = (_name: string, given: unknown) => {
      options.push(given);
      return { admit: async () => ({ admitted: true, remaining: 1, resetMilliseconds: 0 }) };
    };
    for (const settings of [{ LIMITER_LOCATION: "weur" }, { LIMITER_LOCATION: "" }, {}]) {
      const { limiter } = makeIsolateState({ ...env, ...settings, RATE_LIMITER: { getByName } } as unknown as Env);
      await limiter.admit("brand", () => 0);
    }
    expect(options).toEqual([{ locationHint: "weur" }, {}, {}]);
    expect(() => makeIsolateState({ ...env, LIMITER_LOCATION: "us-east-1" } as Env)).toThrow(
      "wrong configuration: LIMITER_LOCATION: must be the location of the database",
    );
  });

  it("keeps the refusals of websites apart", async () => {
    // However busy the machine is: neither the limiter's silence nor the object's second passes.
    vi.spyOn(limits, "start").mockReturnValue(() => {});
    vi.useFakeTimers({ toFake: ["Date"] });
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

describe("a send whose object is late", () => {
  const ADMISSION = { admitted: true, remaining: 1, resetMilliseconds: 1 } as const;

  const ANSWER: SendAnswer = { admission: ADMISSION, stored: { kind: "conflict" } };

  const SEND = { message: { websiteId: "brand", messageId: "id" } } as Send;

  let waited: number[];

  let within: ReturnType<typeof mockOwnLimits>;

  /** A gate on an object with these functions; each time limit is over at once while the object is silent. */
  function gateOn(object: { send(): Promise<SendAnswer>; isStoring(): Promise<boolean> }) {
    waited = [];
    within = mockOwnLimits((milliseconds, onOver) => {
      let isStopped = false;
      setTimeout(() => {
        if (isStopped) return;
        waited.push(milliseconds);
        onOver();
      });
      return () => {
        isStopped = true;
      };
    });
    return new RateGate({ getByName: () => object } as unknown as RateLimiterNamespace);
  }

  it("is waited for as long as the object is storing it", async () => {
    const stored = Promise.withResolvers<SendAnswer>();
    let asked = 0;
    const isStoring = async () => {
      if (++asked === 4) stored.resolve(ANSWER);
      return true;
    };
    const gate = gateOn({ send: () => stored.promise, isStoring });
    expect(await within(() => gate.send(SEND, () => 0))).toEqual(ANSWER);
    expect(waited).toEqual([250, 500, 1000, 2000]);
  });

  it("is given up when the object knows nothing of it, or says nothing either", async () => {
    const never = new Promise<never>(() => {});
    const forgetful = gateOn({ send: () => never, isStoring: async () => false });
    await expect(within(() => forgetful.send(SEND, () => 0))).rejects.toThrow(SilenceError);
    expect(waited).toEqual([250, 250]);
    const silent = gateOn({ send: () => never, isStoring: () => never });
    await expect(within(() => silent.send(SEND, () => 0))).rejects.toThrow(SilenceError);
    expect(waited).toEqual([250, 250]);
  });

  const refuseQuestion = async () =>
    Promise.reject(Object.assign(new Error("Durable Object is overloaded."), { overloaded: true }));

  it("may be stored where the object takes no more questions, and is not told as refused", async () => {
    const gate = gateOn({ send: () => new Promise<never>(() => {}), isStoring: refuseQuestion });
    await expect(within(() => gate.send(SEND, () => 0))).rejects.toThrow(SilenceError);
  });

  it("has the answer that comes after the object has taken no more questions", async () => {
    const stored = Promise.withResolvers<SendAnswer>();
    const isStoring = async () => {
      stored.resolve(ANSWER);
      return refuseQuestion();
    };
    const gate = gateOn({ send: () => stored.promise, isStoring });
    expect(await within(() => gate.send(SEND, () => 0))).toEqual(ANSWER);
  });

  it("has the answer that comes while the object is asked", async () => {
    const stored = Promise.withResolvers<SendAnswer>();
    const isStoring = async () => {
      stored.resolve(ANSWER);
      return false;
    };
    expect(await gateOn({ send: () => stored.promise, isStoring }).send(SEND, () => 0)).toEqual(ANSWER);
  });
});
