import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isOver, takeTexts } from "../../../src/domain/messages/daily-limit.ts";
import { MemoryStorage, memoryTexts } from "../../memory-texts.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const minuteOf = (time: number) => Math.floor(time / MINUTE);

/** Plain and slow: the time of every text that counts. */
class Model {
  times: number[] = [];

  near(now: number): number[] {
    return this.times.filter((at) => minuteOf(now) - minuteOf(at) <= 1440);
  }

  take(texts: number, limit: number, now: number): boolean {
    if (this.near(now).length + texts > limit) return false;
    this.times.push(...new Array<number>(texts).fill(now));
    return true;
  }

  giveBack(texts: number, takenAt: number): void {
    for (let left = texts; left > 0; left--) this.times.splice(this.times.indexOf(takenAt), 1);
  }

  /** The first second at which so many have room, tried one after another, minute by minute. */
  roomAt(texts: number, limit: number, now: number): number {
    let at = now + 1000;
    while (this.near(at).length + Math.min(texts, limit) > limit || (texts > limit && this.near(at).length > 0))
      at = (minuteOf(at) + 1) * MINUTE;
    return at;
  }
}

const step = fc.record({
  pause: fc.oneof(fc.nat(3 * MINUTE), fc.constantFrom(0, MINUTE - 1, MINUTE, DAY / 2, DAY - MINUTE, DAY, DAY + MINUTE)),
  texts: fc.integer({ min: 1, max: 6 }),
  /** How many of them are given back, and how much later. */
  back: fc.nat(6),
  backAfter: fc.constantFrom(0, 1000, MINUTE, DAY, 2 * DAY),
  restarts: fc.boolean(),
});

describe("the count of the texts of 24 hours", () => {
  it("answers as a list of the times of all texts does, whatever is given back, over restarts", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 12 }), (steps, limit) => {
        const storage = new MemoryStorage();
        const model = new Model();
        let count = memoryTexts(storage);
        let now = 1_763_000_000_000;
        for (const { pause, texts, back, backAfter, restarts } of steps) {
          now += pause;
          if (restarts) count = memoryTexts(storage);
          const takenAt = now;
          const answer = takeTexts(count, texts, limit, now);
          count.keep();
          expect(isOver(answer)).toBe(!model.take(texts, limit, now));
          expect(count.usedAt(now)).toBe(model.near(now).length);
          if (isOver(answer)) {
            const earliest = model.roomAt(texts, limit, now);
            const { retryAfterSeconds } = answer;
            expect(answer).toEqual({ limit, wanted: texts, retryAfterSeconds: Math.ceil((earliest - now) / 1000) });
            expect(retryAfterSeconds).toBeGreaterThan(0);
            continue;
          }
          now += backAfter;
          const given = Math.min(back, texts);
          if (given > 0) count.giveBack(answer.minute, given);
          count.keep();
          model.giveBack(given, takenAt);
          expect(count.usedAt(now)).toBe(model.near(now).length);
          expect(storage.values.size).toBeLessThanOrEqual(1442);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("does not lose texts to a clock that steps back", () => {
    const count = memoryTexts();
    takeTexts(count, 1, 2, 10 * DAY);
    expect(takeTexts(count, 1, 2, 9 * DAY)).toMatchObject({ minute: 14_400 });
    expect([count.usedAt(9 * DAY), isOver(takeTexts(count, 1, 2, 10 * DAY))]).toEqual([2, true]);
  });

  it("costs a row for each time that it is kept and changed, and none without a limit", () => {
    const storage = new MemoryStorage();
    const count = memoryTexts(storage);
    count.keep();
    expect([count.usedAt(0), storage.written]).toEqual([0, 0]);
    for (let text = 0; text < 500; text++) takeTexts(count, 1, 1000, DAY);
    count.keep();
    count.keep();
    expect(storage.written).toBe(1);
    takeTexts(count, 1, 1000, DAY + 1000);
    count.keep();
    expect([storage.written, storage.values.size]).toEqual([2, 1]);
    // The minute of the day before counts for a minute more.
    takeTexts(count, 1, 1000, 2 * DAY);
    count.keep();
    expect(storage.values.size).toBe(2);
    takeTexts(count, 1, 1000, 2 * DAY + MINUTE);
    count.keep();
    expect(storage.values.size).toBe(2);
  });
});
