/** What a move takes along, in short: moves.long.test.ts has every table, and more rows than a page. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MOVED_NAMES, STAYING_TABLES } from "../../../src/store/databases/moved-tables.ts";
import { boundDatabase, useDatabases } from "../../databases.ts";
import { failingDatabase } from "../../failing-database.ts";
import { stateOf, workOnPiece } from "../../moves.ts";
import { strictDatabase } from "../../strict/database.ts";
import { ADA, begin, brand, finish, pauseIn, world } from "./paused-world.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

const shown = async () => (await (await world.operator("GET", "/websites/brand/move")).json()) as object;

it("each table moves, or stays for a reason", async () => {
  const tables = await world.rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'd1%'",
  );
  expect([...MOVED_NAMES, ...Object.keys(STAYING_TABLES)].sort()).toEqual(tables.map(({ name }) => name).sort());
});

describe("a move", () => {
  it("goes on after a write whose answer was lost", async () => {
    await pauseIn("copying");
    useDatabases(world, (name) => failingDatabase(strictDatabase(boundDatabase(name)), 1, "after"));
    await finish();
    expect(await shown()).toMatchObject({ state: "done", problem: null });
    await world.send(brand, { phone: ADA });
  });

  it("is given up when its target does not answer for ten minutes: the website is open where it was", async () => {
    await pauseIn("copying");
    const { others } = world.deps;
    useDatabases(world, (name) =>
      failingDatabase(boundDatabase(name), Number.POSITIVE_INFINITY, "before", undefined, "batches"),
    );
    await workOnPiece(world, "brand");
    expect(await shown()).toMatchObject({ state: "copying", problem: expect.stringContaining("connection lost") });
    world.advance(601);
    await workOnPiece(world, "brand");
    expect(await shown()).toMatchObject({ state: "failed" });
    world.deps = { ...world.deps, others };
    world.advance(60);
    await finish();
    expect(await stateOf(world, "brand")).toBe("failed");
    await world.send(brand, { phone: ADA });
  });
});
