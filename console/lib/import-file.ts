// The file is sent in pieces, each a request of one import, so the progress that is shown is what the service has answered.
import { RowEnds } from "../../scripts/operator/import/row-ends.ts";
import type { ImportAnswer, ImportList } from "../answers.ts";
import { websitePath } from "./addresses.ts";
import { ask } from "./ask.ts";
import { sumOf } from "./numbers.ts";
import { pathOf } from "./router.ts";

export interface Import {
  websiteId: string;
  file: File;
  /** Whether everyone in the file has agreed, and it has no column that says so. */
  everyone: boolean;
}

/** Fewer than the service stores in one transaction: a piece is stored as a whole or not at all. */
const PIECE_ROWS = 4000;

/** What is sent. */
export interface Pieces {
  /** The lines that name the columns: each piece begins with them. */
  head: string;
  pieces: { text: string; rows: number }[];
}

/** How far it has come: it goes on from here. */
export interface Run extends Pieces {
  importId?: string | undefined;
  /** Pieces that are answered. */
  sent: number;
  /** Rows of the file: a session's answer has their numbers masked. */
  refused: string[];
}

const post = ({ websiteId, file, everyone }: Import, csv: Blob, query: Record<string, string>) => {
  const all = { ...query, ...(everyone && { everyone: "subscribed" }), file: file.name };
  return ask<ImportAnswer>(pathOf(`${websitePath(websiteId)}/subscribers`, all), { method: "POST", csv });
};

/** Nothing is stored. */
export const previewImport = (it: Import): Promise<ImportAnswer> => post(it, it.file, { dryRun: "true" });

export const rowsOf = (pieces: Pieces["pieces"]): number => sumOf(pieces, "rows");

/** Cuts between rows, as the service reads them. @param firstLine the line, from 1, on which the first row begins */
export function cutRows(text: string, firstLine: number, separator: string, most = PIECE_ROWS): Pieces {
  const ends = new RowEnds(separator);
  const cut: Pieces = { head: "", pieces: [] };
  let [start, rowStart, rows] = [0, 0, 0];
  const endRow = (end: number, isLast: boolean) => {
    if (text.slice(rowStart, end).trim()) rows += 1;
    rowStart = end;
    if (rows < (isLast ? 1 : most)) return;
    cut.pieces.push({ text: text.slice(start, end), rows });
    [start, rows] = [end, 0];
  };
  for (let at = 0; at < text.length; at++) {
    if (!ends.take(text.charCodeAt(at))) continue;
    if (cut.head) endRow(at + 1, false);
    else if (ends.lines >= firstLine - 1) {
      cut.head = text.slice(0, at + 1);
      start = rowStart = at + 1;
    }
  }
  if (cut.head) endRow(text.length, true);
  return cut;
}

export async function beginRun({ file }: Import, { preview, separator = "," }: ImportAnswer): Promise<Run> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = { 255: "utf-16le", 254: "utf-16be" }[bytes[0] ?? 0] ?? "utf-8";
  const text = new TextDecoder(encoding).decode(bytes);
  return { ...cutRows(text, preview?.[0]?.line ?? 2, separator), sent: 0, refused: [] };
}

/**
 * Sends what is not answered yet. The head goes alone at first: so the id of the import is known before a row is stored. What is sent
 * again changes nothing, and its rows count once.
 * @returns the import as the service lists it
 * @throws Failure
 */
export async function runImport(
  it: Import,
  run: Run,
  onSent: () => void,
): Promise<ImportList["imports"][number] | undefined> {
  run.importId ??= (await post(it, new Blob([run.head]), {})).importId;
  for (const { text } of run.pieces.slice(run.sent)) {
    const query = { importId: run.importId ?? "", part: `${run.sent + 1}` };
    const { invalidCells = [] } = await post(it, new Blob([run.head, text]), query);
    const lines = (run.head + text).split(/\r\n?|\n/);
    for (const { column, line } of invalidCells)
      if (column === "phone_numbers") run.refused.push(lines[line - 1] ?? "");
    run.sent += 1;
    onSent();
  }
  const { imports } = await ask<ImportList>(pathOf("/operator/imports", { website: it.websiteId }));
  return imports.find(({ importId }) => importId === run.importId);
}
