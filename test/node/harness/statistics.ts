// Pure. Medians and spread of few values.

/** What several rounds gave. */
export interface Spread {
  median: number;
  lowest: number;
  highest: number;
}

export function spreadOf(values: number[]): Spread {
  return { median: percentile(values, 0.5), lowest: Math.min(...values), highest: Math.max(...values) };
}

/** The smallest value that is not below the given share of all values; of an even number, the median is the mean of two. */
export function percentile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const rank = share * sorted.length;
  const at = (index: number) => sorted[Math.min(sorted.length - 1, Math.max(0, index))] ?? Number.NaN;
  return share === 0.5 && Number.isInteger(rank) ? (at(rank - 1) + at(rank)) / 2 : at(Math.ceil(rank) - 1);
}

/** The median of what pairs of values, measured in the same round, come to. */
export function medianRatio(numerators: number[], denominators: number[]): number {
  return percentile(
    numerators.map((value, index) => value / (denominators[index] ?? Number.NaN)),
    0.5,
  );
}
