// The rows of a website, as they are read in one database and written in another.
import { type Row, runBatch, runNamed, toJsonLists } from "./database.ts";
import { type Counter, MOVED_NAMES, MOVED_TABLES, type MovedTable, PAGED, type TableName } from "./moved-tables.ts";
import { ID_PART, idPartOf } from "./moving.ts";

/** Of a table. */
export const PAGE_ROWS = 1000;

export type Key = (string | number)[];

/** Rows by table. */
export type Rows = Partial<Record<TableName, Row[]>>;

export interface MovingWebsite {
  websiteId: string;
  home: number;
}

/** What is added to the numbers of each counter, and up to which number the target has room for the sum. */
export type Shifts = Record<Counter, { by: number; end: number }>;

/** Some rows in the order of their table: those after a key, up to another. */
interface Range {
  after: Key | null;
  until?: Key | null;
  most?: number;
}

const orderOf = ({ order, key }: MovedTable) => order ?? key;

function selectPage(db: D1Database, name: TableName, website: MovingWebsite, range: Range): D1PreparedStatement {
  const { after, until = null, most = PAGE_ROWS } = range;
  const table = MOVED_TABLES[name];
  const columns = orderOf(table).map((column) => `t.${column}`);
  const isBeyond = (sign: string, bound: "after" | "until", key: Key | null) =>
    key ? ` AND (${columns}) ${sign} (${columns.map((_, index) => `?1 ->> '$.${bound}[${index}]'`)})` : "";
  const isOwn = {
    website_id: `${name} t WHERE t.website_id = ?1 ->> 'websiteId'`,
    client_id: `clients c CROSS JOIN ${name} t ON t.client_id = c.client_id WHERE c.website_id = ?1 ->> 'websiteId'`,
  }[table.by];
  const from = isOwn ?? `${name} t WHERE ${ID_PART(`t.${table.by}`)} = ?1 ->> 'idPart'`;
  const { websiteId, home } = website;
  return db
    .prepare(
      `SELECT t.* FROM ${from}${isBeyond(">", "after", after)}${isBeyond("<=", "until", until)} ORDER BY ${columns} LIMIT ${most}`,
    )
    .bind(JSON.stringify({ websiteId, idPart: idPartOf(home), after, until }));
}

/** A page of a table, with what follows its rows. @returns `end`: the key of the last row; null when there are no more */
export async function readPage(
  db: D1Database,
  name: TableName,
  website: MovingWebsite,
  range: Range,
): Promise<{ rows: Rows; end: Key | null }> {
  const { page } = await runNamed(db, { page: selectPage(db, name, website, range) });
  const found = page as Row[];
  const ids = JSON.stringify(found.map((row) => row[MOVED_TABLES[name].key[0] as string]));
  const following = MOVED_NAMES.filter((other) => MOVED_TABLES[other].follows?.includes(name));
  const select = (other: TableName) =>
    db
      .prepare(`SELECT t.* FROM json_each(?1) j CROSS JOIN ${other} t ON t.${MOVED_TABLES[other].by} = j.value`)
      .bind(ids);
  const others = following.length > 0 && found.length > 0;
  const rows = others ? await runNamed(db, Object.fromEntries(following.map((other) => [other, select(other)]))) : {};
  const last = found.length === (range.most ?? PAGE_ROWS) ? found.at(-1) : undefined;
  return {
    rows: { [name]: found, ...rows },
    end: last ? orderOf(MOVED_TABLES[name]).map((column) => last[column] as string | number) : null,
  };
}

/** The rows with these keys, as far as they are there. */
export async function readRows(db: D1Database, keys: Map<TableName, Key[]>): Promise<Rows> {
  const select = (name: TableName, some: Key[]) => {
    const on = MOVED_TABLES[name].key.map((column, index) => `t.${column} = j.value ->> ${index}`).join(" AND ");
    return db.prepare(`SELECT t.* FROM json_each(?1) j CROSS JOIN ${name} t ON ${on}`).bind(JSON.stringify(some));
  };
  if (keys.size === 0) return {};
  const rows = await runNamed(db, Object.fromEntries([...keys].map(([name, some]) => [name, select(name, some)])));
  return rows as Rows;
}

const shifted = (shifts: Shifts, counter: Counter, value: number): number => {
  const { by, end } = shifts[counter];
  if (value + by > end) throw new Error(`the target has no room for number ${value} of ${counter}`);
  return value + by;
};

