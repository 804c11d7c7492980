// Figures as text in columns.
import type { Spread } from "./statistics.ts";

/** The first row heads the columns; the first `left` of them stand at the left of theirs. */
export function printTable(title: string, rows: string[][], left = 0): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log(`\n${title}`);
  for (const row of rows) {
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
