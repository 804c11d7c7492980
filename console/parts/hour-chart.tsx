import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Minute } from "../answers.ts";
import { formatCount } from "../lib/numbers.ts";
import { columnOf, heightOf, stepPath, topOf } from "../lib/scale.ts";
import { formatClock } from "../lib/times.ts";
import { Axis, Hatch, type Tick, Ticks } from "./axis.tsx";
import { Chart, type Frame, type Readout } from "./chart.tsx";

const HEIGHT = 228;
const LEFT = 40;
/** Above the plot, for the word of a problem; below it, for what was not delivered, and the times. */
const ABOVE = 24;
const BELOW = 26;
const TIMES = 22;

export interface Mark {
  at: string;
  words: string;
}

/** Each minute of the hour by what became of the texts that it accepted: the gap below the line is what waits. */
export function HourChart({ minutes, mark }: { minutes: Minute[]; mark: Mark | null }): JSX.Element {
  const hatch = useId();
  const total = (key: keyof Omit<Minute, "at">) => minutes.reduce((sum, minute) => sum + minute[key], 0);
  return (
    <Chart
      label="Texts of the last hour, by the minute of their acceptance"
      description={`Accepted ${formatCount(total("accepted"))}, delivered ${formatCount(total("delivered"))}, undelivered ${formatCount(total("undelivered"))}, waiting ${formatCount(total("waiting"))}. Arrow keys go through the minutes.`}
      height={HEIGHT}
      left={LEFT}
      columns={minutes.length}
      readout={(column) => readoutOf(minutes[column])}
      draw={(frame) => <Plot minutes={minutes} mark={mark} frame={frame} hatch={hatch} />}
    />
  );
}

function readoutOf(minute: Minute | undefined): Readout {
  if (!minute) return { heading: "", rows: [] };
  const rows: [string, number][] = [
    ["Accepted", minute.accepted],
    ["Delivered", minute.delivered],
    ["Undelivered", minute.undelivered],
    ["No receipt", minute.noReceipt],
    ["Waiting", minute.waiting],
  ];
  return { heading: formatClock(minute.at), rows: rows.map(([label, count]) => [label, formatCount(count)]) };
}

function Plot({ minutes, mark, frame, hatch }: { minutes: Minute[]; mark: Mark | null; frame: Frame; hatch: string }) {
  const { from, to, height } = frame;
  const top = topOf(Math.max(0, ...minutes.map(({ accepted }) => accepted)), 4);
  const base = height - TIMES - BELOW;
  const plot = base - ABOVE;
  const bars = minutes.map((minute, index) => {
    const { x, width } = columnOf(index, minutes.length, from, to);
    const delivered = heightOf(minute.delivered, top, plot);
    const waiting = heightOf(minute.waiting, top, plot);
    const down = Math.min(BELOW - 4, heightOf(minute.undelivered, top, plot));
    return (
      <g key={minute.at}>
        {delivered > 0 && <rect class="ok-fill" x={x} width={width} y={base - delivered} height={delivered} />}
        {waiting > 0 && (
          <rect fill={`url(#${hatch})`} x={x} width={width} y={base - delivered - waiting} height={waiting} />
        )}
        {down > 0 && <rect class="bad-pale" x={x} width={width} y={base + 1.5} height={down} />}
      </g>
    );
  });
  const line = stepPath(
    minutes.map(({ accepted }) => accepted),
    top,
    { from, to, base, height: plot },
  );
  return (
    <>
      <Hatch id={hatch} />
      <Axis top={top} base={base} height={plot} from={from} to={to} />
      {bars}
      <path class="accepted" d={line} />
      {mark && <MarkLine mark={mark} minutes={minutes} frame={frame} base={base} />}
      <Ticks
        ticks={ticksOf(minutes, frame.width < 480 ? 20 : 10)}
        columns={minutes.length}
        from={from}
        to={to}
        y={height - 5}
      />
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
