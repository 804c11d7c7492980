import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { inDatabase } from "../../src/flows/places.ts";
import { LEASE } from "../../src/platform/store/guarded-database.ts";
import { countingDatabase } from "../counting-database.ts";
import { bindDatabases, boundDatabase, rowsOf, useDatabases } from "../databases.ts";
import { beginMove, finishMove, stepOf } from "../moves.ts";
import { strictDatabase } from "../strict/database.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";

let world: World;
let brand: TestClient;
let near: TestClient;
/** The statements of each call, of either database. */
let calls: string[][];

/** The databases as another isolate has them, which knows nothing yet. */
function openDatabases(): void {
  const watch = (name: string) =>
    countingDatabase(strictDatabase(boundDatabase(name)), (texts) => calls.push(texts)).db;
  world.deps = { ...world.deps, db: watch("DB"), places: new Map() };
  useDatabases(world, watch, ["DB_2"]);
}

const homeOfBrand = async () =>
  Number((await world.rows("SELECT home FROM homes WHERE website_id = 'brand'"))[0]?.home);
const guards = () => calls.filter((statements) => statements[0]?.includes("AS fault FROM moving v")).length;
const pass = (milliseconds: number) => vi.spyOn(Date, "now").mockReturnValue(Date.now() + milliseconds);

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  for (const websiteId of ["brand", "near"]) {
    await world.operator("PUT", `/websites/${websiteId}`, { name: websiteId, carrier: "sandbox", database: "DB" });
    await world.subscribers(websiteId, [ADA]);
  }
  brand = await world.client("brand");
  near = await world.client("near");
  // Their first requests store that they were used.
  for (const client of [brand, near]) await lookUp(client);
  calls = [];
  openDatabases();
  LEASE.milliseconds = 1000;
  vi.spyOn(Date, "now").mockReturnValue(Date.now());
});

afterEach(() => {
  vi.restoreAllMocks();
});

const lookUp = (client: TestClient) => world.post("/text/subscription/status", client, { phone_numbers: [ADA] });

describe("a database with several websites", () => {
  it("is asked once a second whether one is on the move", async () => {
    for (let count = 0; count < 3; count++) for (const client of [brand, near]) await lookUp(client);
    expect([guards(), calls.length]).toEqual([1, 6]);
    pass(999);
    await lookUp(brand);
    expect(guards()).toBe(1);
    pass(1);
    await lookUp(near);
    expect(guards()).toBe(2);
  });

  it("is asked each time for a website that is, and not for the others", async () => {
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand", (step) => step === "check");
    pass(1000);
    calls.length = 0;
    for (let count = 0; count < 3; count++) await lookUp(brand);
    expect([guards(), calls.length]).toEqual([3, 3]);
    for (let count = 0; count < 3; count++) await lookUp(near);
    expect([guards(), calls.length]).toEqual([3, 6]);
  });
});

describe("a website that moves", () => {
  it("is on the move for longer than an isolate goes without asking", async () => {
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand", (step) => step === "switch");
    const pauses = vi.mocked(scheduler.wait);
    pauses.mockClear();
    let longest = 0;
    const before = pauses.getMockImplementation();
    pauses.mockImplementation(async (milliseconds) => {
      if ((await stepOf(world, "brand")) === "switch") longest = Math.max(longest, milliseconds);
    });
    const [job] = world.jobs.splice(0).filter(({ body }) => body.kind === "move");
    await world.deliver("textgate-messages", [job?.body]);
    if (before) pauses.mockImplementation(before);
    expect(longest).toBeGreaterThanOrEqual(3 * LEASE.milliseconds);
  });

  it("is written nowhere else by an isolate that has not asked since", async () => {
    const own = inDatabase(world.deps, "DB", [await homeOfBrand()]).db;
    await own.prepare("SELECT 1").all();
    LEASE.milliseconds = 0;
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand");
    expect(await stepOf(world, "brand")).toBe("kept");
    calls.length = 0;
    // Its clock stands.
    const sql = `UPDATE subscriptions SET email = 'ada@example.com' WHERE website_id = 'brand' AND phone = 12125550100 RETURNING phone`;
    expect((await own.prepare(sql).all()).results).toHaveLength(1);
    expect(calls[0]).toEqual([sql]);
    expect(await rowsOf("DB", "SELECT email FROM subscriptions WHERE website_id = 'brand'")).toEqual([{ email: null }]);
    expect(await rowsOf("DB_2", "SELECT email FROM subscriptions WHERE website_id = 'brand'")).toEqual([
      { email: "ada@example.com" },
    ]);
  });
});
