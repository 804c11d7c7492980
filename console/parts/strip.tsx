import type { JSX } from "preact";
import type { Endpoint } from "../answers.ts";
import { formatCount, formatShare } from "../lib/numbers.ts";
import { columnOf, heightOf, topOf } from "../lib/scale.ts";
import { formatClock } from "../lib/times.ts";
import { Chart } from "./chart.tsx";

const HEIGHT = 36;
const SLOT = 20 * 60_000;

/** The posts to an endpoint in 24 hours, by 20 minutes; a part in which most failed is vermilion. */
export function EndpointStrip({ slots, now }: { slots: Endpoint["slots"]; now: number }): JSX.Element {
  const end = Math.ceil(now / SLOT) * SLOT;
  const startOf = (index: number) => end - (slots.length - index) * SLOT;
  const taken = slots.reduce((sum, slot) => sum + slot.taken, 0);
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0);
  const top = topOf(Math.max(0, ...slots.map((slot) => slot.taken + slot.failed)));
  return (
    <Chart
      label="Callbacks of 24 hours, by 20 minutes"
      description={`${formatCount(taken)} taken, ${formatCount(failed)} failed.`}
      height={HEIGHT}
      left={0}
      columns={slots.length}
      readout={(column) => {
        const slot = slots[column] ?? { taken: 0, failed: 0 };
        return {
          heading: `${formatClock(startOf(column))} to ${formatClock(startOf(column + 1))}`,
          rows: [
            ["Taken", formatCount(slot.taken)],
            ["Failed", formatCount(slot.failed)],
          ],
        };
      }}
      draw={({ height, from, to }) => (
        <>
          <line class="grid" x1={from} x2={to} y1={height - 0.5} y2={height - 0.5} />
          {slots.map((slot, index) => {
            const { x, width } = columnOf(index, slots.length, from, to);
            const tall = heightOf(slot.taken + slot.failed, top, height - 2);
            const bad = heightOf(slot.failed, top, height - 2);
            const isBad = slot.failed > slot.taken;
            return (
              <g key={startOf(index)}>
                {tall > 0 && (
                  <rect
                    class={isBad ? "bad-fill" : "ok-fill"}
                    x={x}
                    width={width}
                    y={height - 1 - tall}
                    height={tall}
                  />
                )}
                {bad > 0 && !isBad && <rect class="bad-pale" x={x} width={width} y={height - 1 - tall} height={bad} />}
              </g>
            );
          })}
        </>
      )}
    />
  );
}

interface Outcomes {
  delivered: number;
  undelivered: number;
  noReceipt: number;
  waiting: number;
}

/** What became of the texts of an hour, as one bar: delivered, a gap, undelivered, no receipt, what waits. */
export function OutcomeBar({ delivered, undelivered, noReceipt, waiting }: Outcomes): JSX.Element | null {
  const total = delivered + undelivered + noReceipt + waiting;
  if (total === 0) return null;
  const parts: [string, number][] = [
    ["ok", delivered],
    ["bad", undelivered],
    ["none", noReceipt],
    ["wait", waiting],
  ];
  return (
    <span class="outcome-bar" role="img" aria-label={`${formatShare(delivered, total)} delivered`}>
      {parts.map(([tone, count]) => count > 0 && <span key={tone} class={tone} style={{ flexGrow: count }} />)}
    </span>
  );
}
