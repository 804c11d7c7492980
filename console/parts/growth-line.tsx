import type { JSX } from "preact";
import { formatBytes } from "../lib/numbers.ts";

const WIDTH = 200;
const HEIGHT = 36;

/** The size of a database over 30 days, from 0 to its limit. */
export function GrowthLine({
  history,
  bytes,
  limitBytes,
}: {
  history: number[];
  bytes: number | null;
  limitBytes: number;
}): JSX.Element | null {
  const values = bytes === null ? history : [...history, bytes];
  if (values.length < 2) return <span class="dim">–</span>;
  const x = (index: number) => (index / (values.length - 1)) * WIDTH;
  const y = (value: number) => HEIGHT - 1 - (Math.min(value, limitBytes) / limitBytes) * (HEIGHT - 3);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>{`From ${formatBytes(values[0] ?? 0)} to ${formatBytes(values.at(-1) ?? 0)}, of ${formatBytes(limitBytes)}`}</title>
      <line class="limit" x1="0" x2={WIDTH} y1="1.5" y2="1.5" />
      <line class="zero" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      <polyline points={points} />
    </svg>
  );
}
