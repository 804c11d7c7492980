import { beforeEach, describe, expect, it } from "vitest";
import { ADA, begin, look, world } from "./overview-stage.ts";

beforeEach(begin);

describe("texts", () => {
  it("are not counted over all where more websites have a hold than are shown", async () => {
    for (let website = 0; website < 7; website++) {
      const client = await world.brand([ADA], `w${website}`);
      await world.send(client, { phone: ADA });
      if (website < 6) await world.operator("POST", `/websites/w${website}/hold`, {});
    }
    world.advance(120);
    const { websites, needs } = await look();
    expect(websites.map(({ overdue }) => overdue)).toEqual([0, 0, 0, 0, 0]);
    expect(needs).toMatchObject({ overdue: null, held: null });
  });
});
