import { describe, expect, it } from "vitest";
import { DAY_MILLISECONDS, toDay } from "../../../src/domain/day.ts";
import { localDay, startOfDay } from "../../../src/domain/messages/local-clock.ts";
import { Random } from "../../random.ts";

const HOUR = 3_600_000;
const QUARTER = 900_000;

describe("the begin of a day", () => {
  it.each([
    ["UTC", "2026-11-21", "2026-11-21T00:00Z", 24],
    ["America/New_York", "2026-03-08", "2026-03-08T05:00Z", 23],
    ["America/New_York", "2026-11-01", "2026-11-01T04:00Z", 25],
    ["Asia/Kathmandu", "2026-06-01", "2026-05-31T18:15Z", 24],
    ["Pacific/Chatham", "2026-09-27", "2026-09-26T11:15Z", 23],
    ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00Z", 24.5],
    // The clock goes from 23:59 to 01:00, so the day has no midnight.
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00Z", 23],
    ["America/Santiago", "2026-09-06", "2026-09-06T04:00Z", 23],
    // The clock goes from 23:59 to 23:00.
    ["America/Santiago", "2026-04-04", "2026-04-04T03:00Z", 25],
    // Samoa had no such day: it is over when it begins.
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00Z", 0],
    ["Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00Z", 24],
    ["Etc/GMT+12", "2026-01-01", "2026-01-01T12:00Z", 24],
  ])("%s %s is %s, %s hours before the next", (timeZone, day, start, hours) => {
    const found = startOfDay(timeZone, Date.parse(day));
    expect(new Date(found)).toEqual(new Date(start));
    expect((startOfDay(timeZone, Date.parse(day) + DAY_MILLISECONDS) - found) / HOUR).toBe(hours);
  });

  it("is a quarter of an hour at which the day changes, in every zone", () => {
    const random = new Random(1);
    for (const timeZone of Intl.supportedValuesOf("timeZone")) {
      const clock = new Intl.DateTimeFormat("en-CA", { timeZone });
      for (let draw = 0; draw < 8; draw++) {
        const midnight = Date.UTC(2024, 0, random.between(1, 1500));
        const start = startOfDay(timeZone, midnight);
        const days = [clock.format(start - 1), clock.format(start), localDay(timeZone, start), start % QUARTER];
        expect([timeZone, ...days]).toEqual([
          timeZone,
          toDay(midnight - DAY_MILLISECONDS),
          ...[toDay(midnight), toDay(midnight), 0],
        ]);
      }
    }
  });
});
