import { abortAllDurableObjects } from "cloudflare:test";
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

// An object that is idle for 10 seconds goes from memory as one that is aborted does; its rows stay on disk.
it.each([
  ["that run", () => {}],
  ["that have gone from memory", abortAllDurableObjects],
])("starts with empty stores, after stores %s", async (_, leave) => {
  const world = await World.create();
  const empty = await dump(world);
  await world.brand(["+12125550100,ada@example.com,true"]);
  await env.DB.prepare("CREATE TABLE of_another_test (a)").run();
  await leave();
  expect(await dump(await World.create())).toBe(empty);
});
