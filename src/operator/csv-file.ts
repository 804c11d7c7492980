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
  /** The first of them is read before the answer, so a store that fails is an error. */
  pages: AsyncGenerator<Row[]>;
  toLine(row: Row): string;
}

export function csvFile<Row>({ name, head, pages, toLine }: CsvFile<Row>): Response {
  const encoder = new TextEncoder();
  let begins = `${FILE_MARK}${head}\r\n`;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value: page, done } = await pages.next();
      if (done) return controller.close();
      controller.enqueue(encoder.encode(begins + page.map(toLine).join("")));
      begins = "";
    },
    cancel: async () => void (await pages.return(undefined)),
  });
  const headers = {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}.csv"`,
  };
  return new Response(body, { headers });
}

/**
 * @param first the first FILE_ROWS rows, or all
 * @param after reads the FILE_ROWS rows after this one, or those that are left
 */
export async function* pagesAfter<Row>(first: Row[], after: (row: Row) => Promise<Row[]>): AsyncGenerator<Row[]> {
  yield first;
  let last = first.length === FILE_ROWS ? first.at(-1) : undefined;
  for (let pages = 1; last !== undefined; pages++) {
    const page = await after(last);
    if (pages === MOST_PAGES && page.length > 0) throw new Error(`the file has more than ${MOST_FILE_ROWS} rows`);
    yield page;
    last = page.length === FILE_ROWS ? page.at(-1) : undefined;
  }
}
