// Reads the service's database, by way of test/workers/store.ts.

type Value = string | number | null;
export type Row = Record<string, Value>;
export type Query = (sql: string, ...values: Value[]) => Promise<Row[]>;

/** @param url of the Worker of test/workers/store.ts */
export function openStore(url: string): Query {
  return async (sql, ...values) => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ sql, values }) });
    if (!response.ok) throw new Error(`${sql}: ${response.status} ${(await response.text()).slice(0, 300)}`);
    return (await response.json()) as Row[];
  };
}
