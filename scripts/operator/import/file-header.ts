// The beginning of a CSV file of subscribers: the lines that name its columns.
import { CsvError } from "../../../src/domain/people/csv.ts";
import { readHeader } from "../../../src/domain/people/csv-header.ts";
import { isBlank } from "../../../src/domain/people/invisible.ts";
import { RowEnds } from "./row-ends.ts";

export interface FileHeader {
  /** One character. */
  separator: string;
  /** What stands before the first row, byte order mark and blank lines included. */
  bytes: number;
}

/**
 * @param beginning of the file, in UTF-8
 * @param isAll whether nothing follows
 * @returns null: the service will say what is wrong with the file
 */
export function readFileHeader(beginning: Uint8Array, isAll: boolean): FileHeader | null {
  const decoder = new TextDecoder();
  try {
    const header = readHeader(decoder.decode(beginning), isAll, "phone_numbers");
    return header ? { separator: header.separator, bytes: countBytes(beginning, header) } : null;
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

/** The columns are named by the first row that is not blank, or by the one after a row `sep=`. */
function countBytes(beginning: Uint8Array, { separator, records }: { separator: string; records: number }): number {
  const ends = new RowEnds(separator);
  const decoder = new TextDecoder();
  let [start, left] = [0, records];
  for (let at = 0; at < beginning.length; at++) {
    if (!ends.take(beginning[at] as number)) continue;
    const row = decoder.decode(beginning.subarray(start, at + 1));
    start = at + 1;
    if (!isBlank(row.replaceAll(separator, "").replaceAll('"', ""))) left -= 1;
    if (left === 0) return ends.isSecondHalf(beginning[at + 1] ?? 0) ? at + 2 : at + 1;
  }
  return beginning.length;
}
