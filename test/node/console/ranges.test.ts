import { describe, expect, it, vi } from "vitest";
import { fileName, rangeBefore, rangeOptions, readRange } from "../../../console/lib/ranges.ts";
import { todayIn } from "../../../console/lib/times.ts";

const NOW = Date.parse("2026-11-28T18:00:00Z");

describe("the days of a report", () => {
  it.each([
    [{}, "30", "2026-10-30", "2026-11-28"],
    [{ range: "today" }, "today", "2026-11-28", "2026-11-28"],
    [{ range: "yesterday" }, "yesterday", "2026-11-27", "2026-11-27"],
    [{ range: "7" }, "7", "2026-11-22", "2026-11-28"],
    [{ range: "90" }, "90", "2026-08-31", "2026-11-28"],
    [{ range: "2026-10" }, "2026-10", "2026-10-01", "2026-10-31"],
    [{ range: "2026-02" }, "2026-02", "2026-02-01", "2026-02-28"],
    [{ range: "2024-02" }, "2024-02", "2024-02-01", "2024-02-29"],
    [{ range: "2026-11" }, "2026-11", "2026-11-01", "2026-11-28"],
    [{ from: "2026-10-05", to: "2026-10-09" }, "from-to", "2026-10-05", "2026-10-09"],
    [{ from: "2026-10-09", to: "2026-10-05" }, "from-to", "2026-10-05", "2026-10-09"],
    [{ range: "2026-13" }, "30", "2026-10-30", "2026-11-28"],
    [{ range: "lately" }, "30", "2026-10-30", "2026-11-28"],
    [{ from: "2026-10-05" }, "30", "2026-10-30", "2026-11-28"],
  ])("%o", (query, name, from, to) => {
    expect(readRange(query, NOW)).toEqual({ name, from, to });
  });

  it("are chosen from spans, this month and the twelve before it, and two days", () => {
    const options = rangeOptions(NOW);
    expect(options.map(([value]) => value).slice(0, 7)).toEqual([
      ...["today", "yesterday", "7", "30", "90", "2026-11", "2026-10"],
    ]);
    expect(options[6]).toEqual(["2026-10", "October 2026"]);
    expect(options.slice(-2)).toEqual([
      ["2025-11", "November 2025"],
      ["from-to", "From … to …"],
    ]);
    for (const [value] of options.slice(0, -1)) expect(readRange({ range: value }, NOW).name).toBe(value);
  });

  it("are compared with as many days before", () => {
    expect(rangeBefore({ from: "2026-10-01", to: "2026-10-31" })).toEqual({ from: "2026-08-31", to: "2026-09-30" });
    expect(rangeBefore({ from: "2026-03-01", to: "2026-03-01" })).toEqual({ from: "2026-02-28", to: "2026-02-28" });
  });
});

describe("today", () => {
  it.each([
    ["2026-11-28T18:00:00Z", "UTC", "2026-11-28"],
    ["2026-11-28T18:00:00Z", "Pacific/Auckland", "2026-11-29"],
    ["2026-03-09T03:59:00Z", "America/New_York", "2026-03-08"],
    ["2026-03-09T04:00:00Z", "America/New_York", "2026-03-09"],
    // The service refuses it, and says so.
    ["2026-11-28T18:00:00Z", "Atlantis", "2026-11-28"],
  ])("at %s in %s is %s", (now, timeZone, day) => {
    vi.setSystemTime(now);
    expect(new Date(todayIn(timeZone)).toISOString().slice(0, 10)).toBe(day);
    vi.useRealTimers();
  });
});

describe("a file is named for what it has", () => {
  it.each([
    [undefined, "2026-10-01", "2026-10-31", "website", "textgate-2026-10-by-website-UTC.csv"],
    ["harbor", "2026-10-01", "2026-10-31", "purpose", "textgate-harbor-2026-10-by-purpose-UTC.csv"],
    [undefined, "2026-10-01", "2026-10-30", "sender", "textgate-2026-10-01-to-2026-10-30-by-sender-UTC.csv"],
    ["harbor", "2026-11-28", "2026-11-28", "purpose", "textgate-harbor-2026-11-28-by-purpose-UTC.csv"],
  ])("%s %s %s %s", (website, from, to, by, name) => {
    expect(fileName(website, { from, to }, by, NOW)).toBe(name);
  });

  it("and for the zone whose days it has", () => {
    const range = { from: "2026-10-01", to: "2026-10-31", timeZone: "America/New_York" };
    expect(fileName(undefined, range, "country", NOW)).toBe("textgate-2026-10-by-country-America-New_York.csv");
    expect(rangeBefore(range)).toEqual({ ...range, from: "2026-08-31", to: "2026-09-30" });
  });
});
