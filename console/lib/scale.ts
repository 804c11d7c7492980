// Pure. The scale of a chart: bars begin at 0, always, and the top is a round number.

const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The next of 1, 1.5, 2, 3, 4, 5, 6, 8, 10 × 10ⁿ; of counts, which are whole, 2 at least. */
export function topOf(most: number, least = 2): number {
  if (most <= least) return least;
  const power = 10 ** Math.floor(Math.log10(most));
  return (STEPS.find((step) => step * power >= most) ?? 10) * power;
}

/** 0, the middle where it is a round number, and the top. */
export function labelsOf(top: number): number[] {
  const middle = top / 2;
  return Number.isInteger(middle) || top < 1 ? [0, middle, top] : [0, top];
}

/** Pixels of a value; what is not 0 is two high at least. */
export function heightOf(value: number, top: number, pixels: number): number {
  if (value <= 0) return 0;
  return Math.max(2, Math.round((Math.min(value, top) / top) * pixels * 10) / 10);
}

export interface Column {
  x: number;
  width: number;
}

/** Where the bar of each column stands: a gap of 1.5 pixels at least between two. */
export function columnOf(index: number, columns: number, from: number, to: number): Column {
  const step = (to - from) / columns;
  const gap = Math.max(1.5, Math.min(6, step * 0.18));
  return { x: from + index * step + gap / 2, width: Math.max(1, step - gap) };
}

/** A line that goes level over each column and upright between two, as the path of an SVG. */
export function stepPath(values: readonly number[], top: number, { from, to, base, height }: Place): string {
  const step = (to - from) / values.length;
  const levels = values.map((value) => base - (Math.min(value, top) / top) * height);
  const round = (value: number) => Math.round(value * 10) / 10;
  return levels
    .map((level, index) => `${index ? "V" : `M${round(from)} `}${round(level)}H${round(from + (index + 1) * step)}`)
    .join("");
}

export interface Place {
  from: number;
  to: number;
  /** The y of 0. */
  base: number;
  height: number;
}

/** The column under a pointer; null beside all of them. */
export function columnAt(x: number, columns: number, from: number, to: number): number | null {
  if (x < from || x >= to) return null;
  return Math.min(columns - 1, Math.floor(((x - from) / (to - from)) * columns));
}

/** The column that a key of the keyboard leads to; undefined for a key that leads nowhere. */
export function columnByKey(key: string, at: number | null, columns: number): number | null | undefined {
  const last = columns - 1;
  const from = at ?? columns;
  const targets: Record<string, number | null> = {
    ArrowLeft: Math.max(0, from - 1),
    ArrowRight: Math.min(last, (at ?? -1) + 1),
    PageUp: Math.max(0, from - 10),
    PageDown: Math.min(last, (at ?? -1) + 10),
    Home: 0,
    End: last,
    Escape: null,
  };
  return targets[key];
}
