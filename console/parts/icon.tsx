import type { JSX } from "preact";
import type { Shape } from "../lib/status-words.ts";

// Each is drawn on 16 × 16: lines of 1.5, round ends. A status is told by its shape alone, without its color.
const RING = "M8 1.75a6.25 6.25 0 1 1 0 12.5a6.25 6.25 0 1 1 0-12.5Z";

/** `fill`: a filled shape, in which `d` is cut out as a line of the ground. */
interface Drawing {
  d: string;
  fill?: string;
  dash?: string;
}

const STATUSES: Record<Shape, Drawing> = {
  delivered: { fill: "M8 1a7 7 0 1 1 0 14A7 7 0 1 1 8 1Z", d: "M5 8.2l2.1 2.1L11 6.2" },
  failed: { fill: "M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2Z", d: "M5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6" },
  problem: { fill: "M8 1.2 15.4 14H.6Z", d: "M8 6v3.6M8 11.8v.1" },
  waiting: { d: `${RING}M8 4.6V8l2.4 1.6` },
  held: { d: "M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2ZM6.3 5.6v4.8M9.7 5.6v4.8" },
  sending: { d: `${RING}M5.2 8h5.4M8.4 5.7 10.7 8l-2.3 2.3` },
  "no-receipt": { d: "M6.4 6.3a1.7 1.7 0 1 1 2.4 1.6c-.5.2-.8.5-.8 1M8 11.2v.1", dash: RING },
  none: { d: `${RING}M5.2 8h5.6` },
  cancelled: { d: `${RING}M3.7 12.3l8.6-8.6` },
  scheduled: { d: "M3 3.3h10v10H3ZM3 6.5h10M5.6 1.8v2.6M10.4 1.8v2.6" },
};

const LINES = {
  overview: "M2.5 13.5v-5M6.2 13.5v-11M9.8 13.5v-7M13.5 13.5V5",
  messages: "M2.5 3h11v8h-6L4.6 13.4V11H2.5Z",
  waitingPage: "M4 2h8M4 14h8M4.8 2v2.6L8 8l3.2-3.4V2M4.8 14v-2.6L8 8l3.2 3.4V14",
  conversations: "M2 2.5h8v5.6H6L4 10V8H2ZM12 6h2v5.6h-2v2l-2-2H6.5v-1.3",
  reports: "M3.5 1.8h6l3 3v9.4h-9ZM5.8 7.4h4.4M5.8 10h4.4M9.3 1.9v3.1h3.1",
  websites: "M2 6.5l1-4h10l1 4ZM3 6.5v7h10v-7M6.5 13.5V10h3v3.5",
  people: "M8 2a2.9 2.9 0 1 1 0 5.8A2.9 2.9 0 1 1 8 2ZM2.6 14c.4-3 2.6-4.4 5.4-4.4S13 11 13.4 14",
  import: "M8 1.8v7.8M4.9 6.7 8 9.8l3.1-3.1M2.2 10.4v3.4h11.6v-3.4",
  problems: "M8 2 14.6 13.5H1.4ZM8 6.4v3.3M8 11.5v.1",
  deadJobs: "M2 3h12v10H2ZM6.2 6.2l3.6 3.6M9.8 6.2 6.2 9.8",
  databases: "M3 3.8C3 1.6 13 1.6 13 3.8S3 6 3 3.8ZM3 3.8v8.4c0 2.2 10 2.2 10 0V3.8M3 8c0 2.2 10 2.2 10 0",
  audit: "M3 1.8h10v12.4H3ZM5.6 5h4.8M5.6 8h4.8M5.6 11h2.6",
  search: "M6.8 2.2a4.6 4.6 0 1 1 0 9.2 4.6 4.6 0 1 1 0-9.2ZM10.2 10.2l3.6 3.6",
  copy: "M5.5 5.5h8v8h-8ZM3 10.5H2.5v-8h8V3",
  close: "M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4",
  more: "M3 8h.1M8 8h.1M13 8h.1",
  callback: "M1.5 8h8.5M7.2 5.2 10 8l-2.8 2.8M13.5 3v10",
  shield: "M8 1.6 13 3.4v4.2c0 3.4-2.4 5.6-5 6.8-2.6-1.2-5-3.4-5-6.8V3.4ZM5.7 7.9l1.6 1.6 3-3.1",
  click: "M3 3l10 3.8-4.4 1.8L6.8 13Z",
} as const;

export type IconName = Shape | keyof typeof LINES;

/** An icon says nothing by itself to a screen reader: a word stands beside it, or is the name of its button. */
export function Icon({
  name,
  size = 16,
  class: extra = "",
}: {
  name: IconName;
  size?: number;
  class?: string;
}): JSX.Element {
  const drawing: Drawing = name in STATUSES ? STATUSES[name as Shape] : { d: LINES[name as keyof typeof LINES] };
  return (
    <svg class={`icon ${extra}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {drawing.fill && <path class="solid" d={drawing.fill} />}
      {drawing.dash && <path class="dashed" d={drawing.dash} />}
      <path class={drawing.fill ? "cut" : undefined} d={drawing.d} />
    </svg>
  );
}

/** The mark of the service, as the tab of the browser has it. */
export const Mark = (): JSX.Element => <img class="mark" src="/console/icon.svg" alt="" width={20} height={20} />;
