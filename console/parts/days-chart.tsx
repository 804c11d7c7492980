import type { JSX } from "preact";
import type { Day } from "../answers.ts";
import { formatCount, formatShare, isUnusual, medianOf, sumOf } from "../lib/numbers.ts";
import { readingOf, reportedOf } from "../lib/outcomes.ts";
import { dayBefore } from "../lib/rates.ts";
import { heightOf, topOf } from "../lib/scale.ts";
import { formatDay } from "../lib/times.ts";
import { Axis, type Tick, Ticks } from "./axis.tsx";
import { type Bar, Bars, Chart, type Frame, type Readout } from "./chart.tsx";

const HEIGHT = 248;
/** The strip under the bars: the share that was not delivered, in percent, on an axis of its own. */
const STRIP = 28;
const GAP = 14;
const TIMES = 22;

export const failedOf = (day: Day) => day.undelivered / Math.max(1, reportedOf(day));

/** What is usual: the middle of the closed days that had texts. */
export const usualShareOf = (days: Day[]): number | null =>
  medianOf(
    days
      .slice(0, -1)
      .filter((day) => reportedOf(day) >= 20)
      .map(failedOf),
  );

/** Delivered by day; today so far. */
export function DaysChart({ days, today = Date.now() }: { days: Day[]; today?: number | undefined }): JSX.Element {
  return (
    <Chart
      label="Texts delivered, by day"
      description={`${formatCount(sumOf(days, "delivered"))} delivered in ${days.length} days. Arrow keys go through the days.`}
      height={HEIGHT}
      items={days}
      readout={readoutOf}
      draw={(frame) => <Plot {...{ days, today, frame }} />}
    />
  );
}

const readoutOf = (day: Day): Readout => ({
  heading: formatDay(day.day),
  rows: [...readingOf(day), ["Undelivered of those with a receipt", formatShare(day.undelivered, reportedOf(day))]],
});

function Plot({ days, today, frame }: { days: Day[]; today: number; frame: Frame }): JSX.Element {
  const { height } = frame;
  const strip = height - TIMES;
  const base = strip - STRIP - GAP;
  const plot = base - 8;
  const top = topOf(Math.max(0, ...days.map(({ delivered }) => delivered), days.at(-1)?.accepted ?? 0));
  const topShare = topOf(Math.max(...days.map(failedOf), 0) * 100, 5);
  const usual = usualShareOf(days);
  const bars = days.map((day): Bar[] => {
    const delivered = heightOf(day.delivered, top, plot);
    const tone = isUnusual(day.undelivered, reportedOf(day), usual) ? "bad-fill" : "bad-pale";
    const isToday = day.day === dayBefore(today, 0);
    return [
      ["so-far", base, isToday ? heightOf(day.accepted, top, plot) : 0],
      ["ok-fill", base, delivered],
      [tone, strip, heightOf(failedOf(day) * 100, topShare, STRIP)],
    ];
  });
  return (
    <>
      <Axis top={top} base={base} height={plot} frame={frame} />
      <Axis
        top={topShare}
        base={strip}
        height={STRIP}
        frame={frame}
        format={(it) => (it === topShare / 2 ? "" : it === 0 ? "0" : `${it} %`)}
      />
      <Bars columns={bars} frame={frame} />
      <Ticks ticks={weekTicks(days, frame.width < 480 ? 14 : 7)} frame={frame} y={height - 4} />
    </>
  );
}

/** The last at the edge, and each so many days before it. */
export function weekTicks(days: { day: string }[], every: number): Tick[] {
  const last = days.length - 1;
  return days.flatMap(({ day }, column): Tick[] => {
    if ((last - column) % every !== 0) return [];
    return [{ column, label: formatDay(day), anchor: column === last ? "end" : column < 2 ? "start" : "middle" }];
  });
}
