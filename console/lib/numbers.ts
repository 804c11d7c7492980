// Pure. Numbers as the console writes them.

const GROUPED = new Intl.NumberFormat("en-US");

/** `2,918`; an en dash for what is not known. */
export const formatCount = (count: number | null | undefined): string =>
  count === null || count === undefined ? "–" : GROUPED.format(count);

/** On an axis: `500`, `10k`, `1.5m`. */
export function formatAxis(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}m`;
  return value >= 10_000 ? `${Number((value / 1000).toFixed(1))}k` : GROUPED.format(value);
}

/**
 * `98.4 %`; two decimals below one percent, so that rates of opt-outs can be told apart. Only all is 100 %, and only none is 0 %. An en dash
 * for a share of nothing.
 */
export function formatShare(part: number, whole: number, decimals?: number): string {
  if (whole <= 0) return "–";
  const percent = (part / whole) * 100;
  if (part === 0 || part >= whole) return `${Math.round(percent)} %`;
  const digits = decimals ?? (percent < 1 ? 2 : 1);
  const step = 10 ** -digits;
  return `${Math.min(100 - step, Math.max(step, percent)).toFixed(digits)} %`;
}

/** Whole percent, rounded down: only all is 100. */
export const percentOf = (part: number, whole: number): number =>
  Math.min(100, Math.floor((part / Math.max(1, whole)) * 100));

/** A difference of two percentages, with its sign: `+0.8`, `−1.9`, `0.0`. */
export function formatChange(percents: number, decimals = 1): string {
  const size = Math.abs(percents).toFixed(decimals);
  if (Number(size) === 0) return size;
  return `${percents > 0 ? "+" : "−"}${size}`;
}

/** `1 text`, `950 texts`. */
export const countOf = (count: number | null, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** `4.2 GB`, `810 MB`: as D1 counts, by thousands. */
export function formatBytes(bytes: number | null): string {
  if (bytes === null) return "–";
  const units = ["bytes", "KB", "MB", "GB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${units[unit]}`;
}

/** Names as a sentence lists them: `a`, `a and b`, `a, b and c`. */
export function listOf(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? "";
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** `Over the cap`. */
export const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The sum of one number of each. */
export const sumOf = <Key extends string>(rows: readonly { [key in Key]?: number | null }[], key: Key): number =>
  rows.reduce((sum, row) => sum + (row[key] ?? 0), 0);

/** The middle value; null of nothing. What is usual of the closed days. */
export function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [below = 0, above = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? above : (below + above) / 2;
}

/** An unusual share of failures is three times the usual one, 4 % at least, among 20 texts at least. */
export function isUnusual(failed: number, of: number, usualShare: number | null): boolean {
  return of >= 20 && failed / of >= 0.04 && failed / of >= 3 * (usualShare ?? 0);
}
