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

/** Texts and answers come from strangers: their control characters, and those that turn the direction, must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, " ");
}

/** The same of many lines, such as CSV and JSON. A file gets them as they are. @param isTerminal where they are printed */
export function printableLines(text: string, isTerminal: boolean): string {
  return isTerminal ? text.replace(/(?!\n|\t)[\p{Cc}\p{Bidi_Control}]/gu, " ") : text;
}
