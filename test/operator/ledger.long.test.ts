import { beforeEach, describe, expect, it } from "vitest";
import { add, begin, file, world } from "./ledger-stage.ts";

beforeEach(begin);

describe("the file of a ledger", () => {
  it("has all of them, of the time that is asked for, and ends with what there was", async () => {
    await add(11_000, "1000 + i / 4000");
    await add(10, `${world.now + 1}`);
    const lines = await file();
    expect(lines).toHaveLength(11_002);
    expect(new Set(lines).size).toBe(11_002);
    expect(await file(`&from=${new Date(1001).toISOString()}&to=${new Date(1002).toISOString()}`)).toHaveLength(4002);
  });
});
