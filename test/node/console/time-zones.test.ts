/** The zones that an operator can choose have the names of today. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TIME_ZONES } from "../../../console/lib/time-zones.ts";

/** The tz database has a line for each zone that a country has, with its name in the third place. */
const ZONE_TAB = "/usr/share/zoneinfo/zone.tab";

const nameToRuntime = (timeZone: string) => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;

it("begin with UTC, and have each zone of the runtime once", () => {
  const [first, ...zones] = TIME_ZONES;
  expect(first).toBe("UTC");
  expect(zones.map(nameToRuntime).sort()).toEqual(Intl.supportedValuesOf("timeZone"));
});

it.skipIf(!existsSync(ZONE_TAB))("have the names of the tz database", () => {
  const lines = readFileSync(ZONE_TAB, "utf8").split("\n");
  const today = new Set(lines.filter((line) => !line.startsWith("#")).map((line) => line.split("\t")[2]));
  expect(TIME_ZONES.filter((zone) => zone !== "UTC" && !today.has(zone))).toEqual([]);
});

it.each(["Europe/Kyiv", "Asia/Kolkata", "Asia/Ho_Chi_Minh", "America/Argentina/Buenos_Aires", "UTC"])(
  "have %s",
  (zone) => {
    expect(TIME_ZONES).toContain(zone);
  },
);

it.each(["Europe/Kiev", "Asia/Calcutta", "Asia/Saigon", "America/Buenos_Aires"])("do not have %s", (zone) => {
  expect(TIME_ZONES).not.toContain(zone);
});
