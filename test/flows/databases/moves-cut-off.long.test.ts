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
  brand = await world.begin("two websites", async () => {
    for (const websiteId of ["brand", "near"]) {
      await world.operator("PUT", `/websites/${websiteId}`, { name: websiteId, carrier: "sandbox", database: "DB" });
      await world.subscribers(websiteId, [`${ADA},ada@example.com`, BEA]);
    }
    return world.client("brand", { callbackUrl: "https://brand.example.com/" });
  });
  await bindDatabases(world, 2);
  posts = takeCallbacks();
  await world.sweep();
  home = (await world.rows("SELECT home FROM homes WHERE website_id = 'brand'"))[0]?.home as number;
  await fillTables("DB", { websiteId: "brand", home, clientId: "another" }, world.now, 2);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A write that is cut off: after it has run, or long after its caller was told that it failed. */
type Fate = "after" | "late";

/** The nth write of a name, from 1 on. */
interface Place {
  name: string;
  nth: number;
}

const killed = () => new Error("D1_ERROR: syntax error: killed");

/** What is asked of a database: `copying: DB_2 INSERT OR REPLACE`. Undefined for what only reads. */
function nameOf(state: string, database: string, statements: D1PreparedStatement[]): string | undefined {
  const { statement, params } = statements[0] as unknown as { statement: string; params: unknown[] };
  // A page of rows is one in any table.
  const [write] = /^(?:INSERT OR REPLACE|(?:INSERT(?: OR IGNORE)? INTO|UPDATE|DELETE FROM) \w+)/.exec(statement) ?? [];
  if (write === undefined) return undefined;
  return `${state}: ${database} ${write === "UPDATE moves" ? `${write} to ${params[0]}` : write}`;
}

/** The databases of an isolate that is cut off at one of its writes; nothing in it runs after that. */
class CutOff {
  readonly writes: string[] = [];
  /** The state of the move when its piece begins. */
  state = "";
  isOver = false;
  readonly late: (() => Promise<unknown>)[] = [];
  readonly #at: Place | undefined;
  readonly #fate: Fate;

  constructor(at?: Place, fate: Fate = "after") {
    this.#at = at;
    this.#fate = fate;
  }

  countOf(name: string): number {
    return this.writes.filter((write) => write === name).length;
  }

