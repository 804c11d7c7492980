export type Cell = string | number | null | undefined;

/** Aligned columns, two spaces between them. */
export function toTable(rows: Cell[][]): string {
  const cells = rows.map((row) => row.map((cell) => printable(cell === null ? "-" : String(cell ?? ""))));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Texts and answers come from strangers: their control characters must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
