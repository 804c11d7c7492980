import type { ComponentChildren, JSX } from "preact";

export interface Tile {
  label: string;
  /** The mark by which the chart draws it. */
  mark?: ComponentChildren;
  value: string;
  /** Judges the number. */
  judgment: ComponentChildren;
  tone?: "ok" | "bad" | "wait" | undefined;
  /** The rows that it counts. */
  href?: string | undefined;
}

/** Numbers of one size on hairlines; they are the legend of the chart below. */
export function Tiles({ tiles }: { tiles: Tile[] }): JSX.Element {
  return (
    <ul class="tiles">
      {tiles.map(({ label, mark, value, judgment, tone, href }) => (
        <li key={label}>
          <span class="tile-label">
            {mark} {label}
          </span>
          {href ? (
            <a class="tile-value" href={href} aria-label={`${label}: ${value}`}>
              {value}
            </a>
          ) : (
            <span class="tile-value">{value}</span>
          )}
          <span class={`judgment ${tone ?? ""}`}>{judgment}</span>
        </li>
      ))}
    </ul>
  );
}

type MarkName = "step" | "up" | "down" | "disc" | "hatch";

/** As the series is drawn in the chart of the hour. */
export function ChartMark({ name }: { name: MarkName }): JSX.Element {
  const drawings: Record<MarkName, JSX.Element> = {
    step: <path class="line" d="M0 9h4V4h4v3h4" />,
    up: <path class="ok-fill" d="M1 12V3h4v9ZM7 12V6h4v6Z" />,
    down: <path class="bad-pale" d="M1 1v6h4V1ZM7 1v9h4V1Z" />,
    disc: <circle class="none-fill" cx="6" cy="6" r="4.5" />,
    hatch: <path class="wait-line" d="M0 5 5 0M0 9 9 0M1 12 12 1M5 12l7-7M9 12l3-3" />,
  };
  return (
    <svg class="chart-mark" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      {drawings[name]}
    </svg>
  );
}