/** Rows as the target is to have them. */
export function toTarget(rows: Rows, shifts: Shifts, target: string): Rows {
  const entries = Object.entries(rows) as [TableName, Row[]][];
  return Object.fromEntries(
    entries.map(([name, some]) => {
      const counters = Object.entries(MOVED_TABLES[name].shifts ?? {});
      const place = name === "websites" ? { database: target } : {};
      const change = (row: Row): Row => ({
        ...row,
        ...Object.fromEntries(
          counters.flatMap(([column, counter]) =>
            row[column] === null ? [] : [[column, shifted(shifts, counter, Number(row[column]))]],
          ),
        ),
        ...place,
      });
      return [name, some.map(change)];
    }),
  );
}

/** Values of some columns of a table, as the target has them. */
export function toTargetKey(name: TableName, columns: readonly string[], key: Key, shifts: Shifts): Key {
  return key.map((value, index) => {
    const counter = MOVED_TABLES[name].shifts?.[columns[index] as string];
    return counter ? shifted(shifts, counter, Number(value)) : value;
  });
}

export const toTargetPlace = (name: TableName, place: Key | null, shifts: Shifts) =>
  place && toTargetKey(name, orderOf(MOVED_TABLES[name]), place, shifts);

/** Statements that make these rows what they are given as. */
export function writeRows(db: D1Database, rows: Rows): D1PreparedStatement[] {
  return MOVED_NAMES.flatMap((name) => {
    const [first] = rows[name] ?? [];
    if (!first) return [];
    const columns = Object.keys(first);
    const sql = `INSERT OR REPLACE INTO ${name} (${columns.map((column) => `"${column}"`)})
      SELECT ${columns.map((_, index) => `value ->> ${index}`)} FROM json_each(?1) WHERE true`;
    return [...toJsonLists((rows[name] ?? []).map((row) => Object.values(row)))].map((list) =>
      db.prepare(sql).bind(list),
    );
  });
}

export function deleteRows(db: D1Database, keys: Map<TableName, Key[]>): D1PreparedStatement[] {
  const names = [...keys.keys()].sort((a, b) => MOVED_NAMES.indexOf(b) - MOVED_NAMES.indexOf(a));
  const statements = names.map((name) => {
    const { key } = MOVED_TABLES[name];
    const given = key.map((_, index) => `value ->> ${index}`);
    return db
      .prepare(`DELETE FROM ${name} WHERE (${key}) IN (SELECT ${given} FROM json_each(?1))`)
      .bind(JSON.stringify(keys.get(name)));
  });
  return statements;
}

export const keyOf = (name: TableName, row: Row): Key =>
  MOVED_TABLES[name].key.map((column) => row[column] as string | number);

export function keysOf(rows: Rows): Map<TableName, Key[]> {
  const entries = Object.entries(rows) as [TableName, Row[]][];
  return new Map(
    entries.flatMap(([name, some]) => (some.length > 0 ? [[name, some.map((row) => keyOf(name, row))]] : [])),
  );
}

export const nameKey = (name: TableName, key: Key) => `${name} ${JSON.stringify(key)}`;

/** The rows that one side has, and the other has not or has otherwise: the keys of each table. */
export function findDifferences(expected: Rows, found: Rows): { name: TableName; key: Key }[] {
  const contents = (rows: Rows) =>
    new Map(
      MOVED_NAMES.flatMap((name) =>
        (rows[name] ?? []).map((row) => {
          const key = keyOf(name, row);
          return [nameKey(name, key), { name, key, text: JSON.stringify(row) }] as const;
        }),
      ),
    );
  const [left, right] = [contents(expected), contents(found)];
  const all = new Map([...left, ...right]);
  return [...all].flatMap(([id, { name, key }]) => (left.get(id)?.text === right.get(id)?.text ? [] : [{ name, key }]));
}

/** How many rows there are to be read page by page; of tables without an index for it, none. */
export async function countRows(db: D1Database, websiteId: string): Promise<number> {
  const names = PAGED.filter((name) => ["website_id", "client_id"].includes(MOVED_TABLES[name].by));
  const statements = names.map((name) => {
    const { by } = MOVED_TABLES[name];
    const of =
      by === "client_id" ? "client_id IN (SELECT client_id FROM clients WHERE website_id = ?1)" : "website_id = ?1";
    return db.prepare(`SELECT count(*) AS count FROM ${name} WHERE ${of}`).bind(websiteId);
  });
  const results = await runBatch(db, statements);
  return results.reduce((sum, { results: [row] }) => sum + ((row as { count: number } | undefined)?.count ?? 0), 0);
}
