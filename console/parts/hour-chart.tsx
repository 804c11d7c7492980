import type { JSX } from "preact";
import type { Minute } from "../answers.ts";
import { formatCount } from "../lib/numbers.ts";
import { readingOf, totalOf } from "../lib/outcomes.ts";
import { heightOf, stepPath, topOf } from "../lib/scale.ts";
import { formatClock } from "../lib/times.ts";
import { Axis, Hatch, type Tick, Ticks } from "./axis.tsx";
import { type Bar, Bars, Chart, type Frame, type Readout } from "./chart.tsx";

const HEIGHT = 228;
/** Above the plot, for the word of a problem; below it, for what was not delivered, and the times. */
const ABOVE = 24;
const BELOW = 26;
const TIMES = 22;

export interface Mark {
  at: string;
  words: string;
}

/** Each minute of the hour by what became of the texts that it accepted. The gap below the line are the pending texts. */
export function HourChart({ minutes, mark }: { minutes: Minute[]; mark: Mark | null }): JSX.Element {
  return (
    <Chart
      label="Texts of the last hour, by the minute of their acceptance"
      description={`${readingOf(totalOf(minutes))
        .map(([label, count]) => `${label} ${formatCount(count)}`)
        .join(", ")}. Arrow keys go through the minutes.`}
      height={HEIGHT}
      items={minutes}
      readout={readoutOf}
      draw={(frame) => <Plot minutes={minutes} mark={mark} frame={frame} />}
    />
  );
}

const readoutOf = (minute: Minute): Readout => ({ heading: formatClock(minute.at), rows: readingOf(minute) });

function Plot({ minutes, mark, frame }: { minutes: Minute[]; mark: Mark | null; frame: Frame }) {
  const { height } = frame;
  const top = topOf(Math.max(0, ...minutes.map(({ accepted }) => accepted)), 4);
  const base = height - TIMES - BELOW;
  const plot = base - ABOVE;
  const bars = minutes.map((minute): Bar[] => {
    const delivered = heightOf(minute.delivered, top, plot);
    return [
      ["ok-fill", base, delivered],
      ["hatched", base - delivered, heightOf(minute.waiting ?? 0, top, plot)],
      ["bad-pale", base + 1.5, -Math.min(BELOW - 4, heightOf(minute.undelivered, top, plot))],
    ];
  });
  const line = stepPath(
    minutes.map(({ accepted }) => accepted),
    top,
    { ...frame, base, height: plot },
  );
  return (
    <>
      <Hatch />
      <Axis top={top} base={base} height={plot} frame={frame} />
      <Bars columns={bars} frame={frame} />
      <path class="accepted" d={line} />
      {mark && <MarkLine mark={mark} minutes={minutes} frame={frame} base={base} />}
      <Ticks ticks={ticksOf(minutes, frame.width < 480 ? 20 : 10)} frame={frame} y={height - 5} />
    </>
  );
}

/** Where a problem began: a dotted line, its time and three words. */
function MarkLine({ mark, minutes, frame, base }: { mark: Mark; minutes: Minute[]; frame: Frame; base: number }) {
  const first = Date.parse(minutes[0]?.at ?? "");
  const column = (Date.parse(mark.at) - first) / 60_000;
  if (!(column >= 0 && column < minutes.length)) return null;
  const x = Math.round(frame.from + (column / minutes.length) * (frame.to - frame.from)) + 0.5;
  const isRight = x + 150 > frame.to;
  return (
    <g class="chart-problem">
      <line x1={x} x2={x} y1={18} y2={base + BELOW - 6} />
      <text x={x} y={12} text-anchor={isRight ? "end" : "start"}>
        {formatClock(mark.at)} {mark.words}
      </text>
    </g>
  );
}

function ticksOf(minutes: Minute[], every: number): Tick[] {
  return minutes.flatMap(({ at }, column) =>
    new Date(at).getMinutes() % every === 0 && column > 1 && column < minutes.length - 1
      ? [{ column, label: formatClock(at) }]
      : [],
  );
}
