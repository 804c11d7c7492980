import * as fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { World } from "../world.ts";
import { expectNothingLeft, goesOutOnce, OBJECT_LOST } from "./certain.ts";
import { expectCertainRefusals } from "./drawn-tries.ts";
import { CHANGES, expectSaid } from "./said.ts";
import { Stage } from "./stage.ts";

it("a call of the store is refused only if each of its tries was refused", async () => {
  expect.hasAssertions();
  await World.create();
  await expectCertainRefusals(60 * inject("faultSeeds"));
});

describe("whatever takes effect, is heard, is lost or is refused", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.create(2000);
  });

  it("a text that the client repeats as it is told goes out once, and none that was accepted is lost", async () => {
    // Each run is of an hour. Each push has other ones.
    const numRuns = 30 * inject("faultSeeds");
    await fc.assert(goesOutOnce(stage), { numRuns, endOnFailure: true, examples: OBJECT_LOST });
  });

  it.each(Object.entries(CHANGES))("%s is done if that is said, and may be repeated if not", async (_, change) => {
    expect.hasAssertions();
    await expectSaid(stage, change, 40 * inject("faultSeeds"));
  });

  it("a 503 leaves no message, or a cancellation that is queued, and a 500 names it: each fate of each route, beside each other", async () => {
    expect.hasAssertions();
    await expectNothingLeft(stage, ["heard", "unheard", "lost", "refused"]);
  });
});
