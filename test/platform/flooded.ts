/** Floods of one website in virtual time: many isolates, and one object some way off that answers so many calls a second. */
import { afterEach, vi } from "vitest";
import type { Deps } from "../../src/deps.ts";
import { SlidingWindow } from "../../src/domain/clients/sliding-window.ts";
import type { ApiRequest } from "../../src/http/api-request.ts";
import { limitRate } from "../../src/http/guards.ts";
import { RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";
import { limits } from "../../src/platform/time-limit.ts";
import { Random } from "../random.ts";
import { Timeline } from "../timeline.ts";

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

export const overloaded = () => Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });

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

export async function run(flood: Flood): Promise<Seen> {
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

export const perSecond = (times: number[], [from, until]: [number, number]) =>
  times.filter((at) => at >= from * 1000 && at < until * 1000).length / (until - from);
export const flat = (rate: number, seconds: number) => new Array<number>(seconds).fill(rate);

export const LIMIT = 300;

/** Registers what comes before and after each test. */
export function prepare(): void {
  afterEach(() => {
    vi.restoreAllMocks();
  });
}
