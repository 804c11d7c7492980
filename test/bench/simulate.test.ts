import { expect, it } from "vitest";
import { EDGE_FIGURES, simulateEdge } from "../../bench/simulate/edge.ts";
import { Events } from "../../bench/simulate/events.ts";
import { simulate } from "../../bench/simulate/grid.ts";
import { CONSUMERS, type Model, STATEMENTS, statementsOf } from "../../bench/simulate/model.ts";
import { countWebsites, placeBySize, zipfSizes } from "../../bench/simulate/placement.ts";
import { tablesOf } from "../../bench/simulate/report.ts";
import { firstThat, Runs } from "../../bench/simulate/runs.ts";
import { World } from "../../bench/simulate/world.ts";
import measurements from "../../docs/measurements.md?raw";
import { Random } from "../random.ts";

const MODEL: Model = {
  seed: 1,
  price: { writingCall: 4, readingCall: 0.7, network: 5 },
  homes: [0],
  databases: 1,
  rate: 100,
  lookUps: 0,
  isGrouped: true,
  delivers: true,
  consumers: CONSUMERS,
  sharesIsolate: true,
  arrivals: "random",
  arrivesUntil: Number.POSITIVE_INFINITY,
};

/** Nobody sends. */
const IDLE = { ...MODEL, arrivals: 0 };

it("runs events in the order of time, and those of one time in the order of planning", () => {
  const random = new Random(7);
  const events = new Events();
  const seen: [at: number, planned: number][] = [];
  for (let planned = 0; planned < 5000; planned++) {
    const at = random.between(0, 300);
    events.at(at, () => {
      expect(events.now).toBe(at);
      seen.push([at, planned]);
      if (planned % 3 === 0) events.after(random.between(0, 50), () => seen.push([events.now, 5000 + seen.length]));
    });
  }
  events.runUntil(150);
  expect(seen.every(([at]) => at <= 150)).toBe(true);
  events.runUntil(1000);
  expect(seen).toHaveLength(5000 + 1667);
  const sorted = seen.toSorted(([one, first], [other, second]) => one - other || first - second);
  expect(seen.filter(([, planned]) => planned < 5000)).toEqual(sorted.filter(([, planned]) => planned < 5000));
  expect(seen.map(([at]) => at)).toEqual(sorted.map(([at]) => at));
  expect(() => events.at(999, () => {})).toThrow("after 1000");
});

it.each([0.3, 0.6, 0.85])("waits as long as M/D/1 does, the thread busy for %s of the time", (busy) => {
  const service = MODEL.price.writingCall + statementsOf(STATEMENTS.send, 1);
  const price = { ...MODEL.price, network: 0 };
  const world = new World({ ...MODEL, price, rate: (busy * 1000) / service, isGrouped: false, delivers: false });
  world.events.runUntil(1_500_000);
  const taken = world.samples.between(0, 1_500_000);
  const wait = taken.reduce((sum, milliseconds) => sum + milliseconds - service, 0) / taken.length;
  const expected = (busy / (2 * (1 - busy))) * service;
  expect(wait / expected).toBeGreaterThan(0.96);
  expect(wait / expected).toBeLessThan(1.04);
});

it("makes the calls of D1 that docs/measurements.md counts of each flow, alone and fifty together", () => {
  const documented = (flow: string) => {
    const [, alone, , , together] =
      measurements.split(`\n| ${flow} | `)[1]?.match(/^(\S+) \| (\S+) \| (\S+) \| (\S+) /) ?? [];
    return [Number(alone), Math.round(50 * Number(together))];
  };
  /** What is queued comes in one batch: the consumer is busy with one more, whose calls are made before. */
  const callsOf = (queue: (world: World, websites: number[]) => void, ownCalls: number) =>
    [1, 50].map((count) => {
      const world = new World({ ...IDLE, consumers: 1 });
      queue(world, [0]);
      world.events.runUntil(1);
      queue(world, new Array<number>(count).fill(0));
      Object.assign(world, { queueCallbacks() {}, queueReceipts() {} });
      world.events.runUntil(10_000);
      return world.database(0).thread.readCounts(0, 0).waits.length - ownCalls;
    });
  expect(callsOf((world, ids) => world.queueDeliveries(ids), 2)).toEqual(documented("its submission"));
  expect(callsOf((world, ids) => world.queueCallbacks(ids), 2)).toEqual(documented("its callback: DELIVERED"));
  // These wait for their batch, together.
  expect(callsOf((world, ids) => world.queueReceipts(ids, true), 0)).toEqual(documented("its receipt: DELIVERED"));
});

