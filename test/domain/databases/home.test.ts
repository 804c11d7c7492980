import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstIdAt, homeOf, MOST_HOMES, newId, timeOf } from "../../../src/domain/databases/home.ts";
import { homeOfCode, LINK_CODE, newLinkCode } from "../../../src/domain/messages/link.ts";

const home = fc.integer({ min: 0, max: MOST_HOMES - 1 });
const time = fc.integer({ min: 0, max: Date.UTC(2500, 0) });
const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const code = (of: number) => newLinkCode(of, random, () => 7);

describe("an id", () => {
  it("is a UUID of version 7 that has the time and the home, and begins the ids of its events and notices", () => {
    fc.assert(
      fc.property(home, time, (of, now) => {
        const id = newId(of, now, crypto.randomUUID());
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(timeOf(id)).toBe(now);
        expect([id, `${id}_DELIVERED`, `${id}-c`].map(homeOf)).toEqual([of, of, of]);
      }),
    );
  });

  it("comes after the first of its time, and before that of any later time", () => {
    fc.assert(
      fc.property(home, time, fc.integer({ min: 1 }), (of, now, later) => {
        const id = newId(of, now, crypto.randomUUID());
        expect([id > firstIdAt(now), id > firstIdAt(now - later), id < firstIdAt(now + later)]).toEqual([
          true,
          true,
          true,
        ]);
        expect(id < firstIdAt(Number.MAX_SAFE_INTEGER)).toBe(true);
      }),
    );
  });

  it("sorts by its time", () => {
    const ids = [1, 2, 3].map((now) => newId(MOST_HOMES - now, Date.UTC(2026, 0) + now, crypto.randomUUID()));
    expect(ids.toSorted()).toEqual(ids);
  });

  it("is another each time, of one home within one millisecond", () => {
    const ids = Array.from({ length: 10_000 }, () => newId(1, 0, crypto.randomUUID()));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(["", "m1", crypto.randomUUID(), "0".repeat(36), "zzzzzzzz-zzzz-7zzz-zzzz-zzzzzzzzzzzz"])(
    "of before, or of nobody, is of home 0: %s",
    (id) => {
      expect(homeOf(id)).toBe(0);
    },
  );
});

describe("the code of a link", () => {
  it("has the home in front of its ten characters, and none for home 0", () => {
    expect(code(0)).toHaveLength(10);
    expect([1, 61, 62, 3843, 3844, MOST_HOMES - 1].map((of) => code(of).length)).toEqual([11, 11, 12, 12, 13, 14]);
    fc.assert(
      fc.property(home, (of) => {
        const made = code(of);
        expect([homeOfCode(made), LINK_CODE.test(made)]).toEqual([of, true]);
      }),
    );
  });
});
