import type { JSX } from "preact";
import { formatAxis } from "../lib/numbers.ts";
import { labelsOf } from "../lib/scale.ts";
import type { Frame } from "./chart.tsx";

interface Props {
  top: number;
  /** The y of 0 and the pixels up to the top. */
  base: number;
  height: number;
  frame: Frame;
  format?: (value: number) => string;
}

/** Labels to the left, right-aligned, and a hairline for each; the line of 0 is stronger. */
export function Axis({ top, base, height, frame: { from, to }, format = formatAxis }: Props): JSX.Element {
  return (
    <g>
      {labelsOf(top).map((value) => {
        const y = Math.round(base - (value / top) * height) + 0.5;
        return (
          <g key={value}>
            <line class={value === 0 ? "zero" : "grid"} x1={from} x2={to} y1={y} y2={y} />
            <text x={from - 8} y={y + 4} text-anchor="end">
              {format(value)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

export interface Tick {
  column: number;
  label: string;
  anchor?: "start" | "middle" | "end";
}

/** Labels under the columns, at round times. */
export function Ticks({ ticks, frame: { columns, from, to }, y }: { ticks: Tick[]; frame: Frame; y: number }) {
  const step = (to - from) / columns;
  const places = { start: 0, middle: 0.5, end: 1 };
  return (
    <g>
      {ticks.map(({ column, label, anchor = "middle" }) => (
        <text key={column} x={from + (column + places[anchor]) * step} y={y} text-anchor={anchor}>
          {label}
        </text>
      ))}
    </g>
  );
}

/** The pattern of pending texts: lines at a slant. The styles name it. */
export function Hatch(): JSX.Element {
  return (
    <defs>
      <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line class="wait-line" x1="0" y1="0" x2="0" y2="5" />
      </pattern>
    </defs>
  );
}
