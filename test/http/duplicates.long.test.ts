import { beforeEach, describe, expect, it } from "vitest";
import { SEND } from "../world.ts";
import { begin, bulk, world } from "./duplicates-stage.ts";

beforeEach(begin);

/** Counts the rows that D1 reads for what `work` does. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const whole = world.deps;
  let count = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    const results = await whole.db.batch(statements);
    for (const { meta } of results) count += meta.rows_read;
    return results;
  };
  world.deps = { ...whole, db: { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database };
  await work();
  world.deps = whole;
  return count;
}

describe("what it costs", () => {
  it.each([[{}], [{ "idempotency-key": "k" }]])(
    "does not grow with the duplicates that are remembered (headers %o)",
    async (headers) => {
      const messages = (from: number) =>
        Array.from({ length: 500 }, (_, index) => ({ ...SEND, phone: `+1212555${1000 + index}`, text: `no ${from}` }));
      await world.subscribers(
        "brand",
        messages(0).map(({ phone }) => phone),
      );
      const first = await rowsRead(() => bulk(messages(0), headers));
      for (let round = 1; round < 5; round++) await bulk(messages(round));
      const later = await rowsRead(() =>
        bulk(messages(5), "idempotency-key" in headers ? { "idempotency-key": "k5" } : {}),
      );
      expect(later).toBeLessThan(first * 1.1);
      expect(first).toBeLessThan(500 * 25);
    },
  );
});
