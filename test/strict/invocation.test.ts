import { describe, expect, it } from "vitest";
import { CutOffError, Invocation, type Use } from "./invocation.ts";
import { LIMITS } from "./limits.ts";

const START = Date.UTC(2026, 10, 21, 12);

function make(handler: ConstructorParameters<typeof Invocation>[0] = "fetch") {
  const clock = { now: START };
  const refusals: string[] = [];
  const invocation = new Invocation(
    handler,
    () => clock.now,
    (why) => refusals.push(why),
  );
  const use = (what: Use["what"], signal?: AbortSignal) => invocation.call({ what, signal }, async () => what);
  return { clock, refusals, invocation, use };
}

/** Whether a promise has settled by now, so that nothing else has to happen for it. */
const isSettled = async (promise: Promise<unknown>) => {
  const settled = promise.then(
    () => true,
    () => true,
  );
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  return Promise.race([settled, false]);
};

describe("what an invocation may ask for", () => {
  it.each([
    ["D1", LIMITS.queriesPerInvocation.value, "API requests"],
    ["KV", LIMITS.keyValueOperations.value, "API requests"],
    ["queue", LIMITS.subrequests.value, "API requests"],
    ["object", LIMITS.subrequests.value, "API requests"],
    ["assets", LIMITS.subrequests.value, "API requests"],
    ["fetch", LIMITS.subrequests.value, "subrequests"],
    ["connect", LIMITS.subrequests.value, "subrequests"],
  ] as const)("of %s is %d, and one more is refused", async (what, most, words) => {
    const { use, refusals } = make();
    for (let count = 0; count < most; count++) await use(what);
    expect(refusals).toEqual([]);
    const refusal = `Too many ${words} by single Worker invocation.`;
    await expect(use(what)).rejects.toThrow(refusal);
    expect(refusals).toEqual([refusal]);
  });

  it("of all together is what wrangler.toml sets", async () => {
    const { use } = make();
    const most = LIMITS.subrequests.value;
    await use("D1");
    await use("KV");
    for (let count = 2; count < most; count++) await use("fetch");
    await expect(use("D1")).rejects.toThrow("Too many API requests");
    expect(most).toBeGreaterThan(0);
  });
});

describe("connections", () => {
  /** Begins calls that end when they are told to. */
  const begin = (invocation: Invocation, uses: Use["what"][]) =>
    uses.map((what) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let hasBegun = false;
      const done = invocation.call({ what }, () => {
        hasBegun = true;
        return promise;
      });
      return { done, end: resolve, hasBegun: () => hasBegun };
    });

  it("are six at a time, of whatever kind; a seventh waits for the first that ends", async () => {
    const { invocation } = make();
    const calls = begin(invocation, ["fetch", "KV", "queue", "connect", "fetch", "fetch", "KV", "queue"]);
    const begun = () => calls.map(({ hasBegun }) => hasBegun()).filter(Boolean).length;
    await isSettled(Promise.all(calls));
    expect(begun()).toBe(6);
    calls[3]?.end();
    await calls[3]?.done;
    await isSettled(Promise.all(calls));
    expect(calls.map(({ hasBegun }) => hasBegun())).toEqual([true, true, true, true, true, true, true, false]);
  });

  it("to D1 are six of its own, and those to objects are not counted", async () => {
    const { invocation } = make();
    begin(invocation, new Array(6).fill("fetch"));
    const queries = begin(invocation, new Array(7).fill("D1"));
    const objects = begin(invocation, new Array(20).fill("object"));
    await isSettled(Promise.all(objects));
    expect(queries.map(({ hasBegun }) => hasBegun())).toEqual([true, true, true, true, true, true, false]);
    expect(objects.every(({ hasBegun }) => hasBegun())).toBe(true);
  });

  it("that are waited for in vain are given up with the signal, and nothing is sent", async () => {
    const { invocation, use } = make();
    const calls = begin(invocation, new Array(6).fill("fetch"));
    const abort = new AbortController();
    let hasBegun = false;
    const waiting = invocation.call({ what: "fetch", signal: abort.signal }, async () => {
      hasBegun = true;
    });
    const next = use("fetch");
    await isSettled(next);
    abort.abort(new Error("too late"));
    await expect(waiting).rejects.toThrow("too late");
    calls[0]?.end();
    expect(await next).toBe("fetch");
    expect(hasBegun).toBe(false);
    await expect(use("fetch", AbortSignal.abort(new Error("late before")))).resolves.toBe("fetch");
  });
});

describe("an invocation that a new version replaces", () => {
  it("goes on for thirty seconds, and not for longer", async () => {
    const { clock, invocation, use, refusals } = make("queue");
    invocation.replace();
    clock.now += LIMITS.graceMilliseconds.value;
    expect(await use("D1")).toBe("D1");
    clock.now += 1;
    expect(await isSettled(use("D1"))).toBe(false);
    await expect(invocation.cutOff).rejects.toThrow(CutOffError);
    expect(refusals).toEqual([]);
  });

  it("does not hear of a call that it has begun: what that has done stands", async () => {
    const { clock, invocation } = make("queue");
    invocation.replace();
    let isDone = false;
    const call = invocation.call({ what: "D1" }, async () => {
      clock.now += LIMITS.graceMilliseconds.value + 1;
      isDone = true;
    });
    await expect(invocation.cutOff).rejects.toThrow("a new version has arrived");
    expect([isDone, await isSettled(call)]).toEqual([true, false]);
  });
});

describe("time", () => {
  it.each(["queue", "scheduled"] as const)("for a run of %s ends after fifteen minutes", async (handler) => {
    const { clock, use, refusals } = make(handler);
    clock.now += LIMITS.runMilliseconds.value;
    expect(await use("D1")).toBe("D1");
    clock.now += 1;
    expect(await isSettled(use("D1"))).toBe(false);
    expect(refusals).toEqual(["a run takes longer than 15 minutes"]);
  });

  it("for a request does not end while its client stays", async () => {
    const { clock, use } = make("fetch");
    clock.now += 3_600_000;
    expect(await use("D1")).toBe("D1");
  });

  it("for work in the background ends thirty seconds after the handler", async () => {
    const { clock, invocation, use, refusals } = make("fetch");
    clock.now += 3_600_000;
    const hung = Promise.withResolvers<void>();
    invocation.background(hung.promise);
    invocation.handlerEnded();
    clock.now += LIMITS.backgroundMilliseconds.value;
    expect(await use("queue")).toBe("queue");
    expect(invocation.isRunning).toBe(true);
    clock.now += 1;
    expect(await isSettled(use("queue"))).toBe(false);
    await invocation.settle();
    expect([invocation.isRunning, refusals]).toEqual([false, ["waitUntil takes longer than 30 seconds"]]);
  });

  it("for a call that the invocation has left behind ends with it, and is no fault", async () => {
    const { clock, invocation, use, refusals } = make("fetch");
    const answer = Promise.withResolvers<void>();
    const leftBehind = invocation.call({ what: "object" }, () => answer.promise);
    invocation.handlerEnded();
    clock.now += LIMITS.backgroundMilliseconds.value + 1;
    answer.resolve();
    expect([await isSettled(leftBehind), await isSettled(use("D1"))]).toEqual([false, false]);
    expect(refusals).toEqual([]);
  });
});
