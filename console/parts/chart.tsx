import type { ComponentChildren, JSX, TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../lib/numbers.ts";
import { columnAt, columnByKey, columnOf } from "../lib/scale.ts";
import { Section } from "./section.tsx";

export interface Readout {
  heading: string;
  rows: (readonly [label: string, value: number | string])[];
}

export interface Frame {
  width: number;
  height: number;
  /** Where the columns begin and end. */
  from: number;
  to: number;
  columns: number;
}

interface Props<Item> {
  /** What the chart is of, and what it says in a sentence. */
  label: string;
  description: string;
  height: number;
  /** Room for the labels of the axis. */
  left?: number;
  /** One for each column. */
  items: readonly Item[];
  readout: (item: Item) => Readout;
  draw: (frame: Frame) => ComponentChildren;
}

/**
 * A chart as SVG, as wide as its place. A pointer or the keyboard picks a column, whose numbers stand beside it: the chart is one
 * stop, a slider along the columns, so that a screen reader says the numbers.
 */
export function Chart<Item>({
  label,
  description,
  height: fullHeight,
  left = 44,
  items,
  readout,
  draw,
}: Props<Item>): JSX.Element {
  const [place, width] = useWidth();
  const [picked, setPicked] = useState<number | null>(null);
  const height = width < 480 ? Math.round(fullHeight * 0.82) : fullHeight;
  const columns = items.length;
  const frame: Frame = { width, height, from: left, to: width, columns };
  const item = items[picked ?? -1];
  const words = item && readout(item);
  const said = words
    ? `${words.heading}, ${words.rows.map(([name, value]) => `${name} ${written(value)}`).join(", ")}`
    : description;
  const step = (width - left) / columns;
  const pick = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const { left: edge } = event.currentTarget.getBoundingClientRect();
    setPicked(columnAt(event.clientX - edge, columns, left, width));
  };
  const onKey = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const next = columnByKey(event.key, picked, columns);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    setPicked(next);
  };
  return (
    <div
      ref={place}
      class="chart"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={columns}
      aria-valuenow={(picked ?? columns - 1) + 1}
      aria-valuetext={said}
      onPointerMove={pick}
      onPointerDown={pick}
      onPointerLeave={() => setPicked(null)}
      onBlur={() => setPicked(null)}
      onKeyDown={onKey}
    >
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {width > 0 && draw(frame)}
        {picked !== null && <rect class="shade" x={left + picked * step} width={step} y="0" height={height - 20} />}
      </svg>
      {words && picked !== null && <Box words={words} at={left + (picked + 0.5) * step} width={width} />}
    </div>
  );
}

const written = (value: number | string) => (typeof value === "number" ? formatCount(value) : value);

/** Beside the column, and on its other side near the edge. */
function Box({ words, at, width }: { words: Readout; at: number; width: number }): JSX.Element {
  const side = at > width - 190 ? { right: `${width - at + 14}px` } : { left: `${at + 14}px` };
  return (
    <div class="chart-box" style={side}>
      <strong>{words.heading}</strong>
      <dl>
        {words.rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{written(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width] as const;
}

/** Its class, where its foot is, and how far it goes up; a negative one hangs. */
export type Bar = [look: string, foot: number, height: number];

/** The bars of each column. */
export const Bars = ({ columns, frame: { from, to } }: { columns: Bar[][]; frame: Frame }): JSX.Element => (
  <>
    {columns.map((bars, index) => {
      const { x, width } = columnOf(index, columns.length, from, to);
      return bars.map(([look, foot, height]) => {
        const y = height > 0 ? foot - height : foot;
        const key = `${index} ${look}`;
        return height !== 0 && <rect key={key} class={look} x={x} width={width} y={y} height={Math.abs(height)} />;
      });
    })}
  </>
);

interface Figure {
  title: string;
  of?: ComponentChildren;
  /** Between the heading and the chart. */
  above?: ComponentChildren;
  head: string[];
  rows: (string | number)[][];
  children: ComponentChildren;
}

/** A chart under its heading, and the same numbers as a table at a press; both in print. */
export function ChartSection({ title, of, above, head, rows, children }: Figure): JSX.Element {
  const [isTable, setTable] = useState(false);
  const turn = (
    <button
      type="button"
      class="button text chart-switch"
      aria-label={`${isTable ? "Chart" : "Table"}: ${title}`}
      onClick={() => setTable(!isTable)}
    >
      {isTable ? "Chart" : "Table"}
    </button>
  );
  return (
    <Section title={title} of={of} act={turn}>
      {above}
      {!isTable && children}
      <ChartTable label={title} head={head} rows={rows} isShown={isTable} />
    </Section>
  );
}

function ChartTable({
  label,
  head,
  rows,
  isShown,
}: {
  label: string;
  head: string[];
  rows: (string | number)[][];
  isShown: boolean;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that.
    <section class={`chart-table ${isShown ? "" : "print-only"}`} tabIndex={0} aria-label={`${label}, table`}>
      <table class="numbers">
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...others]) => (
            <tr key={first}>
              <th scope="row">{first}</th>
              {others.map((value, index) => (
                <td key={head[index + 1]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
