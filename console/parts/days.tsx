import type { JSX } from "preact";
import type { Report } from "../answers.ts";
import type { Failure } from "../lib/ask.ts";
import { CUSTOM, type Range, rangeOptions, readRange, USUAL_RANGE } from "../lib/ranges.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { cityOf, todayIn } from "../lib/times.ts";
import { type Answered, useAnswer } from "../lib/use-answer.ts";
import { go } from "../lib/use-route.ts";
import { FailureLine } from "./button.tsx";
import { Choice, DayField } from "./field.tsx";

const UTC = "UTC";

/** The days that the address of a page names, or its usual ones. */
export interface ChosenDays {
  name: string;
  range: Required<Range>;
  /** The midnight of today in that zone, as if it were UTC. */
  now: number;
  isUsual: boolean;
}

export function readDays({ query }: { query: Record<string, string | undefined> }, usual = USUAL_RANGE): ChosenDays {
  const { timeZone = UTC } = query;
  const now = todayIn(timeZone);
  const { name, ...days } = readRange({ ...query, range: query.range ?? usual }, now);
  return { name, now, range: { ...days, timeZone }, isUsual: name === usual && timeZone === UTC };
}

interface FieldsProps {
  route: Route;
  chosen: ChosenDays;
  /** The time zone of the website that the page is of. */
  theirs?: string | null | undefined;
}

/** Which days, and whose. */
export function DaysFields({ route: { path, query }, chosen, theirs }: FieldsProps): JSX.Element {
  const { name, now } = chosen;
  const { from, to: last, timeZone } = chosen.range;
  const show = (next: Record<string, string | undefined>) => go(toHash(path, { ...query, ...next }));
  const yours = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <Choice
        id="days"
        label="Days"
        options={rangeOptions(now)}
        value={name}
        onChange={(to) =>
          show(to === CUSTOM ? { range: undefined, from, to: last } : { range: to, from: undefined, to: undefined })
        }
      />
      {name === CUSTOM && (
        <>
          <DayField id="from" label="From" value={from} onChange={(from) => show({ from })} />
          <DayField id="to" label="To" value={last} onChange={(to) => show({ to })} />
        </>
      )}
      <Choice
        id="zone"
        label="Time zone"
        options={[...new Set([UTC, theirs ?? UTC, yours, timeZone])].map((zone) => [zone, cityOf(zone)])}
        value={timeZone}
        onChange={(timeZone) => show({ timeZone })}
      />
    </>
  );
}

/** The report of the days, where they are not those that the page has itself. @param path of a report */
export const useReport = (path: string, { isUsual, range }: ChosenDays): Answered<Report> =>
  useAnswer<Report>(isUsual ? null : pathOf(path, { by: "day", ...range }), 60, false);

/** In place of numbers that have not come. */
export const Counting = ({ failure }: { failure: Failure | null }): JSX.Element =>
  failure ? <FailureLine failure={failure} /> : <p class="dim">Counting…</p>;
