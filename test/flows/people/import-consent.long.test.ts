import { it } from "vitest";
import { World } from "../../world.ts";
import { expectNamed } from "./import-consent-stage.ts";

it("whom anyone has unsubscribed is counted, and the first thousand named, also where the website has erased people", async () => {
  const world = await World.create();
  await world.website("brand");
  await expectNamed(world, 30_000);
});
