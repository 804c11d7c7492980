/** What a move takes along: every row of a website, and nothing of another. */
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { MOVED_NAMES, type TableName } from "../../../src/store/databases/moved-tables.ts";
import { takeCallbacks } from "../../callback-endpoint.ts";
import { bindDatabases, boundDatabase, rowsOf } from "../../databases.ts";
import { beginMove, clearMove, fillTables, finishMove, rowsOfWebsite, stateOf, workOnPiece } from "../../moves.ts";
import { Random } from "../../random.ts";
import { platform } from "../../strict/platform.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BEA = "+12125550101";

let world: World;
let brand: TestClient;
let near: TestClient;

const homeOf = async (websiteId: string) =>
  (await world.rows("SELECT home FROM homes WHERE website_id = ?1", websiteId))[0]?.home as number;

async function makeWebsite(websiteId: string, database: string): Promise<TestClient> {
  await world.operator("PUT", `/websites/${websiteId}`, { name: websiteId, carrier: "sandbox", database });
  await world.subscribers(websiteId, [`${ADA},ada@example.com`, `${BEA},bea@example.com`]);
  return world.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/` });
}

const shown = async (websiteId = "brand") =>
  (await (await world.operator("GET", `/websites/${websiteId}/move`)).json()) as Record<string, unknown>;

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  takeCallbacks();
  await world.sweep();
  brand = await makeWebsite("brand", "DB");
  near = await makeWebsite("near", "DB");
  platform.keyWrites.clear();
});

afterEach(() => {
  vi.restoreAllMocks();
});

type Rows = Map<TableName, Record<string, unknown>[]>;

/** What a move sets anew. */
const withoutPlace = ({ database, changed_at, copied_at, ...row }: Record<string, unknown>) => row;

const COUNTED: Partial<Record<TableName, string[]>> = {
  subscriptions: ["change_id"],
  subscription_changes: ["change_id", "before_id"],
  imports: ["after_id", "last_id", "undone_to"],
  events: ["seq"],
};

/** Each number of a database by its place among those of the website: an oracle of what stays of it. */
function ranked(rows: Rows): Map<TableName, Record<string, unknown>[]> {
  const numbers = (columns: [TableName, string][]) =>
    [...new Set(columns.flatMap(([name, column]) => (rows.get(name) ?? []).map((row) => row[column])))]
      .filter((value) => value !== null)
      .sort((a, b) => Number(a) - Number(b));
  const changes = numbers(
    Object.entries(COUNTED).flatMap(([name, columns]) =>
      name === "events" ? [] : columns.map((column): [TableName, string] => [name as TableName, column]),
    ),
  );
  const events = numbers([["events", "seq"]]);
  const first = (name: TableName) => Number((name === "events" ? events : changes)[0] ?? 0);
  return new Map(
    MOVED_NAMES.filter((name) => name !== "moved_feeds").map((name) => [
      name,
      (rows.get(name) ?? []).map((row) => {
        const shifted = (COUNTED[name] ?? []).map((column) => [
          column,
          row[column] === null ? null : Number(row[column]) - first(name),
        ]);
        return {
          ...(name === "websites" || name === "clients" || name === "messages" ? withoutPlace(row) : row),
          ...Object.fromEntries(shifted),
        };
      }),
    ]),
  );
}

describe("a move", () => {
  it.each(Array.from({ length: inject("faultSeeds") }, (_, seed) => seed + 1))(
    "takes the rows of every table along, there and back, whatever they have, and touches no others: seed %i",
    async (seed) => {
      const random = new Random(seed);
      const far = await makeWebsite("far", "DB_2");
      const homes = new Map<string, number>();
      for (const [websiteId, { clientId }] of Object.entries({ brand, near, far })) {
        const home = await homeOf(websiteId);
        homes.set(websiteId, home);
        const count = 1 + Math.floor(random.next() * 5);
        await fillTables(websiteId === "far" ? "DB_2" : "DB", { websiteId, home, clientId }, world.now, count, random);
      }
      const rows = (database: string, websiteId: string) =>
        rowsOfWebsite(database, websiteId, homes.get(websiteId) as number);
      const others = async () => [ranked(await rows("DB", "near")), ranked(await rows("DB_2", "far"))];
      const before = ranked(await rows("DB", "brand"));
      const besides = await others();
      for (const name of MOVED_NAMES.filter((it) => it !== "moved_feeds"))
        expect(before.get(name)?.length, name).toBeGreaterThan(0);

      await beginMove(world, "brand", "DB_2");
      await finishMove(world, "brand");
      expect(await shown()).toMatchObject({ state: "done", from: "DB", to: "DB_2", problem: null });
      expect(ranked(await rows("DB_2", "brand"))).toEqual(before);
      expect(await others()).toEqual(besides);

      await beginMove(world, "brand", "DB");
      await finishMove(world, "brand");
      expect(ranked(await rows("DB", "brand"))).toEqual(before);
      expect(await others()).toEqual(besides);

      await clearMove(world, "brand");
      expect([...(await rows("DB_2", "brand")).values()].flat()).toEqual([]);
      expect(ranked(await rows("DB", "brand")).get("messages")?.length).toBe(before.get("messages")?.length);
      expect((await world.operator("GET", "/websites/brand/move")).status).toBe(404);
    },
    60_000,
  );

  it("of a website with more rows than a page takes them all, and shows how far it is", async () => {
    const count = 1300;
    await world.subscribers(
      "brand",
      Array.from({ length: count }, (_, index) => `+1212556${String(index).padStart(4, "0")}`),
    );
    await beginMove(world, "brand", "DB_2");
    expect(await shown()).toMatchObject({ state: "paused", copiedRows: 0, comparedRows: 0, totalRows: null });
    await finishMove(world, "brand", (state) => state === "copying");
    const seen: number[] = [];
    while ((await stateOf(world, "brand")) === "copying") {
      seen.push(Number((await shown()).copiedRows));
      await workOnPiece(world, "brand");
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
    expect(new Set(seen).size).toBeGreaterThan(5);
    const { totalRows, copiedRows } = await shown();
    expect(copiedRows).toBe(totalRows);
    await finishMove(world, "brand");
    expect(await shown()).toMatchObject({ state: "done", comparedRows: totalRows });
    const people = "SELECT count(*) AS count FROM subscriptions WHERE website_id = 'brand'";
    expect(await rowsOf("DB_2", people)).toEqual([{ count: count + 2 }]);
  });

  it("keeps messages no longer than without it, though younger ones stand before them in the target", async () => {
    const DAY = 86_400;
    const old = await world.send(brand, { phone: ADA });
    await world.runQueues();
    world.advance(25 * DAY);
    const far = await makeWebsite("far", "DB_2");
    const young = await world.send(far, { phone: ADA });
    await world.runQueues();
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand");
    const ids = async () =>
      (await rowsOf("DB_2", "SELECT message_id FROM messages ORDER BY rowid")).map((row) => row.message_id);
    expect(await ids()).toEqual([young, old]);
    world.advance(6 * DAY);
    await world.sweep();
    expect(await ids()).toEqual([young]);
  });
});

describe("a write that comes late", () => {
  const ofBrand = async (database: string, sql: string) =>
    rowsOf(
      database,
      `SELECT ${sql} FROM subscriptions WHERE website_id = 'brand' AND phone >= 12125550100 ORDER BY phone`,
    );

  it.each([
    [
      "changes a row",
      "UPDATE subscriptions SET email = 'new@example.com' WHERE website_id = 'brand' AND phone = 12125550100",
    ],
    [
      "adds a row to the ledger",
      "INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof) VALUES ('brand', 12125550100, 1, 0, 1, 'api', 'late')",
    ],
    ["deletes a row", "DELETE FROM subscriptions WHERE website_id = 'brand' AND phone = 12125550101"],
  ])("is found, and moves with the website: it %s", async (_, sql) => {
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand", (state) => state === "comparing");
    await boundDatabase("DB").prepare(sql).run();
    await finishMove(world, "brand");
    expect(await shown()).toMatchObject({ state: "done", problem: null });
    expect(await ofBrand("DB_2", "phone, subscribed, email")).toEqual(await ofBrand("DB", "phone, subscribed, email"));
    const ledger =
      "SELECT phone, subscribed, source, proof FROM subscription_changes WHERE website_id = 'brand' ORDER BY change_id";
    expect(await rowsOf("DB_2", ledger)).toEqual(await rowsOf("DB", ledger));
  });

  it("fails the move where rows differ again and again, and the website stays where it is", async () => {
    const messageId = await world.send(brand, { phone: ADA });
    await beginMove(world, "brand", "DB_2");
    const spoil = "UPDATE subscriptions SET subscribed = 1 - subscribed WHERE website_id = 'brand'";
    for (let copy = 0; copy < 3; copy++) {
      await finishMove(world, "brand", (state) => state === "comparing");
      await boundDatabase("DB_2").prepare(spoil).run();
      await finishMove(world, "brand", (state) => state !== "comparing");
    }
    await finishMove(world, "brand");
    expect(await shown()).toMatchObject({
      state: "failed",
      problem: "rows that differ in the target: subscriptions: 2",
    });
    const again = await world.send(brand, { phone: BEA });
    await world.runQueues();
    for (const id of [messageId, again]) expect(await world.statusOf(id)).toBe("DELIVERED");
    expect(await world.operator("GET", "/health").then((it) => it.json())).toMatchObject({
      problems: expect.arrayContaining(["move-stuck"]),
    });
    // Pressed again, it begins anew.
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand");
    expect(await shown()).toMatchObject({ state: "done", problem: null });
    expect(await rowsOf("DB_2", "SELECT message_id FROM messages ORDER BY accepted_at")).toHaveLength(2);
  });
});
