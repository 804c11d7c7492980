/** A move that is cut off anywhere leaves the website whole in one place, and goes on or is aborted. */
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { workOnMove } from "../../../src/flows/databases/run-moves.ts";
import { takeCallbacks } from "../../callback-endpoint.ts";
import { bindDatabases, boundDatabase, rowsOf, useDatabases } from "../../databases.ts";
import { beginMove, fillTables, finishMove, rowsOfWebsite, stateOf, workOnPiece } from "../../moves.ts";
import { Random } from "../../random.ts";
import { strictDatabase } from "../../strict/database.ts";
import { platform } from "../../strict/platform.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BEA = "+12125550101";

let world: World;
let brand: TestClient;
let home: number;
let posts: string[];

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  posts = takeCallbacks();
  await world.sweep();
  for (const websiteId of ["brand", "near"]) {
    await world.operator("PUT", `/websites/${websiteId}`, { name: websiteId, carrier: "sandbox", database: "DB" });
    await world.subscribers(websiteId, [`${ADA},ada@example.com`, BEA]);
  }
  brand = await world.client("brand", { callbackUrl: "https://brand.example.com/" });
  home = (await world.rows("SELECT home FROM homes WHERE website_id = 'brand'"))[0]?.home as number;
  await fillTables("DB", { websiteId: "brand", home, clientId: "another" }, world.now, 2);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A call of D1 that is cut off: before it runs, after it has run, or long after its caller was told that it failed. */
type Fate = "before" | "after" | "late";

const killed = () => new Error("D1_ERROR: syntax error: killed");

/** The databases of an isolate whose nth call is cut off; nothing in it runs after that. */
class CutOff {
  calls = 0;
  isOver = false;
  readonly late: (() => Promise<unknown>)[] = [];
  readonly #nth: number;
  readonly #fate: Fate;

  constructor(nth: number, fate: Fate) {
    this.#nth = nth;
    this.#fate = fate;
  }

