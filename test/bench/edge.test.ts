import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { billOf } from "../../bench/edge/bill.ts";
import { priceDatabase } from "../../bench/workers/edge/bindings.ts";
import type { Clock } from "../../bench/workers/edge/clock.ts";
import { Connections } from "../../bench/workers/edge/connections.ts";
import { priceObject } from "../../bench/workers/edge/objects.ts";
import { type Meta, Platform } from "../../bench/workers/edge/platform.ts";
import { type QueuedMessage, QueueModel, type Sent, type Verdict } from "../../bench/workers/edge/queue-model.ts";
import type { ConsumerSettings, EdgeSettings } from "../../bench/workers/edge/settings.ts";
import { Thread } from "../../bench/workers/edge/thread.ts";
import { VirtualClock } from "../simulation/clock.ts";

const SETTINGS: EdgeSettings = {
  slow: 1,
  epoch: 0,
  writingCall: 4,
  readingCall: 1,
  network: 5,
  connections: 6,
  databases: ["DB"],
  namespaces: [],
  objects: [],
  producers: {},
  consumers: {},
};

/** Waits take no time, and are all added up. */
function makeQuickClock(): Clock {
  let now = 0;
  return {
    get now() {
      return now;
    },
    wait: async (milliseconds) => {
      now += milliseconds;
    },
  };
}

const goTo = (clock: VirtualClock, time: number) => clock.pass(time - clock.now);

const metas = (rows_written: number, duration = 0): Meta[] => [{ rows_written, rows_read: 1, duration }];

const WRITING = () => Promise.resolve(metas(1));
const READING = () => Promise.resolve(metas(0));
const same = (them: Meta[]) => them;

it("lets the calls of a thread take their turns, and tells when it was busy", () => {
  const thread = new Thread();
  expect([thread.take(0, 40), thread.take(0, 40), thread.take(10, 70)]).toEqual([40, 80, 150]);
  expect(thread.take(400, 10)).toBe(410);
  expect(thread.readCounts(0, 500)).toEqual({ busyShares: [1, 0.5, 0, 0, 0.1], waits: [0, 40, 70, 0] });
  expect(thread.readCounts(500, 700)).toEqual({ busyShares: [0, 0], waits: [] });
});

it("serializes the calls of all invocations to one database, and those to another beside them", async () => {
  const clock = new VirtualClock(0);
  const platform = new Platform(SETTINGS, clock);
  platform.takeCounts();
  const ended: [string, number][] = [];
  const call = (kind: string, database: string, run: () => Promise<Meta[]>) =>
    platform.invoke(kind, () => platform.callDatabase(database, run, same)).then(() => ended.push([kind, clock.now]));
  void call("first", "DB", WRITING);
  void call("second", "DB", WRITING);
  void call("third", "DB", READING);
  void call("elsewhere", "OTHER", WRITING);
  await goTo(clock, 100);
  expect(ended).toEqual([
    // 5 ms there, its turns of 4, 4 and 1 ms, 5 ms back.
    ["first", 14],
    ["elsewhere", 14],
    ["second", 18],
    ["third", 19],
  ]);
  const { made, databases } = platform.takeCounts();
  expect(databases.DB?.waits).toEqual([0, 4, 8]);
  expect(databases.DB?.busyShares).toEqual([0.09]);
  expect(databases.OTHER?.waits).toEqual([0]);
  expect(made.second).toMatchObject({
    invocations: 1,
    d1Calls: 1,
    writingCalls: 1,
    rowsWritten: 1,
    busyMilliseconds: 4,
  });
  expect(made.third).toMatchObject({ d1Calls: 1, writingCalls: 0, rowsRead: 1, busyMilliseconds: 1 });
});

it("adds what the statements really take, and takes the turn of a call that fails", async () => {
  const clock = makeQuickClock();
  const platform = new Platform(SETTINGS, clock);
  await platform.invoke("slow", () => platform.callDatabase("DB", async () => metas(1, 20), same));
  expect(clock.now).toBeCloseTo(34);
  const failing = () => platform.callDatabase("DB", () => Promise.reject(new Error("no such table")), same);
  await expect(platform.invoke("failing", failing)).rejects.toThrow("no such table");
  expect(clock.now).toBeCloseTo(45);
  expect(platform.takeCounts().made.failing).toMatchObject({ d1Calls: 1, busyMilliseconds: 1 });
});

