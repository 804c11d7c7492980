// The rows of a website, as they are read in one database and written in another.
import type { Counter, Key, Shifts } from "../../domain/databases/move.ts";
import { type Row, runBatch, runNamed, toJsonLists } from "../database.ts";
import { MOVED_NAMES, MOVED_TABLES, type MovedTable, PAGED, type TableName } from "./moved-tables.ts";
import { ID_PART, IS_TURN, idPartOf, type Turn, toParameter } from "./moving.ts";

/** Rows of a table that are read at once. */
export const PAGE_ROWS = 500;

/** Rows by table. */
export type Rows = Partial<Record<TableName, Row[]>>;

export interface MovingWebsite {
  websiteId: string;
  home: number;
}

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

/** Numbers that the target has not kept free were taken after the move has reserved them: by a write that came late. */
export class NoRoomError extends Error {}

const shifted = (shifts: Shifts, counter: Counter, value: number): number => {
  const { by, end } = shifts[counter];
  if (value + by > end) throw new NoRoomError(`the target has no room for number ${value} of ${counter}`);
  return value + by;
};

/** Rows as the target is to have them. @throws NoRoomError */
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

/** A place in the order of a table, as the target has it. */
export function toTargetPlace(name: TableName, place: Key | null, shifts: Shifts): Key | null {
  if (place === null) return null;
  const columns = orderOf(MOVED_TABLES[name]);
  return place.map((value, index) => {
    const counter = MOVED_TABLES[name].shifts?.[columns[index] as string];
    return counter ? shifted(shifts, counter, Number(value)) : value;
  });
}

/** Makes these rows what they are given as, in one transaction. Writing them again changes nothing. */
export async function writeRows(db: D1Database, rows: Rows, turn: Turn): Promise<void> {
  const statements = MOVED_NAMES.flatMap((name) => {
    const [first] = rows[name] ?? [];
    if (!first) return [];
    const columns = Object.keys(first);
    const sql = `INSERT OR REPLACE INTO ${name} (${columns.map((column) => `"${column}"`)})
      SELECT ${columns.map((_, index) => `value ->> ${index}`)} FROM json_each(?1) WHERE ${IS_TURN}`;
    return [...toJsonLists((rows[name] ?? []).map((row) => Object.values(row)))].map((list) =>
      db.prepare(sql).bind(list, toParameter(turn)),
    );
  });
  if (statements.length > 0) await runBatch(db, statements);
}

/** In one transaction. What a row refers to is deleted after it. */
export async function deleteRows(db: D1Database, rows: Rows, turn: Turn): Promise<void> {
  const statements = MOVED_NAMES.toReversed().flatMap((name) => {
    const some = rows[name] ?? [];
    if (some.length === 0) return [];
    const { key } = MOVED_TABLES[name];
    const given = key.map((_, index) => `value ->> ${index}`);
    const sql = `DELETE FROM ${name} WHERE (${key}) IN (SELECT ${given} FROM json_each(?1)) AND ${IS_TURN}`;
    return [db.prepare(sql).bind(JSON.stringify(some.map((row) => keyOf(name, row))), toParameter(turn))];
  });
  if (statements.length > 0) await runBatch(db, statements);
}

const keyOf = (name: TableName, row: Row): Key =>
  MOVED_TABLES[name].key.map((column) => row[column] as string | number);

/** How many rows one side has, and the other has not or has otherwise, by table. */
export function countDifferences(expected: Rows, found: Rows): Map<TableName, number> {
  const counts = MOVED_NAMES.map((name) => {
    const contents = (rows: Rows) =>
      new Map((rows[name] ?? []).map((row) => [JSON.stringify(keyOf(name, row)), JSON.stringify(row)]));
    const [left, right] = [contents(expected), contents(found)];
    const keys = new Set([...left.keys(), ...right.keys()]);
    return [name, [...keys].filter((key) => left.get(key) !== right.get(key)).length] as const;
  });
  return new Map(counts.filter(([, count]) => count > 0));
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
