import { env } from "cloudflare:test";
import { expect, it } from "vitest";
import { fillDemo } from "../scripts/workers/demo/fill.ts";
import { countingDatabase } from "./counting-database.ts";
import { OPERATOR_TOKEN, World } from "./world.ts";

it("the demo leaves a service that has websites as it is", async () => {
  const world = await World.create();
  await world.website("mine");
  const counted = countingDatabase(env.DB);
  const own = { ...env, DB: counted.db, OPERATOR_TOKEN };
  expect(await fillDemo(own, "https://demo.example", OPERATOR_TOKEN)).toBe(false);
  expect(counted.take().rowsWritten).toBe(0);
});
