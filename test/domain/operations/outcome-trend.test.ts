/** Counts of outcomes by minute say what the outcomes themselves say: a success ends a problem at once, in whichever minute. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFailing, isUnauthorized, type MinuteOutcome } from "../../../src/domain/operations/outcome-trend.ts";

const MINUTE = 60_000;
/** The beginning of a minute, milliseconds since 1970. */
const BEGAN = 29_000_000 * MINUTE;

interface Outcome {
  at: number;
  outcome: string;
}

/** As the store keeps them. */
function count(outcomes: Outcome[]): MinuteOutcome[] {
  const rows = Map.groupBy(outcomes, ({ at, outcome }) => `${Math.floor(at / MINUTE)} ${outcome}`);
  return [...rows.values()].map((some) => {
    const times = some.map(({ at }) => at);
    const [firstAt, lastAt] = [Math.min(...times), Math.max(...times)];
    return {
      ...{ minute: Math.floor(firstAt / MINUTE), outcome: some[0]?.outcome ?? "", count: some.length },
      ...{ firstAt, lastAt },
    };
  });
}

const WORDS: Record<string, string> = { S: "accepted", F: "later", U: "unauthorized", R: "refused" };

/** Minutes of outcomes, a second apart: `S` accepted, `F` failed, `U` unauthorized, `R` refused. `|` begins the next minute. */
const read = (story: string): Outcome[] =>
  story.split("|").flatMap((minute, place) =>
    [...minute.replaceAll(" ", "")].map((letter, second) => ({
      at: BEGAN + place * MINUTE + second * 1000,
      outcome: WORDS[letter] ?? "",
    })),
  );

const minuteOf = (outcomes: Outcome[]) => Math.floor(Math.max(...outcomes.map(({ at }) => at)) / MINUTE);

describe("what fails", () => {
  it.each([
    ["nothing", "SSS", false],
    ["two of two", "FF", false],
    ["three of three", "FFF", true],
    ["three of three, and then one succeeds in the same minute", "FFFS", false],
    ["three of three, and then one succeeds in the next", "FFF | S", false],
    ["a few after many successes", "SSSSSSSS | SSFF", false],
    ["all for a minute after a success, until one succeeds in the same", "SS | FFFFFS", false],
    ["between two successes of one minute", "SFFFFS", false],
    ["all for minutes, until one succeeds", "FFFF | FFFF | FFFF | FS", false],
    ["again after the repair", "FFFFS | FFFFF", true],
    ["most, with single successes among them", "FFSFF | FSFFF | FFFSF | FFFS", true],
    ["most, until a minute in which most succeed", "FFSFF | FSFFF | FFFSF | SSSF", false],
    ["few, and the last of them", "SSSF | SSSF | SSSF | SSF", false],
    ["nothing has succeeded since three, at one a minute", "S | F | F | F", true],
    ["nothing has succeeded since three, of which the last is minutes old", "S | F | F | F ||||||", true],
    ["one has succeeded since", "S | F | F | FS ||||||", false],
  ])("%s: %s", (_, story, expected) => {
    const minutes = story.split("|").length - 1;
    expect(isFailing(count(read(story)), BEGAN / MINUTE + minutes)).toBe(expected);
  });

  const outcomes = fc
    .array(fc.record({ after: fc.integer({ min: 0, max: 40_000 }), outcome: fc.constantFrom("accepted", "later") }), {
      minLength: 1,
      maxLength: 40,
    })
    .map((steps) => {
      let at = BEGAN;
      return steps.map(({ after, outcome }) => {
        at += after + 1;
        return { at, outcome };
      });
    });

  /** Whether the outcomes themselves fail; undefined: they leave a doubt. */
  function oracle(all: Outcome[]): boolean | undefined {
    const nowMinute = minuteOf(all);
    const recent = all.filter(({ at }) => Math.floor(at / MINUTE) > nowMinute - 5);
    const letters = recent.map(({ outcome }) => (outcome === "accepted" ? "S" : "F")).join("");
    if (all.filter(({ outcome }) => outcome !== "accepted").length < 3) return false;
    if (/^S*F*S+$/.test(letters)) return false;
    const failed = letters.replaceAll("S", "").length;
    const lastMinute = recent.filter(({ at }) => Math.floor(at / MINUTE) === nowMinute);
    const hasEnded = lastMinute.some(({ outcome }) => outcome === "accepted");
    if (failed >= 3 && failed > letters.length / 2 && !hasEnded) return true;
    return undefined;
  }

  it("is what the outcomes themselves say, where they leave no doubt", () => {
    const decided = { true: 0, false: 0 };
    fc.assert(
      fc.property(outcomes, (all) => {
        const expected = oracle(all);
        if (expected === undefined) return;
        decided[`${expected}`] += 1;
        expect(isFailing(count(all), minuteOf(all))).toBe(expected);
      }),
      { numRuns: 3000, seed: 35 },
    );
    expect(Math.min(decided.true, decided.false)).toBeGreaterThan(200);
  });
});

describe("a carrier rejects our credentials", () => {
  it.each([
    ["U", true],
    ["US", false],
    ["UR", false],
    ["UF", true],
    ["USU", true],
    ["SU | S", false],
    ["U | U | F", true],
    ["", false],
  ])("%s: %s", (story, expected) => {
    expect(isUnauthorized(count(read(story)))).toBe(expected);
  });

  it("as long as the latest answer about them says so", () => {
    const letters = fc.array(fc.constantFrom("S", "R", "F", "U", "|"), { maxLength: 30 });
    fc.assert(
      fc.property(letters, (story) => {
        const told = story.filter((letter) => "SRU".includes(letter));
        expect(isUnauthorized(count(read(story.join(""))))).toBe(told.at(-1) === "U");
      }),
      { numRuns: 2000, seed: 35 },
    );
  });
});
