import type { ComponentChildren, JSX } from "preact";
import { formatAxis, formatCount, sumOf } from "../lib/numbers.ts";
import { heightOf, topOf } from "../lib/scale.ts";
import { formatClock, formatDay } from "../lib/times.ts";
import { Axis, Ticks } from "./axis.tsx";
import { type Bar, Bars, Chart, ChartSection } from "./chart.tsx";

const HEIGHT = 92;
const MIRROR_HEIGHT = 128;
const TIMES = 20;

interface Series {
  /** A day of UTC, or the time of a minute. */
  at: string;
  up: number;
  down?: number;
}

interface Props {
  title: string;
  unit?: "day" | "minute";
  series: Series[];
  /** What goes up, and what goes out: below the line. */
  names: [up: string, down?: string];
  tone?: "ok-fill" | "none-fill";
}

interface SectionProps extends Props {
  of?: ComponentChildren;
}

/** A small chart under its heading, and the same numbers as a table at a press. */
export function SmallSection({ of, ...chart }: SectionProps): JSX.Element {
  const { title, unit = "day", series, names } = chart;
  return (
    <ChartSection
      title={title}
      of={of}
      head={[unit === "day" ? "Day" : "Minute", ...(names as string[])]}
      rows={series.map(({ at, ...values }) => [FORMATS[unit](at), ...Object.values(values)])}
    >
      <SmallChart {...chart} />
    </ChartSection>
  );
}

const FORMATS = { day: formatDay, minute: formatClock };

/** Bars, and with a second number of each its mirror below the line. */
function SmallChart({ title, unit = "day", series, names: [up, down], tone = "ok-fill" }: Props): JSX.Element {
  const format = FORMATS[unit];
  const isMirror = down !== undefined;
  const rest = isMirror ? `, ${down} ${formatCount(sumOf(series, "down"))}` : "";
  return (
    <Chart
      label={`${title}, by ${unit}`}
      description={`${up} ${formatCount(sumOf(series, "up"))}${rest} in ${series.length} ${unit}s.`}
      height={isMirror ? MIRROR_HEIGHT : HEIGHT}
      items={series}
      readout={(it) => ({
        heading: format(it.at),
        rows: [[up, it.up], ...(isMirror ? [[down, it.down ?? 0] as const] : [])],
      })}
      draw={(frame) => {
        const { height } = frame;
        const most = topOf(Math.max(0, ...series.map((it) => Math.max(it.up, it.down ?? 0))));
        const mostDown = Math.max(0, ...series.map((it) => it.down ?? 0));
        const room = height - TIMES - 8;
        const below = isMirror ? Math.max(10, Math.round((room * mostDown) / (most + mostDown))) : 0;
        const base = 8 + room - below;
        const bars = series.map((it): Bar[] => [
          [tone, base, heightOf(it.up, most, room - below)],
          ["none-fill", base + 1.5, -Math.min(below, heightOf(it.down ?? 0, most, room - below))],
        ]);
        return (
          <>
            <Axis
              top={most}
              base={base}
              height={room - below}
              frame={frame}
              format={(it) => (it === most / 2 && !isMirror ? "" : formatAxis(it))}
            />
            <Bars columns={bars} frame={frame} />
            <Ticks
              ticks={[
                { column: 0, label: format(series[0]?.at ?? ""), anchor: "start" },
                { column: series.length - 1, label: format(series.at(-1)?.at ?? ""), anchor: "end" },
              ]}
              frame={frame}
              y={height - 4}
            />
          </>
        );
      }}
    />
  );
}
