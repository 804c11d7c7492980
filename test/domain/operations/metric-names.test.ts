/** The names of the metrics are as Prometheus wants them (promtool check metrics), also where promtool is not installed. */
import { expect, it } from "vitest";
import { World } from "../../world.ts";

/** By https://prometheus.io/docs/practices/naming/: base units only, whole words, and as the last word. */
const BASE_UNITS = ["seconds", "bytes", "ratio"];
const OTHER_UNITS =
  /_(minutes?|hours?|days?|weeks?|months?|(milli|micro|nano)seconds?|second|byte|bits?|(kilo|mega|giga)bytes?|percent)(_|$)/;
const SHORT_UNITS = /_(s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)(_|$)/;
/** What Prometheus gives to other types than a gauge, or says in TYPE. */
const OF_OTHER_TYPES = /_(total|count|sum|bucket|gauge|counter|histogram|summary)(_|$)/;

function faultOf(name: string): string | undefined {
  if (!/^textgate(_[a-z0-9]+)+$/.test(name)) return "is not in small letters with underscores";
  for (const wrong of [OTHER_UNITS, SHORT_UNITS, OF_OTHER_TYPES]) if (wrong.test(name)) return `has ${wrong}`;
  const unit = BASE_UNITS.find((one) => name.includes(`_${one}`));
  return unit && !name.endsWith(`_${unit}`) ? `does not end with ${unit}` : undefined;
}

it.each(["textgate_database_days_left", "textgate_daysLeft", "textgate_seconds_left", "textgate_jobs_total"])(
  "%s would be a fault",
  (name) => expect(faultOf(name)).toBeDefined(),
);

it("each metric has a help and a type, and a name without a fault", async () => {
  const world = await World.create();
  await world.brand();
  const lines = (await (await world.operator("GET", "/metrics")).text()).trim().split("\n");
  const namesOf = (start: RegExp) => lines.flatMap((line) => start.exec(line)?.[1] ?? []);
  const names = [...new Set(namesOf(/^(\w+)[{ ]/))];
  expect(names.length).toBeGreaterThan(10);
  expect(namesOf(/^# HELP (\w+) [A-Z1].*\.$/)).toEqual(namesOf(/^# TYPE (\w+) gauge$/));
  expect(names.filter((name) => !namesOf(/^# TYPE (\w+) /).includes(name))).toEqual([]);
  expect(namesOf(/^# TYPE (\w+) /).flatMap((name) => faultOf(name) ?? [])).toEqual([]);
});
