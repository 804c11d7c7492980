/** What receipts say of a sender: ordinary wrong numbers are no problem, and an outage is seen in time and over with its repair. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  commonestCause,
  countTexts,
  findFailingSenders,
  findSilentCarriers,
  type ReceiptCount,
} from "../../../src/domain/messages/deliveries.ts";
import type { MinuteOutcome } from "../../../src/domain/operations/outcome-trend.ts";

const MINUTE = 60_000;
/** Minutes since 1970. */
const BEGAN = 29_000_000;

/** A text and its receipt. */
interface Text {
  /** The minutes of the submission and of the receipt, since BEGAN. */
  minute: number;
  receiptMinute: number;
  /** `""`: delivered. */
  reason: string;
  code?: string;
}

/** As the store keeps them. Texts of one minute are submitted a millisecond apart, in the order of the list. */
function count(texts: Text[], carrier = "twilio", sender = "+12125550000"): ReceiptCount[] {
  const placed = texts.map((text, place) => ({ ...text, at: (BEGAN + text.minute) * MINUTE + place }));
  const rows = Map.groupBy(placed, ({ minute, reason, code = "" }) => `${minute} ${reason} ${code}`);
  return [...rows.values()].map((some) => {
    const times = some.map(({ at }) => at);
    const { minute = 0, reason = "", code = "" } = some[0] ?? {};
    return {
      ...{ minute: BEGAN + minute, carrier, sender, reason, code, count: some.length },
      ...{ firstAt: Math.min(...times), lastAt: Math.max(...times) },
    };
  });
}

const came = ({ receiptMinute }: Text) => ({ carrier: "twilio", lastAt: (BEGAN + receiptMinute) * MINUTE });

const text = (minute: number, isDelivered: boolean, receiptMinute = minute): Text => ({
  ...{ minute, receiptMinute },
  reason: isDelivered ? "" : "UNDELIVERED",
});

/** So many texts of one minute, every n-th of which is not delivered. */
const texts = (minute: number, number: number, every: number) =>
  Array.from({ length: number }, (_, index) => text(minute, (index + 1) % every !== 0));

const delivered = (minute: number, number: number) => texts(minute, number, Number.POSITIVE_INFINITY);
const failed = (minute: number, number: number, receiptMinute = minute) =>
  Array.from({ length: number }, () => text(minute, false, receiptMinute));
const fortyPercent = (minute: number, number: number) =>
  Array.from({ length: number }, (_, index) => text(minute, index % 5 > 1));
/** Each minute from the first to the last. */
const during = (from: number, to: number, of: (minute: number) => Text[]) =>
  Array.from({ length: to - from + 1 }, (_, index) => of(from + index)).flat();

const isFailing = (all: Text[], nowMinute: number, countedAfter = Number.NEGATIVE_INFINITY) =>
  findFailingSenders(count(all), BEGAN + nowMinute, BEGAN + countedAfter).length > 0;

it("a sender is not judged by a part of an hour, or of five minutes", () => {
  const all = [...failed(20, 30), ...during(53, 57, (it) => failed(it, 5))];
  expect([-1, 0, 55, 56].map((countedAfter) => isFailing(all, 60, countedAfter))).toEqual([true, true, true, false]);
  expect([0, 1, 55].map((countedAfter) => isFailing(failed(20, 30), 60, countedAfter))).toEqual([true, false, false]);
});