  wrap(database: string): D1Database {
    const db = strictDatabase(boundDatabase(database));
    const call = async <T>(statements: D1PreparedStatement[], run: () => Promise<T>): Promise<T> => {
      if (this.isOver) throw killed();
      const name = nameOf(this.state, database, statements);
      if (name !== undefined) this.writes.push(name);
      if (name === undefined || name !== this.#at?.name || this.countOf(name) < this.#at.nth) return run();
      this.isOver = true;
      if (this.#fate === "after") await run();
      else this.late.push(run);
      throw killed();
    };
    const batch = (some: D1PreparedStatement[]) => call(some, () => db.batch(some));
    const prepared = (original: D1PreparedStatement): D1PreparedStatement =>
      Object.assign(original, {
        bind: (
          (bind) =>
          (...values: unknown[]) =>
            prepared(bind(...values))
        )(original.bind),
        all: (
          (all) => () =>
            call([original], all)
        )(original.all),
      });
    return { prepare: (sql: string) => prepared(db.prepare(sql)), batch } as unknown as D1Database;
  }
}

/** Another isolate, which is cut off at that write. */
async function cutOffIsolate(at?: Place, fate?: Fate): Promise<{ isolate: World; cut: CutOff }> {
  const isolate = await World.another(world);
  const cut = new CutOff(at, fate);
  isolate.deps = { ...isolate.deps, db: cut.wrap("DB") };
  useDatabases(isolate, (name) => cut.wrap(name), ["DB_2"]);
  return { isolate, cut };
}

/** Works on the move until the isolate is cut off, or the move is over. */
async function workUntilCut(isolate: World, cut: CutOff): Promise<void> {
  for (let piece = 0; piece < 300 && !cut.isOver; piece++) {
    const [move] = await world.rows("SELECT state, ended_at FROM moves");
    if (move?.ended_at !== null) return;
    cut.state = String(move.state);
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

/**
 * The writes of a move, in the order in which they first come, and how often each comes. A cut before a write, or at what only reads,
 * leaves what a cut after the write before it leaves.
 */
const WRITES: [name: string, times: number][] = [
  ["paused: DB INSERT INTO client_homes", 1],
  ["paused: DB INSERT INTO moving", 1],
  ["paused: DB_2 INSERT INTO moving", 1],
  ["paused: DB UPDATE moves to paused", 28],
  ["paused: DB_2 UPDATE moving", 2],
  ["paused: DB_2 INSERT OR IGNORE INTO subscription_changes", 1],
  ["paused: DB UPDATE moves to copying", 1],
  ["copying: DB_2 INSERT OR REPLACE", 18],
  ["copying: DB UPDATE moves to copying", 20],
  ["copying: DB UPDATE moves to comparing", 1],
  ["comparing: DB UPDATE moves to comparing", 21],
  ["comparing: DB INSERT INTO client_homes", 1],
  ["comparing: DB_2 INSERT INTO moved_feeds", 1],
  ["comparing: DB UPDATE homes", 1],
  ["switched: DB_2 INSERT INTO moving", 1],
  ["switched: DB INSERT INTO moving", 1],
  ["switched: DB_2 UPDATE clients", 1],
  ["switched: DB UPDATE moves to done", 1],
];

const isLong = inject("faultSeeds") > 1;

/** The first and the last write of each name; in the long form, all. */
const PLACES = WRITES.flatMap(([name, times]) =>
  Array.from({ length: times }, (_, index) => ({ name, nth: index + 1 })).filter(
    ({ nth }) => nth === 1 || nth === times || isLong,
  ),
);

describe("a move that is cut off at one of its writes", () => {
  it("makes these", async () => {
    await beginMove(world, "brand", "DB_2");
    const { isolate, cut } = await cutOffIsolate();
    await workUntilCut(isolate, cut);
    expect(await stateOf(world, "brand")).toBe("done");
    expect([...new Set(cut.writes)].map((name) => [name, cut.countOf(name)])).toEqual(WRITES);
  });

  /** Each place has each fate, and each end of the move; in the short form, the places take turns with the four. */
  const ENDS = [
    ["is aborted", "after"],
    ["goes on", "late"],
    ["goes on", "after"],
    ["is aborted", "late"],
  ] as const;
  const cases = PLACES.flatMap(({ name, nth }, index) => {
    const ends = isLong ? ENDS : ENDS.slice(index % ENDS.length).slice(0, 1);
    return ends.map(([end, fate]) => [end, fate, name, nth, end === "is aborted"] as const);
  });

  it.each(cases)("%s, and is whole in one place: %s %s, no. %i", async (_, fate, name, nth, isAborted) => {
    const pending = [await world.send(brand, { phone: ADA })];
    const before = sizesOf((await whole()).rows);
    await beginMove(world, "brand", "DB_2");
    const { isolate, cut } = await cutOffIsolate({ name, nth }, fate);
    await workUntilCut(isolate, cut);
    expect(cut.isOver).toBe(true);
    const found = await whole();
    expect(sizesOf(found.rows)).toEqual(before);
    // What runs late runs once the others are further.
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
  it.each(Array.from({ length: isLong ? 3 * inject("faultSeeds") : 1 }, (_, seed) => seed + 1))(
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
    const { isolate, cut } = await cutOffIsolate({ name: "copying: DB_2 INSERT OR REPLACE", nth: 2 }, "late");
    cut.state = "copying";
    for (let piece = 0; piece < 5; piece++)
      await isolate.invoke("queue", () => workOnMove(isolate.deps, "brand", 1)).catch(() => {});
    expect((await world.operator("POST", "/websites/brand/move/abort")).status).toBe(200);
    for (let piece = 0; piece < 60; piece++) await workOnPiece(world, "brand");
    for (const run of cut.late) await run().catch(() => {});
    expect([...(await rowsOfWebsite("DB_2", "brand", home)).values()].flat()).toEqual([]);
    expect(await rowsOf("DB", "SELECT state FROM moving WHERE state > 0")).toEqual([]);
  });
});
