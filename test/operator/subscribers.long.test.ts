import { beforeEach, describe, expect, it } from "vitest";
import { counts, json, prepare, world } from "./importing.ts";

prepare();

describe("an import of subscribers", () => {
  beforeEach(async () => {
    await world.website();
  });

  it("takes 50,000 rows", async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `+1212${5_000_000 + index},p${index}@example.com,`);
    expect((await json(world.subscribers("brand", lines))).body).toMatchObject(counts({ newSubscribed: 50_000 }));
    expect(await world.rows("SELECT count(*) AS n FROM subscriptions")).toEqual([{ n: 50_000 }]);
  });
});
