// Figures as text in columns.
import type { Spread } from "./statistics.ts";

export function printTable(title: string, rows: string[][], left = 0): void {
  console.log(`\n${title}`);
  printRows(rows, left);
}

/** The first row heads the columns; the first `left` of them stand at the left of theirs. */
export function printRows(rows: (string | number)[][], left: number): void {
  const texts = rows.map((row) => row.map(String));
  const widths = texts[0]?.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of texts) {
    const cells = row.map((text, column) =>
      column < left ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
    );
    console.log(cells.join("  ").trimEnd());
  }
}

export function cell(spread: Spread | undefined): string {
  if (!spread) return "";
  return `${short(spread.median)} (${short(spread.lowest)}–${short(spread.highest)})`;
}

/** Three digits that count. */
export function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

export function whole(value: number): string {
  return value.toLocaleString("en");
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
