import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RollingCount } from "../../../src/domain/messages/rolling-count.ts";
import { DAY, LATEST_MILLISECONDS, MINUTE, type Pace, SenderPace } from "../../../src/domain/messages/sender-pace.ts";
import { KeptCount } from "../../../src/platform/kept-count.ts";
import { MemoryStorage } from "../../memory-texts.ts";
import { Random } from "../../random.ts";

const BEGINNING = Date.UTC(2026, 10, 28);
const DAY_MILLISECONDS = 86_400_000;

interface Sent {
  at: number;
  segments: number;
}

/** The most segments in a span that begins with a submission, as a carrier would count them. */
function mostIn(sent: Sent[], milliseconds: number): number {
  const inOrder = sent.toSorted((a, b) => a.at - b.at);
  const sumFrom = (from: number) =>
    inOrder.reduce((sum, { at, segments }) => (at >= from && at < from + milliseconds ? sum + segments : sum), 0);
  return Math.max(0, ...inOrder.map(({ at }) => sumFrom(at)));
}

const makePace = () => new SenderPace(new RollingCount(MINUTE), new RollingCount(DAY));
const perMinute = (messagesPerMinute: number): Pace => ({ messagesPerMinute, messagesPerDay: null });
const ONE = { segments: 1, isUrgent: false, hasWaited: false };

/** Queues that deliver after whole seconds and some more, as those of the platform do. */
function deliver(
  texts: { at: number; segments: number }[],
  pace: Pace,
  random: Random,
  until = Number.POSITIVE_INFINITY,
) {
  const sender = makePace();
  const waiting = texts.map((text, index) => ({ ...text, index, isUrgent: false, hasWaited: false, asked: 0 }));
  const sent: (Sent & { index: number; asked: number })[] = [];
  for (;;) {
    waiting.sort((a, b) => a.at - b.at);
    const text = waiting.shift();
    if (!text || text.at > until) return sent;
    const turn = sender.ask(text, pace, text.at);
    const asked = text.asked + 1;
    if (turn.isGranted)
      sent.push({ at: text.at + turn.milliseconds, segments: text.segments, index: text.index, asked });
    else {
      const seconds = Math.ceil(turn.milliseconds / 1000);
      waiting.push({ ...text, at: text.at + seconds * 1000 + random.between(0, 1500), hasWaited: true, asked });
    }
  }
}

const ask = fc.record({
  pause: fc.oneof(fc.nat(400), fc.nat(3000), fc.constantFrom(0, 59_999, 60_000, 61_000, DAY_MILLISECONDS)),
  segments: fc.integer({ min: 1, max: 5 }),
  isUrgent: fc.boolean(),
  hasWaited: fc.boolean(),
  late: fc.nat(LATEST_MILLISECONDS),
});