it("comes to what the bench at the platform's price has measured", () => {
  const { held, beside, open } = simulateEdge(1);
  const ratios = [
    held / EDGE_FIGURES.held,
    beside / EDGE_FIGURES.beside,
    open.p50 / EDGE_FIGURES.open.p50,
    open.p99 / EDGE_FIGURES.open.p99,
  ];
  for (const ratio of ratios) expect(Math.abs(ratio - 1), `${ratios}`).toBeLessThan(0.2);
});

it("posts both callbacks of each send that is stored, once", () => {
  const world = new World({ ...MODEL, homes: [0, 0, 1], databases: 3, sharesIsolate: false, arrivesUntil: 8000 });
  world.events.runUntil(60_000);
  const stored = world.samples.between(0, 60_000).length;
  expect(stored).toBeGreaterThan(2200);
  expect(world.refused).toBe(0);
  expect(world.through).toBe(2 * stored);
  expect(world.waiting()).toBe(0);
});

it("puts each website, the largest first, where least is stored", () => {
  const sizes = zipfSizes(100);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeCloseTo(1, 10);
  expect((sizes[0] as number) / (sizes[9] as number)).toBeCloseTo(10, 10);
  const homes = placeBySize(sizes, 5);
  const stored = [0, 1, 2, 3, 4].map((home) =>
    sizes.reduce((sum, size, it) => sum + (homes[it] === home ? size : 0), 0),
  );
  expect(Math.max(...stored) - Math.min(...stored)).toBeLessThan(0.01);
  expect(countWebsites(homes, 5)[0]).toBeLessThan(20);
  expect(new Set(placeBySize(sizes, 150)).size).toBe(100);
  expect(countWebsites(placeBySize([1, 1, 1, 1], 2), 2)).toEqual([2, 2]);
});

it("finds the first that is true, in few tries", () => {
  for (const first of [1, 2, 37, 100]) {
    let tries = 0;
    const isTrue = (value: number) => ++tries > 0 && value >= first;
    expect(firstThat(isTrue, 100)).toBe(first);
    expect(tries).toBeLessThan(10);
  }
  expect(firstThat((value) => value > 100, 100)).toBeUndefined();
});

it("gives what docs/measurements.md says of a website with a database of its own", () => {
  const runs = new Runs(1, 100);
  const cells = [2, 5].map((writingCall) => {
    const kind = { isGrouped: true, consumers: CONSUMERS, writingCall, placement: "size" } as const;
    const { p50, p99 } = runs.cell({ ...kind, databases: 100 }).slowest;
    return `${Math.round(p50)}, ${Math.round(p99)} ms`;
  });
  expect(cells).toEqual(measurements.match(/\n\| 100 \| 1 \| ([^|]+) \| ([^|]+) \|/)?.slice(1));
});

it("gives the same tables for the same seed, and others for another", () => {
  const grid = { websites: 2, writingCalls: [20], databases: [1, 2], together: [] };
  const tables = (seed: number) => tablesOf({ ...simulate(seed, grid), seed: 0 });
  const [once, again, other] = [tables(1), tables(1), tables(2)];
  expect(again).toEqual(once);
  expect(other).not.toEqual(once);
  const [cells] = once.map(({ rows }) => rows);
  expect(cells?.map(([databases, websites]) => [databases, websites])).toEqual([
    ["databases", "most websites"],
    ["1", "2"],
    ["2", "1"],
  ]);
});
