import { describe, expect, it } from "vitest";
import type { WebsiteNow } from "../../../console/answers.ts";
import { arrivedWords, HEADS, notSentWords, readingOf } from "../../../console/lib/outcomes.ts";
import { outcomeTiles } from "../../../console/parts/outcome-tiles.tsx";
import { Random } from "../../random.ts";
import { TRAFFIC } from "./fixture-state.ts";

type Figures = WebsiteNow["month"];

const PENDING = ["scheduled", "waiting"] as const;
const NOT_SENT = ["notSubscribed", "endedBefore", "notTaken"] as const;
const SENT = ["noReceipt", "delivered", "undelivered"] as const;

const add = (counts: Figures, names: readonly (keyof Figures)[]) =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);

/** As the documentation adds them up. */
function figuresOf(classes: Partial<Figures>): Figures {
  const counts = { ...TRAFFIC, ...classes };
  return { ...counts, sent: add(counts, SENT), accepted: add(counts, [...PENDING, ...NOT_SENT, ...SENT]) };
}

function someFigures(random: Random): Figures {
  const count = () => (random.chance(0.4) ? 0 : random.between(1, 100_000));
  return figuresOf(Object.fromEntries([...PENDING, ...NOT_SENT, ...SENT].map((name) => [name, count()])));
}

const CASES = Array.from({ length: 200 }, (_, seed) => someFigures(new Random(seed)));
const toNumber = (written: string) => Number(written.replaceAll(",", ""));

describe("what became of accepted texts", () => {
  it("is shown in tiles that add up to them", () => {
    for (const counts of CASES) {
      const [accepted, ...parts] = outcomeTiles(counts, "").map(
        ({ label, value }) => [label, toNumber(value)] as const,
      );
      expect(accepted).toEqual(["Accepted", counts.accepted]);
      expect(parts.reduce((sum, [, count]) => sum + count, 0)).toBe(counts.accepted);
      expect(Object.fromEntries(parts)).toEqual({
        ...{ Delivered: counts.delivered, Undelivered: counts.undelivered, "No receipt": counts.noReceipt },
        Waiting: add(counts, PENDING),
        ...(add(counts, NOT_SENT) > 0 && { "Not sent": add(counts, NOT_SENT) }),
      });
    }
  });

  it("is the same in the box and the table beside a chart", () => {
    for (const counts of CASES) {
      const [[, accepted] = [], ...parts] = readingOf(counts);
      expect(parts.reduce((sum, [, count]) => sum + count, 0)).toBe(accepted);
    }
    expect(HEADS).toEqual(["Accepted", "Delivered", "Undelivered", "No receipt", "Waiting", "Not sent"]);
  });

  it.each([
    [
      { delivered: 3, notTaken: 4, notSubscribed: 1, endedBefore: 1 },
      "100 % of 3 texts with a receipt arrived; 6 not sent",
    ],
    [{ delivered: 80, undelivered: 5, noReceipt: 5 }, "94.1 % of 85 texts with a receipt arrived"],
    [{ undelivered: 1, waiting: 9 }, "0 % of 1 text with a receipt arrived"],
    [{ notTaken: 1200 }, "No receipt has come; 1,200 not sent"],
    [{ noReceipt: 2 }, "No receipt has come"],
  ])("is said with what the rate leaves out: %j", (classes, words) => {
    expect(arrivedWords(figuresOf(classes))).toBe(words);
  });

  it("names what was not sent, and nothing where all was", () => {
    expect([notSentWords(figuresOf({ endedBefore: 2 })), notSentWords(figuresOf({ undelivered: 2 }))]).toEqual([
      "2 not sent",
      "",
    ]);
  });
});
