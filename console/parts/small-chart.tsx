import type { ComponentChildren, JSX } from "preact";
import { formatAxis, formatCount, sumOf } from "../lib/numbers.ts";
import { heightOf, topOf } from "../lib/scale.ts";
import { formatDay } from "../lib/times.ts";
import { Axis, Ticks } from "./axis.tsx";
import { type Bar, Bars, Chart, ChartSection } from "./chart.tsx";

const HEIGHT = 92;
const MIRROR_HEIGHT = 128;
const LEFT = 44;
const TIMES = 20;

interface Series {
  day: string;
  up: number;
  down?: number;
}

interface Props {
  title: string;
  days: Series[];
  /** What goes up, and what goes out: below the line. */
  names: [up: string, down?: string];
  tone?: "ok-fill" | "none-fill";
}

interface SectionProps extends Props {
  of?: ComponentChildren;
  side?: ComponentChildren;
}

/** A small chart under its heading, and the same numbers as a table at a press. */
export function SmallSection({ of, side, ...chart }: SectionProps): JSX.Element {
  const { title, days, names } = chart;
  return (
    <ChartSection
      title={title}
      of={of}
      side={side}
      head={["Day", ...(names as string[])]}
      rows={days.map(({ day, ...values }) => [formatDay(day), ...Object.values(values)])}
    >
      <SmallChart {...chart} />
    </ChartSection>
  );
}

/** Bars of days, and with a second series its mirror below the line. */
function SmallChart({ title, days, names: [up, down], tone = "ok-fill" }: Props): JSX.Element {
  const isMirror = down !== undefined;
  const rest = isMirror ? `, ${down} ${formatCount(sumOf(days, "down"))}` : "";
  return (
    <Chart
      label={`${title}, by day`}
      description={`${up} ${formatCount(sumOf(days, "up"))}${rest} in ${days.length} days.`}
      height={isMirror ? MIRROR_HEIGHT : HEIGHT}
      left={LEFT}
      columns={days.length}
      readout={(column) => {
        const day = days[column];
        if (!day) return { heading: "", rows: [] };
        return {
          heading: formatDay(day.day),
          rows: [[up, day.up], ...(isMirror ? [[down, day.down ?? 0] as const] : [])],
        };
      }}
      draw={(frame) => {
        const { height, from, to } = frame;
        const most = topOf(Math.max(0, ...days.map((it) => Math.max(it.up, it.down ?? 0))));
        const mostDown = Math.max(0, ...days.map((it) => it.down ?? 0));
        const room = height - TIMES - 8;
        const below = isMirror ? Math.max(10, Math.round((room * mostDown) / (most + mostDown))) : 0;
        const base = 8 + room - below;
        const bars = days.map((day): Bar[] => [
          [tone, base, heightOf(day.up, most, room - below)],
          ["none-fill", base + 1.5, -Math.min(below, heightOf(day.down ?? 0, most, room - below))],
        ]);
        return (
          <>
            <Axis
              top={most}
              base={base}
              height={room - below}
              from={from}
              to={to}
              format={(it) => (it === most / 2 && !isMirror ? "" : formatAxis(it))}
            />
            <Bars columns={bars} frame={frame} />
            <Ticks
              ticks={[
                { column: 0, label: formatDay(days[0]?.day ?? ""), anchor: "start" },
                { column: days.length - 1, label: formatDay(days.at(-1)?.day ?? ""), anchor: "end" },
              ]}
              columns={days.length}
              from={from}
              to={to}
              y={height - 4}
            />
          </>
        );
      }}
    />
  );
}
