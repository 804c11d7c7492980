/** The table counts beside what the messages themselves say, after some random work. */
import { beforeEach, it } from "vitest";
import { World } from "../../world.ts";
import { expectCounted } from "./counted-rows.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

it.each([5])("the counts are those of the rows, whatever comes twice, late or out of order (%i)", async (seed) => {
  await expectCounted(world, seed, 20);
});
