import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { objectsOn } from "./objects.ts";
import { dumpStores } from "./stores.ts";
import { World } from "./world.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const dump = async (world: World) => (await dumpStores(world)).replaceAll(/"applied_at":"[^"]+"/g, "");

it("starts with empty stores, after rows, keys and objects", async () => {
  const world = await World.create();
  const empty = await dump(world);
  await world.brand(["+12125550100,ada@example.com,true"]);
  const used = async () => {
    const object = objectsOn(() => world.deps).getByName("brand");
    return object.textsUsed();
  };
  await objectsOn(() => world.deps)
    .getByName("brand")
    .take(3, 10);
  expect(await used()).toBe(3);
  expect(await dump(await World.create())).toBe(empty);
  expect(await used()).toBe(0);
});

it.each([
  ["table", "CREATE TABLE of_another_test (a)"],
  ["view", "CREATE VIEW of_another_test AS SELECT website_id FROM websites"],
  [
    "trigger that refuses",
    "CREATE TRIGGER of_another_test BEFORE DELETE ON websites BEGIN SELECT RAISE(ABORT, 'no'); END",
  ],
  ["table less", "DROP TABLE counts"],
])("starts with empty stores and the schema, after a test that left a %s", async (_, change) => {
  const world = await World.create();
  const empty = [await dump(world), await schema(world)];
  await world.brand(["+12125550100,ada@example.com,true"]);
  await env.DB.prepare(change).run();
  const next = await World.create();
  expect([await dump(next), await schema(next)]).toEqual(empty);
});

const schema = (world: World) =>
  world.rows("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY type, name");