it("counts what a real database has read and written, a batch as one call", async () => {
  const platform = new Platform(SETTINGS, makeQuickClock());
  const db = priceDatabase(env.DB, "DB", platform, SETTINGS);
  await env.DB.batch([
    env.DB.prepare("CREATE TABLE priced (id INTEGER PRIMARY KEY, word TEXT)"),
    env.DB.prepare("CREATE INDEX priced_by_word ON priced (word)"),
  ]);
  const insert = db.prepare("INSERT INTO priced (word) VALUES (?1)");
  await platform.invoke("writer", async () => {
    // Each row and its entry in the index.
    await db.batch([insert.bind("one"), insert.bind("two")]);
    await db.prepare("UPDATE priced SET word = 'three' WHERE id = 7").run();
  });
  await platform.invoke("reader", async () => {
    expect(await db.prepare("SELECT word FROM priced WHERE id = ?1").bind(2).first("word")).toBe("two");
    expect((await db.prepare("SELECT word FROM priced").all()).results).toHaveLength(2);
  });
  const { made } = platform.takeCounts();
  expect(made.writer).toMatchObject({ d1Calls: 2, writingCalls: 1, rowsWritten: 4 });
  expect(made.reader).toMatchObject({ d1Calls: 2, writingCalls: 0, rowsRead: 3, rowsWritten: 0 });
  expect(() => platform.invoke("exec", () => db.exec("SELECT 1"))).toThrow("no price");
});

it("gives a database the clock of the model, which its statements compare with that of the Worker", async () => {
  const platform = new Platform(SETTINGS, makeQuickClock());
  const slow = 8;
  const epoch = Date.now() - 80_000;
  const db = priceDatabase(env.DB, "DB", platform, { slow, epoch });
  const read = () => db.prepare("SELECT unixepoch('subsec') * 1000 AS now").first<number>("now");
  const now = await platform.invoke("reader", read);
  const expected = epoch + (Date.now() - epoch) / slow;
  expect(Math.abs((now ?? 0) - expected)).toBeLessThan(500);
});

it("gives an invocation six connections, of whatever kind", async () => {
  const clock = new VirtualClock(0);
  const platform = new Platform(SETTINGS, clock);
  const ended: [string, number][] = [];
  const fetch100 = () => clock.wait(100).then(() => new Response());
  const note = (what: string) => () => ended.push([what, clock.now]);
  void platform.invoke("busy", () => {
    for (let fetch = 0; fetch < 6; fetch++) void platform.fetch(fetch100);
    void platform.callDatabase("DB", WRITING, same).then(note("database"));
    void platform.callQueue(async () => {}).then(note("queue"));
    // An object is no connection.
    void platform.callObject(async () => {}).then(note("object"));
  });
  void platform.invoke("other", () => platform.fetch(fetch100).then(note("other")));
  await goTo(clock, 300);
  expect(ended).toEqual([
    ["object", 10],
    ["other", 100],
    ["queue", 110],
    ["database", 114],
  ]);
});

it("gives connections back in the order in which they were asked for, after failures too", async () => {
  const connections = new Connections(1);
  const order: number[] = [];
  const work = (index: number) => async () => {
    order.push(index);
    if (index === 0) throw new Error("refused");
  };
  const ends = await Promise.allSettled([0, 1, 2].map((index) => connections.during(work(index))));
  expect(order).toEqual([0, 1, 2]);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});

it("counts the calls to an object and the time of those that are under way, once for all of them", async () => {
  const clock = new VirtualClock(0);
  const platform = new Platform(SETTINGS, clock);
  /** Stands for the runtime's own class, whose methods are left alone. */
  class Runtime {
    readonly env: unknown;
    constructor(_context: unknown, env: unknown) {
      this.env = env;
    }
    isRuntimes(): boolean {
      return true;
    }
  }
  class Base extends Runtime {
    half(number: number): number {
      return number / 2;
    }
  }
  class Store extends Base {
    async store(): Promise<number> {
      // It calls itself: that is no call to it.
      this.half(8);
      await platform.callDatabase("DB", WRITING, same);
      return clock.now;
    }
  }
  const Priced = priceObject(Store, "Store", platform, { ...SETTINGS, databases: [] });
  const object = new Priced({}, { NAME: "value" });
  expect(object.env).toEqual({ NAME: "value" });
  expect(object.isRuntimes()).toBe(true);
  expect(object.half(8)).toBe(4);
  const stored = Promise.all([object.store(), object.store()]);
  await goTo(clock, 50);
  expect(await stored).toEqual([14, 18]);
  const { made, objectMilliseconds } = platform.takeCounts();
  expect(made["object Store"]).toMatchObject({ invocations: 3, d1Calls: 2 });
  expect(objectMilliseconds).toBe(18);
});

const CONSUMER: ConsumerSettings = {
  batchSize: 100,
  batchTimeoutSeconds: 0,
  retries: 2,
  retryDelaySeconds: 10,
  deadLetterQueue: "dead",
  concurrency: 10,
};

const ACCEPTED: Verdict = { retryAll: false, retries: new Map() };

