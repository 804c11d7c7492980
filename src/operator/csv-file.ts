// A file for an operator to download. It is sent while it is read, so a download that ends early lacks the last line, and its reader sees that.
import { FILE_MARK } from "../domain/people/csv.ts";

/** Rows that are read at a time. */
export const FILE_ROWS = 5000;

/** An invocation may make a thousand calls of D1. */
const MOST_PAGES = 800;

/** More rows break the file off. */
export const MOST_FILE_ROWS = MOST_PAGES * FILE_ROWS;

interface CsvFile<Row> {
  /** Without its ending. */
  name: string;
  /** The names of its columns. */
  head: string;
  /** Its first FILE_ROWS rows, or all. */
  first: Row[];
  /** The FILE_ROWS rows after this one, or those that are left. */
  after(row: Row): Promise<Row[]>;
  toLine(row: Row): string;
}

export function csvFile<Row>({ name, head, first, after, toLine }: CsvFile<Row>): Response {
  const encoder = new TextEncoder();
  let page = first;
  let pages = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const last = page.at(-1);
      if (pages > 0 && last !== undefined) page = await after(last);
      if (pages === MOST_PAGES && page.length > 0) throw new Error(`the file has more than ${MOST_FILE_ROWS} rows`);
      const begins = pages === 0 ? `${FILE_MARK}${head}\r\n` : "";
      controller.enqueue(encoder.encode(begins + page.map(toLine).join("")));
      pages += 1;
      if (page.length < FILE_ROWS) controller.close();
    },
  });
  const headers = {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}.csv"`,
  };
  return new Response(body, { headers });
}
