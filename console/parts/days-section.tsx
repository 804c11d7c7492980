import type { JSX } from "preact";
import type { Day } from "../answers.ts";
import { formatCount } from "../lib/numbers.ts";
import { countsOf, HEADS } from "../lib/outcomes.ts";
import { formatDay } from "../lib/times.ts";
import { ChartSection } from "./chart.tsx";
import { DaysChart } from "./days-chart.tsx";

/** Days as a chart, and as a table at a press. @param delivered on all of them @param today a time in UTC of the day that lasts */
export function DaysSection({
  title,
  delivered,
  days,
  today,
}: {
  title: string;
  delivered: number;
  days: Day[];
  today?: number;
}): JSX.Element {
  return (
    <ChartSection
      title={title}
      of={`${formatCount(delivered)} delivered`}
      head={["Day", ...HEADS, "Sent", "Clicked", "Opted out"]}
      rows={days.map((it) => [formatDay(it.day), ...countsOf(it), it.sent, it.clicked, it.optedOut])}
    >
      <DaysChart {...{ days, today }} />
    </ChartSection>
  );
}
