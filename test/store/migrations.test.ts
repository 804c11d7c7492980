import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { emptyStores } from "../stores.ts";

beforeEach(emptyStores);

const definitions = async () =>
  (await env.DB.prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name").all())
    .results;

it("makes the schema of an empty database, and changes nothing where it is applied again", async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  const schema = await definitions();
  expect(schema.map(({ name }) => name)).toContain("messages");
  const insert = "INSERT INTO homes (website_id, database) VALUES ('brand', 'DB')";
  await env.DB.prepare(insert).run();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  expect(await definitions()).toEqual(schema);
  expect((await env.DB.prepare("SELECT website_id FROM homes").all()).results).toEqual([{ website_id: "brand" }]);
});
