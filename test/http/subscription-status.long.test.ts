import { describe, expect, it } from "vitest";
import { countingDatabase } from "../counting-database.ts";
import { ask, base64, prepare, world } from "./asking-statuses.ts";

prepare();

describe("a large request", () => {
  const phoneOf = (index: number) => `+1212${5_000_000 + index}`;

  it("of 50,000 rows is answered with one query", async () => {
    // The first request stores that the client was used.
    await ask({ phone_numbers: ["+12125550100"] });
    const csv = `phone_numbers\n${Array.from({ length: 50_000 }, (_, index) => phoneOf(index)).join("\n")}`;
    const csv_file = base64(csv);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const answer = await ask({ csv_file });
    expect(take().calls).toBe(1);
    expect(answer.phoneNumberStatuses).toHaveLength(50_000);
    expect(answer.phoneNumberStatuses.filter(({ subscriptionStatus }) => subscriptionStatus)).toEqual(
      answer.phoneNumberStatuses.filter(({ phoneNumber }) => /\+1212555010[01]/.test(phoneNumber)),
    );
  });
});
