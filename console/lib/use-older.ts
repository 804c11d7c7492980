import { useState } from "preact/hooks";
import { ask } from "./ask.ts";
import { pathOf } from "./router.ts";
import { type Act, useAct } from "./use-act.ts";

interface Page {
  next: string | null;
}

export interface Older<Row> {
  rows: Row[];
  hasMore: boolean;
  loading: Act;
  load(): void;
  /** Only the first page again. */
  clear(): void;
}

/**
 * The pages of a list that come after its first.
 * @param cursor the name of the query's cursor
 */
export function useOlder<Answer extends Page, Row>(
  first: Answer,
  path: string,
  rowsOf: (page: Answer) => Row[],
  cursor = "cursor",
): Older<Row> {
  const [rows, setRows] = useState<Row[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const loading = useAct();
  const after = rows.length > 0 ? next : first.next;
  const load = () =>
    void loading.run(async () => {
      const page = await ask<Answer>(pathOf(path, { [cursor]: after }));
      setRows([...rows, ...rowsOf(page)]);
      setNext(page.next);
    });
  return { rows, hasMore: after !== null, loading, load, clear: () => setRows([]) };
}
