// Pure. Whether two samples come from the same distribution: the rank test of Mann and Whitney.

export interface RankTest {
  /** How often a value of `a` is the larger one, of all pairs; ties count half. 0.5: no difference. */
  superiority: number;
  /** Two-sided, by the normal approximation with correction for ties: for samples of 20 and more. */
  p: number;
}

export function rankTest(a: readonly number[], b: readonly number[]): RankTest {
  const all = [...a.map((value) => ({ value, isA: true })), ...b.map((value) => ({ value, isA: false }))];
  all.sort((x, y) => x.value - y.value);
  let rankSum = 0;
  let tieSum = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && all[end]?.value === all[start]?.value) end++;
    const isA = all.slice(start, end).filter((item) => item.isA).length;
    rankSum += isA * ((start + 1 + end) / 2);
    tieSum += (end - start) ** 3 - (end - start);
    start = end;
  }
  const [n, m, total] = [a.length, b.length, all.length];
  const u = rankSum - (n * (n + 1)) / 2;
  const variance = ((n * m) / 12) * (total + 1 - tieSum / (total * (total - 1)));
  const z = variance === 0 ? 0 : (u - (n * m) / 2) / Math.sqrt(variance);
  return { superiority: u / (n * m), p: 2 * upperTail(Math.abs(z)) };
}

/** Of the standard normal distribution, by the formula 26.2.17 of Abramowitz and Stegun: off by 7.5e-8 at most. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return density * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
}
