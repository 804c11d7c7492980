import { afterEach, describe, expect, it, vi } from "vitest";
import { bound, end } from "./rate-limiter-stage.ts";

afterEach(end);

describe("the object of a website", () => {
  it("admits 300 at once and refuses the next, for its own website alone", async () => {
    // However long 300 calls take.
    vi.useFakeTimers({ toFake: ["Date"] });
    const limiter = bound.getByName(crypto.randomUUID());
    const admissions = await Promise.all(Array.from({ length: 300 }, () => limiter.admit()));
    expect(admissions.every(({ admitted }) => admitted)).toBe(true);
    expect(Math.max(...admissions.map(({ remaining = 0 }) => remaining))).toBe(299);
    expect(await limiter.admit()).toMatchObject({ admitted: false, remaining: 0 });
    expect(await bound.getByName(crypto.randomUUID()).admit()).toMatchObject({ admitted: true, remaining: 299 });
  });
});