  wrap(db: D1Database): D1Database {
    const call = async <T>(run: () => Promise<T>): Promise<T> => {
      if (this.isOver) throw killed();
      this.calls += 1;
      if (this.calls < this.#nth) return run();
      this.isOver = true;
      if (this.#fate === "after") await run();
      if (this.#fate === "late") this.late.push(run);
      throw killed();
    };
    const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
    const prepared = (original: D1PreparedStatement): D1PreparedStatement => {
      const own = {
        bind: (...values: unknown[]) => prepared(original.bind(...values)),
        all: () => call(() => original.all()),
      } as unknown as D1PreparedStatement;
      originals.set(own, original);
      return own;
    };
    return {
      prepare: (sql: string) => prepared(db.prepare(sql)),
      batch: (some: D1PreparedStatement[]) =>
        call(() => db.batch(some.map((it) => originals.get(it) as D1PreparedStatement))),
    } as unknown as D1Database;
  }
}

/** Another isolate, whose nth call of a database is cut off. */
async function cutOffIsolate(nth: number, fate: Fate): Promise<{ isolate: World; cut: CutOff }> {
  const isolate = await World.another(world);
  const cut = new CutOff(nth, fate);
  isolate.deps = { ...isolate.deps, db: cut.wrap(strictDatabase(boundDatabase("DB"))) };
  useDatabases(isolate, (name) => cut.wrap(strictDatabase(boundDatabase(name))), ["DB_2"]);
  return { isolate, cut };
}

/** Works on the move until the isolate is cut off, or the move is over. */
async function workUntilCut(isolate: World, cut: CutOff): Promise<void> {
  for (let piece = 0; piece < 300 && !cut.isOver; piece++) {
    if ((await world.rows("SELECT 1 FROM moves WHERE ended_at IS NOT NULL")).length > 0) return;
    isolate.now = world.now += 20_000;
    platform.keyWrites.clear();
    await isolate.invoke("queue", () => workOnMove(isolate.deps, "brand", 1)).catch(() => {});
  }
}

/** Where the directory has the website, and what is stored of it there. */
async function whole() {
  const [place] = await world.rows("SELECT database FROM homes WHERE website_id = 'brand'");
  const database = String(place?.database);
  return { database, rows: await rowsOfWebsite(database, "brand", home) };
}

const sizesOf = (rows: Map<string, unknown[]>) =>
  Object.fromEntries([...rows].filter(([name]) => name !== "moved_feeds").map(([name, some]) => [name, some.length]));

/** The website is open, and what it has is done once. */
async function requireOpen(pending: string[]): Promise<void> {
  world.advance(30);
  const answer = await world.post("/text/message/send", brand, { ...SEND, phone: BEA });
  expect(answer.status).toBe(200);
  pending.push(((await answer.json()) as { messageId: string }).messageId);
  for (let round = 0; round < 3; round++) {
    world.advance(60);
    platform.keyWrites.clear();
    await world.sweep();
    await world.runQueues();
  }
  for (const messageId of pending)
    expect(posts.filter((id) => id.startsWith(messageId)).sort()).toEqual([
      `${messageId}_DELIVERED`,
      `${messageId}_SENDING`,
    ]);
}

/** How many calls of the databases a whole move makes. */
async function countCalls(): Promise<number> {
  await beginMove(world, "brand", "DB_2");
  const { isolate, cut } = await cutOffIsolate(Number.POSITIVE_INFINITY, "before");
  await workUntilCut(isolate, cut);
  expect(await stateOf(world, "brand")).toBe("done");
  return cut.calls;
}

describe("a move that is cut off at one of its calls", () => {
  it("makes calls that can be counted", async () => {
    const calls = await countCalls();
    expect(calls).toBeGreaterThan(100);
    expect(calls).toBeLessThan(MOST_CALLS);
  });

  const MOST_CALLS = 400;
  /** Each call of a move, spread over the tests: more of them with more seeds. */
  const STEP = Math.max(1, Math.floor(16 / inject("faultSeeds")));
  const cases = (["before", "after", "late"] as const).flatMap((fate, offset) =>
    Array.from({ length: Math.floor(MOST_CALLS / STEP) }, (_, index) => [fate, 1 + offset * 5 + index * STEP] as const),
  );

  it.each(cases)("goes on, or is aborted, and is whole in one place: %s, call %i", async (fate, nth) => {
    const pending = [await world.send(brand, { phone: ADA })];
    const before = sizesOf((await whole()).rows);
    await beginMove(world, "brand", "DB_2");
    const { isolate, cut } = await cutOffIsolate(nth, fate);
    await workUntilCut(isolate, cut);
    const found = await whole();
    expect([found.database, sizesOf(found.rows)]).toEqual([found.database, before]);
    // What runs late runs once the others are further.
    const isAborted = nth % 2 === 0;
    if (isAborted) {
      const answer = await world.operator("POST", "/websites/brand/move/abort");
      const { code } = (await answer.json()) as { code?: number };
      expect([answer.status, code]).toEqual(answer.status === 200 ? [200, undefined] : [409, 40902]);
    } else await world.operator("POST", "/websites/brand/move", { database: "DB_2" });
    for (const run of cut.late) await run().catch(() => {});
    await finishMove(world, "brand");
    const after = await whole();
    expect(sizesOf(after.rows)).toEqual(before);
    const state = await stateOf(world, "brand");
    expect([state, after.database]).toEqual(state === "done" ? ["done", "DB_2"] : ["aborted", "DB"]);
    await requireOpen(pending);
  });
});

describe("two jobs of one move", () => {
  it.each(Array.from({ length: 3 * inject("faultSeeds") }, (_, seed) => seed + 1))(
    "do its work once, whichever is further: seed %i",
    async (seed) => {
      const random = new Random(seed);
      const pending = [await world.send(brand, { phone: ADA })];
      const before = sizesOf((await whole()).rows);
      await beginMove(world, "brand", "DB_2");
      const other = await World.another(world);
      useDatabases(other, (name) => strictDatabase(boundDatabase(name)), ["DB_2"]);
      for (let piece = 0; piece < 400; piece++) {
        if ((await world.rows("SELECT 1 FROM moves WHERE ended_at IS NOT NULL")).length > 0) break;
        other.now = world.now += 5000;
        // KV takes one write a second of what leads to the website: two at once are for the sweep to mend.
        const both = random.next() < 0.7 && (await stateOf(world, "brand")) !== "switched";
        const first = random.next() < 0.5 ? [world, other] : [other, world];
        platform.keyWrites.clear();
        await Promise.all(
          first.slice(0, both ? 2 : 1).map((one) => one.invoke("queue", () => workOnMove(one.deps, "brand", 1))),
        );
      }
      world.jobs.splice(0, world.jobs.length, ...world.jobs.filter(({ body }) => body.kind !== "move"));
      expect(await stateOf(world, "brand")).toBe("done");
      const after = await whole();
      expect([after.database, sizesOf(after.rows)]).toEqual(["DB_2", before]);
      await requireOpen(pending);
    },
  );
});

describe("a page that is written late", () => {
  it("overwrites nothing once the website is open in the target", async () => {
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand", (state) => state === "copying");
    const late: (() => Promise<unknown>)[] = [];
    const slow = (db: D1Database) =>
      ({
        prepare: db.prepare.bind(db),
        batch: async (statements: D1PreparedStatement[]) => {
          const isPage = statements.some((it) =>
            String((it as unknown as { statement: string }).statement).startsWith("INSERT OR REPLACE"),
          );
          if (isPage) late.push(() => db.batch(statements));
          return db.batch(statements);
        },
      }) as unknown as D1Database;
    useDatabases(world, (name) => slow(strictDatabase(boundDatabase(name))), ["DB_2"]);
    await finishMove(world, "brand");
    expect(late.length).toBeGreaterThan(10);
    world.advance(30);
    expect((await world.post("/text/unsubscribe", brand, { phone_numbers: [BEA] })).status).toBe(200);
    const before = await rowsOfWebsite("DB_2", "brand", home);
    for (const run of late) await run();
    expect(await rowsOfWebsite("DB_2", "brand", home)).toEqual(before);
  });

  it("leaves nothing once the move is aborted, and cleared", async () => {
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand", (state) => state === "copying");
    const { isolate, cut } = await cutOffIsolate(5, "late");
    for (let piece = 0; piece < 5; piece++)
      await isolate.invoke("queue", () => workOnMove(isolate.deps, "brand", 1)).catch(() => {});
    expect((await world.operator("POST", "/websites/brand/move/abort")).status).toBe(200);
    for (let piece = 0; piece < 60; piece++) await workOnPiece(world, "brand");
    for (const run of cut.late) await run().catch(() => {});
    expect([...(await rowsOfWebsite("DB_2", "brand", home)).values()].flat()).toEqual([]);
    expect(await rowsOf("DB", "SELECT state FROM moving WHERE state > 0")).toEqual([]);
  });
});