function makeQueue(settings: Partial<ConsumerSettings>, consume: (batch: QueuedMessage[]) => Verdict) {
  const clock = new VirtualClock(0);
  const batches: { at: number; jsons: string[] }[] = [];
  const buried: Sent[] = [];
  const queue = new QueueModel(
    { ...CONSUMER, ...settings },
    {
      clock,
      deliver: async (batch) => {
        batches.push({ at: clock.now, jsons: batch.map(({ json }) => json) });
        await clock.wait(100);
        return consume(batch);
      },
      bury: async (_queue, messages) => void buried.push(...messages),
    },
  );
  const send = (count: number, json = "1", delaySeconds = 0) =>
    queue.send(Array.from({ length: count }, () => ({ json, delaySeconds })));
  return { clock, queue, batches, buried, send };
}

it("runs ten consumers at a time, and batches jobs that wait meanwhile", async () => {
  const { clock, queue, batches, send } = makeQueue({}, () => ACCEPTED);
  for (let message = 0; message < 130; message++) send(1);
  await goTo(clock, 1000);
  expect(batches.map(({ at, jsons }) => [at, jsons.length])).toEqual([
    ...Array.from({ length: 10 }, () => [0, 1]),
    [100, 100],
    [100, 20],
  ]);
  expect(queue.isIdle).toBe(true);
  const counts = { writes: 130, reads: 130, deletes: 130, batches: 12, consumerMilliseconds: 1200, mostWaiting: 120 };
  expect(queue.takeCounts()).toEqual(counts);
});

it("counts an operation for each 64 KB of a message", async () => {
  const { clock, queue, send } = makeQueue({}, () => ACCEPTED);
  send(1, "x".repeat(63_900));
  send(1, "x".repeat(63_901));
  await goTo(clock, 1000);
  expect(queue.takeCounts()).toMatchObject({ writes: 3, reads: 3, deletes: 3 });
});

it("delivers again what is retried, after its delay, and buries it after the last retry", async () => {
  const { clock, queue, batches, buried, send } = makeQueue({}, (batch) => ({
    ...ACCEPTED,
    retries: new Map(batch.flatMap(({ id, json }) => (json === "bad" ? [[id, 3]] : []))),
  }));
  send(1, "good");
  send(1, "bad", 1);
  await goTo(clock, 60_000);
  expect(batches).toEqual([
    { at: 0, jsons: ["good"] },
    { at: 1000, jsons: ["bad"] },
    { at: 4100, jsons: ["bad"] },
    { at: 7200, jsons: ["bad"] },
  ]);
  expect(buried).toEqual([{ json: "bad", delaySeconds: 0 }]);
  expect(queue.takeCounts()).toMatchObject({ writes: 2, reads: 4, deletes: 2 });
});

it("delivers a whole batch again after the consumer has failed", async () => {
  let runs = 0;
  const { clock, batches, buried, send } = makeQueue({}, () => ({ ...ACCEPTED, retryAll: runs++ === 0 }));
  send(2);
  await goTo(clock, 60_000);
  expect(batches.map(({ at, jsons }) => [at, jsons.length])).toEqual([
    [0, 2],
    [10_100, 2],
  ]);
  expect(buried).toEqual([]);
});

it("waits for a batch to fill, but no longer than its timeout, and begins none while it is held", async () => {
  const { clock, queue, batches, send } = makeQueue({ batchSize: 3, batchTimeoutSeconds: 5 }, () => ACCEPTED);
  send(4);
  await goTo(clock, 20_000);
  expect(batches.map(({ at, jsons }) => [at, jsons.length])).toEqual([
    [0, 3],
    [5000, 1],
  ]);
  queue.hold(true);
  send(3);
  await goTo(clock, 40_000);
  expect(batches).toHaveLength(2);
  queue.hold(false);
  await goTo(clock, 41_000);
  expect(batches[2]).toMatchObject({ at: 40_000 });
});

it("prices a message as the list has it", () => {
  const usage = {
    invocations: 3.1,
    cpuMilliseconds: 6,
    kvReads: 0,
    kvWrites: 0,
    objectCalls: 1,
    objectMilliseconds: 8,
    rowsRead: 110,
    rowsWritten: 23.6,
    bytesStored: 918,
    queueOperations: 6.1,
    logLines: 8,
  };
  const { lines, dollars } = billOf(usage);
  expect(Object.fromEntries(lines.map(({ what, dollars }) => [what, Number(dollars.toFixed(4))]))).toEqual({
    "requests of the Worker": 0.93,
    "CPU milliseconds": 0.12,
    "KV reads": 0,
    "KV writes": 0,
    "requests to objects": 0.15,
    "GB-seconds of objects": 0.0128,
    "D1 rows read": 0.11,
    "D1 rows written": 23.6,
    "D1 bytes, for a month": 0.6885,
    "queue operations": 2.44,
    "lines of the log": 4.8,
  });
  expect(dollars).toBeCloseTo(32.85, 2);
});
