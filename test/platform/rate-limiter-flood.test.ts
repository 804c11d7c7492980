/** Floods of one website in virtual time: many isolates, and one object some way off that answers so many calls a second. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Deps } from "../../src/deps.ts";
import { SlidingWindow } from "../../src/domain/clients/sliding-window.ts";
import type { ApiRequest } from "../../src/http/api-request.ts";
import { limitRate } from "../../src/http/guards.ts";
import { RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";
import { limits } from "../../src/platform/time-limit.ts";
import { Random } from "../random.ts";
import { mostInASecond, Timeline } from "../timeline.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

interface Flood {
  /** Requests a second of the website, in each second. */
  rates: number[];
  isolates: number;
  /** There and back, milliseconds. */
  trip: number;
  /** What the object takes for a call, milliseconds: 0 of an object without limit. */
  service?: number;
  /** How many calls may wait for the object before it says that it is overloaded. */
  queue?: number;
  seed?: number;
}

/** What happened, by the time of it in milliseconds. */
interface Seen {
  asks: number[];
  admitted: number[];
  /** Let through although the object did not admit them. */
  slipped: number[];
  refused: number[];
}

const overloaded = () => Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });

/** The object of the website, at the other end of a line. */
function makeObject(timeline: Timeline, { trip, service = 0, queue = Number.POSITIVE_INFINITY }: Flood, seen: Seen) {
  const window = new SlidingWindow();
  let freeAt = 0;
  const admit = async () => {
    seen.asks.push(timeline.now);
    await timeline.wait(trip / 2);
    if ((freeAt - timeline.now) / service > queue) {
      await timeline.wait(trip / 2);
      throw overloaded();
    }
    freeAt = Math.max(freeAt, timeline.now) + service;
    await timeline.wait(freeAt - timeline.now);
    const answer = window.admit(timeline.now);
    if (answer.admitted) seen.admitted.push(timeline.now);
    await timeline.wait(trip / 2);
    return answer;
  };
  return { getByName: () => ({ admit }) } as unknown as RateLimiterNamespace;
}

async function run(flood: Flood): Promise<Seen> {
  const timeline = new Timeline();
  vi.spyOn(limits, "start").mockImplementation((milliseconds, onOver) => timeline.timer(milliseconds, onOver));
  const random = new Random(flood.seed ?? 1);
  const seen: Seen = { asks: [], admitted: [], slipped: [], refused: [] };
  const object = makeObject(timeline, flood, seen);
  const left: Promise<unknown>[] = [];
  const isolates = Array.from({ length: flood.isolates }, () => {
    const deps = { limiter: new RateGate(object), now: () => timeline.now };
    return { ...deps, log: () => {}, waitUntil: (work: Promise<unknown>) => left.push(work) } as unknown as Deps;
  });
  const arrive = async (deps: Deps) => {
    const request = { client: { websiteId: "brand" }, headers: new Headers() } as unknown as ApiRequest;
    const result = await Promise.resolve(limitRate(request, deps)).then(
      () => request.admission?.admitted === true,
      () => null,
    );
    if (result === null) seen.refused.push(timeline.now);
    else if (!result) seen.slipped.push(timeline.now);
  };
  for (const [second, rate] of flood.rates.entries()) {
    for (let request = 0; request < rate; request++) {
      const at = second * 1000 + Math.floor(random.next() * 1000);
      const deps = isolates[Math.floor(random.next() * isolates.length)] as Deps;
      timeline.at(at, () => void arrive(deps));
    }
  }
  await timeline.run();
  return seen;
}

const perSecond = (times: number[], [from, until]: [number, number]) =>
  times.filter((at) => at >= from * 1000 && at < until * 1000).length / (until - from);
const flat = (rate: number, seconds: number) => new Array<number>(seconds).fill(rate);

const LIMIT = 300;

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