describe("a sender fails", () => {
  it.each<[string, Text[], number]>([
    ["30 of 30", failed(0, 30), 1],
    ["5 of 5 on a quiet night", during(0, 4, (minute) => failed(minute * 10, 1)), 50],
    ["40 % of a campaign of a thousand", fortyPercent(0, 1000), 1],
    ["40 % of a campaign over ten minutes", during(0, 9, (it) => fortyPercent(it, 10)), 9],
    ["34 of 100", [...failed(0, 34), ...delivered(0, 66)].reverse(), 1],
    [
      "suddenly, at ten texts a minute",
      [...during(0, 50, (it) => delivered(it, 10)), ...during(51, 53, (it) => failed(it, 10))],
      53,
    ],
    [
      "for 30 minutes at one a minute",
      [...during(0, 29, (it) => delivered(it, 1)), ...during(30, 59, (it) => failed(it, 1))],
      59,
    ],
    ["every other text, for minutes", during(0, 9, (it) => texts(it, 10, 2)), 9],
    ["again after the repair", [...failed(0, 30), ...delivered(2, 1), ...failed(3, 8)], 3],
  ])("%s", (_, all, nowMinute) => {
    expect(isFailing(all, nowMinute)).toBe(true);
  });

  it.each<[string, Text[], number]>([
    ["2 of 2 wrong numbers", failed(0, 2), 1],
    ["4 of 4", failed(0, 4), 1],
    ["10 % wrong numbers of a thousand", texts(0, 1000, 10), 1],
    ["15 % of twenty", [...failed(0, 3), ...delivered(0, 17)], 1],
    ["15 % of a thousand, whose failures come last", [...delivered(0, 850), ...failed(0, 150, 40)], 41],
    ["an hour of ordinary traffic", during(0, 59, (minute) => texts(minute, 8, 8)), 59],
    ["30 of 30, and then one arrives", [...failed(0, 30), ...delivered(1, 1)], 1],
    [
      "30 of 30, then one arrives, and then failures of the 30 come",
      [...failed(0, 20), ...delivered(2, 1), ...failed(0, 10, 3)],
      3,
    ],
    [
      "30 of 30, then nine of ten arrive",
      [...failed(0, 30), ...delivered(2, 5), ...failed(3, 1), ...delivered(3, 4)],
      3,
    ],
    [
      "an outage of 30 minutes in an hour of traffic, and then one arrives",
      [...during(0, 19, (it) => delivered(it, 5)), ...during(20, 49, (it) => failed(it, 5)), ...delivered(50, 1)],
      50,
    ],
  ])("not: %s", (_, all, nowMinute) => {
    expect(isFailing(all, nowMinute)).toBe(false);
  });

  it("in no hour whose texts are as many as they say: the thresholds", () => {
    const least = (number: number) =>
      Array.from({ length: number + 1 }, (_, count) => count).find((count) =>
        isFailing([...failed(0, count), ...delivered(0, number - count)].reverse(), 30),
      );
    expect([1, 2, 3, 4, 5, 10, 20, 50, 100, 1000].map((number) => [number, least(number)])).toEqual([
      ...[
        [1, undefined],
        [2, undefined],
        [3, undefined],
        [4, undefined],
      ],
      ...[
        [5, 5],
        [10, 7],
        [20, 10],
        [50, 19],
        [100, 34],
        [1000, 304],
      ],
    ]);
  });

  it("beside another that works, each by itself", () => {
    const small = count(failed(0, 6), "twilio", "+12125550001");
    const large = count(
      during(0, 5, (minute) => texts(minute, 100, 10)),
      "twilio",
      "+12125550002",
    );
    const other = count(delivered(0, 50), "telnyx", "+12125550001");
    expect(findFailingSenders([...large, ...small, ...other], BEGAN + 5, Number.NEGATIVE_INFINITY)).toEqual([
      { carrier: "twilio", sender: "+12125550001", cause: "UNDELIVERED × 6 of 6" },
    ]);
  });

  it("in no ordinary hour: at most 10 in 100 numbers are wrong, in any order, at any pace", () => {
    const hour = fc
      .record({
        number: fc.integer({ min: 40, max: 400 }),
        seed: fc.integer(),
        minutes: fc.integer({ min: 1, max: 59 }),
      })
      .map(({ number, seed, minutes }) => {
        const wrong = Math.floor(number / 10);
        const order = shuffle(
          Array.from({ length: number }, (_, index) => index >= wrong),
          seed,
        );
        return order.map((isDelivered, index) => text(Math.floor((index / number) * minutes), isDelivered));
      });
    fc.assert(
      fc.property(hour, (all) => {
        const nowMinute = Math.max(...all.map(({ minute }) => minute));
        expect(isFailing(all, nowMinute)).toBe(false);
      }),
      { numRuns: 500, seed: 35 },
    );
  });
});

