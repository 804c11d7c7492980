import type { JSX } from "preact";
import type { Posts, WebsiteNow } from "../answers.ts";
import { formatCount, formatShare, sumOf } from "../lib/numbers.ts";
import { heightOf, topOf } from "../lib/scale.ts";
import { formatClock } from "../lib/times.ts";
import { type Bar, Bars, Chart } from "./chart.tsx";

const HEIGHT = 36;
const SLOT = 20 * 60_000;

/** The posts to an endpoint in 24 hours, by 20 minutes; a part in which most failed is vermilion. */
export function EndpointStrip({ slots }: { slots: Posts["slots"] }): JSX.Element {
  const taken = sumOf(slots, "taken");
  const failed = sumOf(slots, "failed");
  const top = topOf(Math.max(0, ...slots.map((slot) => slot.taken + slot.failed)));
  return (
    <Chart
      label="Callbacks of 24 hours, by 20 minutes"
      description={`${formatCount(taken)} taken, ${formatCount(failed)} failed.`}
      height={HEIGHT}
      left={0}
      items={slots}
      readout={({ at, taken, failed }) => ({
        heading: `${formatClock(at)} to ${formatClock(Date.parse(at) + SLOT)}`,
        rows: [
          ["Taken", taken],
          ["Failed", failed],
        ],
      })}
      draw={(frame) => {
        const foot = frame.height - 1;
        const bars = slots.map(({ taken, failed }): Bar[] => {
          const tall = heightOf(taken + failed, top, foot - 1);
          if (failed > taken) return [["bad-fill", foot, tall]];
          return [
            ["ok-fill", foot, tall],
            ["bad-pale", foot - tall, -heightOf(failed, top, foot - 1)],
          ];
        });
        return (
          <>
            <line class="grid" x1={frame.from} x2={frame.to} y1={foot + 0.5} y2={foot + 0.5} />
            <Bars columns={bars} frame={frame} />
          </>
        );
      }}
    />
  );
}

/** What became of the texts of an hour, as one bar: delivered, a gap, failed, without a receipt or a subscription, pending. */
export function OutcomeBar(of: Partial<Omit<WebsiteNow, "websiteId" | "name">>): JSX.Element | null {
  const { delivered = 0, undelivered = 0, notTaken = 0, noReceipt = 0, notSubscribed = 0, endedBefore = 0 } = of;
  const parts: [string, number][] = [
    ["ok", delivered],
    ["bad", undelivered + notTaken],
    ["none", noReceipt + notSubscribed + endedBefore],
    ["wait", (of.waiting ?? 0) + (of.scheduled ?? 0)],
  ];
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  return (
    <span class="outcome-bar" role="img" aria-label={`${formatShare(delivered, total)} delivered`}>
      {parts.map(([tone, count]) => count > 0 && <span key={tone} class={tone} style={{ flexGrow: count }} />)}
    </span>
  );
}