describe("the pace of a sender", () => {
  it("is never above in any minute, nor in any 24 hours, whatever comes and however late it begins, over restarts", () => {
    const limits = fc.record({
      messagesPerMinute: fc.option(fc.integer({ min: 5, max: 17 })),
      messagesPerDay: fc.option(fc.integer({ min: 5, max: 45 })),
    });
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 120 }), limits, fc.nat(30), (asks, pace, restartsAt) => {
        const storage = new MemoryStorage();
        const counts = () => [new KeptCount(storage, "minute", MINUTE), new KeptCount(storage, "day", DAY)] as const;
        let kept = counts();
        let sender = new SenderPace(...kept);
        const sent: Sent[] = [];
        let now = BEGINNING;
        for (const [index, { pause, late, ...given }] of asks.entries()) {
          now += pause;
          if (index === restartsAt) {
            kept = counts();
            sender = new SenderPace(...kept, { ...sender.line });
          }
          const turn = sender.ask(given, pace, now);
          for (const count of kept) count.keep();
          expect(turn.milliseconds).toBeGreaterThanOrEqual(0);
          if (turn.isGranted) sent.push({ at: now + turn.milliseconds + late, segments: given.segments });
        }
        if (pace.messagesPerMinute) expect(mostIn(sent, 60_000)).toBeLessThanOrEqual(pace.messagesPerMinute);
        if (pace.messagesPerDay) expect(mostIn(sent, DAY_MILLISECONDS)).toBeLessThanOrEqual(pace.messagesPerDay);
      }),
      { numRuns: 300 },
    );
  });

  it.each([6, 60, 600, 4500])(
    "of %i a minute is used up by a campaign, evenly, and each text asks few times",
    (pace) => {
      const texts = Array.from({ length: Math.min(pace * 4, 2000) }, () => ({ at: BEGINNING, segments: 1 }));
      const sent = deliver(texts, perMinute(pace), new Random(pace));
      const took = Math.max(...sent.map(({ at }) => at)) - BEGINNING;
      expect(sent).toHaveLength(texts.length);
      expect(took).toBeLessThan((texts.length / pace) * 61_000 + 8000);
      expect(mostIn(sent, 60_000)).toBeLessThanOrEqual(pace);
      // A tenth of a minute has a tenth of its texts.
      expect(mostIn(sent, 6000)).toBeLessThanOrEqual(Math.ceil(pace / 10));
      const asked = sent.reduce((sum, text) => sum + text.asked, 0) / sent.length;
      expect(asked).toBeLessThan(3.5);
    },
  );

  it("counts segments, and lets a text of more than the pace go alone", () => {
    const texts = Array.from({ length: 40 }, (_, index) => ({ at: BEGINNING, segments: 1 + (index % 4) }));
    const sent = deliver(texts, perMinute(10), new Random(1));
    expect(mostIn(sent, 60_000)).toBeLessThanOrEqual(10);
    expect(sent).toHaveLength(40);
    const long = deliver(
      [2, 2, 2].map((segments) => ({ at: BEGINNING, segments })),
      perMinute(1),
      new Random(1),
    );
    expect(long).toHaveLength(3);
    expect(mostIn(long, 60_000)).toBe(2);
  });

  it("keeps the order of those that came, and says when each goes", () => {
    const sender = makePace();
    const turns = Array.from({ length: 10 }, () => sender.ask(ONE, perMinute(61), BEGINNING));
    expect(turns.map(({ isGranted }) => isGranted)).toEqual([true, ...new Array<boolean>(9).fill(false)]);
    expect(turns.map(({ milliseconds }) => milliseconds)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((it) => it * 1000),
    );
    // Those of the line have asked for five seconds, one a second, when another comes.
    for (let second = 1; second <= 5; second++) {
      expect(sender.ask({ ...ONE, hasWaited: true }, perMinute(61), BEGINNING + second * 1000).isGranted).toBe(true);
    }
    expect(sender.ask(ONE, perMinute(61), BEGINNING + 5000)).toEqual({ isGranted: false, milliseconds: 5000 });
  });

  it("lets a text that somebody waits for go before a campaign", () => {
    const sender = makePace();
    for (let text = 0; text < 1000; text++) sender.ask(ONE, perMinute(60), BEGINNING);
    const asks = [1000, 1100, 1200].map((after) =>
      [ONE, { ...ONE, hasWaited: true }, { ...ONE, isUrgent: true }].map((ask) =>
        sender.ask(ask, perMinute(60), BEGINNING + after),
      ),
    );
    expect(asks.map((turns) => turns.map(({ isGranted }) => isGranted))).toEqual([
      [false, true, true],
      [false, false, true],
      [false, false, true],
    ]);
  });

  it("puts nothing behind texts that do not come again, because they were cancelled", () => {
    const sender = makePace();
    for (let text = 0; text < 1000; text++) sender.ask(ONE, perMinute(60), BEGINNING);
    const turns = [0, 1].map(() => sender.ask(ONE, perMinute(60), BEGINNING + 30_000));
    expect(turns.map(({ isGranted }) => isGranted)).toEqual([true, false]);
    expect(turns[1]?.milliseconds).toBeLessThan(2000);
  });

  it("says when the day has room, for each of those that wait", () => {
    const sender = makePace();
    const pace = { messagesPerMinute: null, messagesPerDay: 3 };
    const at = (minute: number) => BEGINNING + minute * 60_000;
    for (const minute of [0, 0, 10]) expect(sender.ask(ONE, pace, at(minute)).isGranted).toBe(true);
    const waits = Array.from({ length: 4 }, () => sender.ask(ONE, pace, at(20)).milliseconds / 60_000);
    expect(waits).toEqual([1422, 1422, 1432, 1442]);
    expect(sender.ask(ONE, pace, at(1441)).isGranted).toBe(false);
    expect(sender.ask({ ...ONE, hasWaited: true }, pace, at(1442)).isGranted).toBe(true);
  });
});

it("no 24 hours have more than the pace of a day, with a turn that is given before its time", () => {
  const sender = makePace();
  const pace: Pace = { messagesPerMinute: 2, messagesPerDay: 3 };
  const sent: Sent[] = [];
  for (const second of [59.9, 60, 86_399, 86_400, 86_401, 86_430, 86_460, 86_520]) {
    const now = BEGINNING + second * 1000;
    const { isGranted, milliseconds } = sender.ask({ ...ONE, isUrgent: true }, pace, now);
    if (isGranted) sent.push({ at: now + milliseconds, segments: 1 });
  }
  expect(sent.length).toBeGreaterThan(2);
  expect(mostIn(sent, DAY_MILLISECONDS)).toBeLessThanOrEqual(3);
});