function shuffle<T>(items: T[], seed: number): T[] {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

it("the commonest cause is named with the carrier's code, its count and all receipts", () => {
  const one = (reason: string, code = "") => ({ minute: 0, receiptMinute: 0, reason, code });
  const all = [
    ...Array.from({ length: 28 }, () => one("CARRIER_FILTERED", "30007")),
    ...[one("UNDELIVERED", "30003"), one("")],
  ];
  expect(commonestCause(count(all))).toBe("CARRIER_FILTERED, 30007 × 28 of 30");
  expect(commonestCause(count([one("UNDELIVERED")]))).toBe("UNDELIVERED × 1 of 1");
  expect(commonestCause(count([one("")]))).toBeNull();
});

const accepted = (minute: number, number: number, outcome = "accepted") => ({
  ...{ minute: BEGAN + minute, carrier: "twilio", outcome, count: number },
  ...{ firstAt: (BEGAN + minute) * MINUTE, lastAt: (BEGAN + minute) * MINUTE },
});

describe("a carrier is silent", () => {
  const silent = (submissions: (MinuteOutcome & { carrier: string })[], receipts: Text[], nowMinute: number) =>
    findSilentCarriers(submissions, count(receipts), receipts.map(came), BEGAN + nowMinute);

  it("16 minutes after the fifth text of a new deployment, and says of how many", () => {
    const texts = [accepted(0, 2), accepted(3, 3)];
    expect(silent(texts, [], 18)).toEqual([]);
    expect(silent(texts, [], 19)).toEqual([
      { carrier: "twilio", since: null, cause: "no receipt of 5 texts within 15 minutes" },
    ]);
  });

  it("16 minutes after its receipts stop, with the time of the last", () => {
    const texts = Array.from({ length: 60 }, (_, minute) => accepted(minute, 5));
    const receipts = during(0, 29, (minute) => delivered(minute, 5));
    expect(silent(texts, receipts, 45)).toEqual([]);
    expect(silent(texts, receipts, 46)).toMatchObject([{ since: new Date((BEGAN + 29) * MINUTE).toISOString() }]);
  });

  it("although receipts of earlier texts still come, until none has come for 15 minutes", () => {
    const texts = Array.from({ length: 60 }, (_, minute) => accepted(minute, 5));
    const late = [...during(0, 9, (minute) => delivered(minute, 5)), text(9, true, 30)];
    expect(silent(texts, late, 45)).toEqual([]);
    expect(silent(texts, late, 46)).toHaveLength(1);
  });

  it.each<[string, MinuteOutcome[], Text[]]>([
    ["four texts", [accepted(0, 4)], []],
    ["texts that it has refused", [accepted(0, 50, "refused")], []],
    ["texts whose outcome is unknown", [accepted(0, 50, "unknown")], []],
    ["a campaign whose receipts came in time, but for some", [accepted(0, 500), accepted(1, 500)], texts(1, 900, 10)],
    [
      "single texts to a country that confirms nothing",
      [accepted(0, 40), accepted(20, 2), accepted(30, 2)],
      delivered(0, 40),
    ],
    [
      "more than it sends at once: receipts go on coming",
      [accepted(0, 900)],
      during(1, 40, (it) => [text(0, true, it)]),
    ],
  ])("not: %s", (_, submissions, receipts) => {
    expect(silent(submissions as ReturnType<typeof accepted>[], receipts, 50)).toEqual([]);
  });

  it("no longer, once a receipt comes", () => {
    const texts = [accepted(0, 30), accepted(20, 1)];
    expect(silent(texts, [], 21)).toHaveLength(1);
    expect(silent(texts, [text(20, false)], 21)).toEqual([]);
  });
});

it("texts of a time are delivered, undelivered or without a receipt, and never less than none", () => {
  const submissions = [accepted(0, 10), accepted(8, 5), accepted(8, 2, "unknown"), accepted(8, 9, "refused")];
  const receipts = count([...texts(0, 10, 5), ...delivered(8, 3)]);
  expect(countTexts(submissions, receipts, BEGAN - 1)).toEqual({ delivered: 11, undelivered: 2, "no-receipt": 4 });
  expect(countTexts(submissions, receipts, BEGAN + 5)).toEqual({ delivered: 3, undelivered: 0, "no-receipt": 4 });
  expect(countTexts([], receipts, BEGAN - 1)["no-receipt"]).toBe(0);
});
