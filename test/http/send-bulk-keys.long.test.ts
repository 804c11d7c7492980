import { describe, expect, it } from "vitest";
import { ADA, accept, countStored, idsOf, keyed, many, message, prepare, world } from "./bulk.ts";

prepare();

const DAY = 24 * 3600;

describe("an Idempotency-Key that is used again after its 24 hours", () => {
  it("loses nothing of one request a day for a month", async () => {
    const ids = new Set<string>();
    for (let day = 0; day < 31; day++) {
      const answer = await accept(
        many(2, (index) => ({ text: `day ${day}, no ${index}` })),
        keyed("daily"),
      );
      for (const id of idsOf(answer)) ids.add(id);
      const stored = await world.rows("SELECT count(*) AS n FROM messages WHERE text LIKE ?1", `day ${day}, %`);
      expect(stored).toEqual([{ n: 2 }]);
      world.advance(DAY);
      await world.sweep();
    }
    expect(ids.size).toBe(62);
  });
});

describe("more than 50,000 messages", () => {
  it("are stored up to the 50,000th; each one more is told, and a repetition answers the same", async () => {
    // Small, and most of them wrong in themselves: what counts is how many there are.
    const items = Array.from({ length: 50_003 }, (_, index) =>
      index % 5000 === 2 ? message() : { phone: `${index}` },
    );
    const answer = await accept(items, keyed("k"));
    expect(answer.successSent).toHaveLength(10);
    expect(answer.failedSent).toHaveLength(50_003 - 10);
    expect(answer.failedSent.slice(-3)).toEqual([
      {
        index: 50_000,
        phone: "50000",
        email: null,
        errorMessage: expect.stringMatching(/50,000 messages.*not stored/),
      },
      {
        index: 50_001,
        phone: "50001",
        email: null,
        errorMessage: expect.stringMatching(/50,000 messages.*not stored/),
      },
      { index: 50_002, phone: ADA, email: null, errorMessage: expect.stringMatching(/50,000 messages.*not stored/) },
    ]);
    expect(await accept(items, keyed("k"))).toEqual(answer);
    expect(await countStored()).toBe(10);
  });

  it("by far are told together from some point on", async () => {
    const answer = await accept(Array.from({ length: 150_000 }, () => 0));
    expect(answer.failedSent).toHaveLength(100_001);
    expect(answer.failedSent.at(-1)).toMatchObject({
      index: 100_000,
      errorMessage: expect.stringMatching(/this message and all after it/),
    });
  });
});
