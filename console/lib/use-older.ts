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

/** The pages of a list that come after its first, and the last of them. */
export interface OlderOf<Answer, Row> extends Older<Row> {
  last: Answer;
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
): OlderOf<Answer, Row> {
  const [rows, setRows] = useState<Row[]>([]);
  const [read, setRead] = useState<Answer | null>(null);
  const loading = useAct();
  const last = read ?? first;
  const after = last.next;
  const load = () =>
    void loading.run(async () => {
      const page = await ask<Answer>(pathOf(path, { [cursor]: after }));
      setRows([...rows, ...rowsOf(page)]);
      setRead(page);
    });
  const clear = () => {
    setRows([]);
    setRead(null);
  };
  return { rows, last, hasMore: after !== null, loading, load, clear };
}
