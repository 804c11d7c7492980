import { describe, expect, it } from "vitest";
import type { Pace } from "../../../src/domain/messages/sender-pace.ts";
import { endOf, paceOf } from "../../../src/domain/operations/campaign.ts";

describe("the pace of a campaign", () => {
  const gone = (counts: Record<number, number>) =>
    Object.entries(counts).map(([minute, count]) => ({ minute: Number(minute), count }));

  it.each([
    ["nothing has gone", {}, null],
    ["the minute that lasts is not over", { 100: 700 }, null],
    ["what is older than five minutes does not count", { 94: 900 }, null],
    ["one minute", { 99: 600 }, 600],
    ["five minutes", { 95: 100, 96: 200, 97: 300, 98: 400, 99: 500, 100: 9 }, 300],
    ["it has begun three minutes ago", { 97: 300, 98: 300, 99: 600 }, 400],
    ["it stops and goes on", { 96: 400, 99: 400 }, 200],
    ["it has stopped a minute ago", { 95: 500, 96: 500, 97: 500, 98: 500 }, 400],
    ["what was taken back is none", { 98: 0, 99: 50 }, 50],
  ] as [string, Record<number, number>, number | null][])("%s", (_, counts, pace) => {
    expect(paceOf(gone(counts), 100)).toBe(pace);
  });
});

const NO_PACE: Pace = { messagesPerMinute: null, messagesPerDay: null };

describe("the end of a campaign", () => {
  it.each([
    [100, 50, 120_000],
    [1, 60, 1000],
    [0, 50, null],
    [100, null, null],
    [null, 50, null],
  ] as const)("of %j texts at %j a minute: after %j milliseconds", (ready, pace, after) => {
    expect(endOf(ready, pace, NO_PACE, 5000)).toBe(after === null ? null : 5000 + after);
  });

  const DAY = 86_400_000;

  it.each<[what: string, ready: number, measured: number | null, pace: Pace, after: number | null]>([
    [
      "goes by the pace of the sender before the first",
      100,
      null,
      { messagesPerMinute: 50, messagesPerDay: null },
      120_000,
    ],
    ["goes as was measured after it", 100, 25, { messagesPerMinute: 50, messagesPerDay: null }, 240_000],
    ["has texts for days", 1001, 500, { messagesPerMinute: null, messagesPerDay: 500 }, 2 * DAY],
    ["has texts for one day", 500, 250, { messagesPerMinute: null, messagesPerDay: 500 }, 120_000],
    ["is not known by the day alone", 100, null, { messagesPerMinute: null, messagesPerDay: 500 }, null],
  ])("%s", (_, ready, measured, pace, after) => {
    expect(endOf(ready, measured, pace, 5000)).toBe(after === null ? null : 5000 + after);
  });
});
