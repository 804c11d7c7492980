// Reads the rows of a website in one database, and writes them in another.
import type { Counter, Key, Shifts } from "../../domain/databases/move.ts";
import { type Row, runBatch, runNamed, toJsonLists } from "../database.ts";
import { piece, prepare, Sql, sql } from "../sql.ts";
import { MOVED_NAMES, MOVED_TABLES, type MovedTable, PAGED, type TableName } from "./moved-tables.ts";
import { idPartOf, isTurn, type Turn } from "./moving.ts";

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
  const place = piece(String(orderOf(MOVED_TABLES[name]).map((column) => `t.${column}`)));
  const isAfter = after ? sql`(${place}) > ${toTuple(after)}` : piece("true");
  const isWithin = until ? sql`(${place}) <= ${toTuple(until)}` : piece("true");
  return prepare(
    db,
    sql`SELECT t.* FROM ${ownRows(name, website)} AND ${isAfter} AND ${isWithin} ORDER BY ${place} LIMIT ${most}`,
  );
}

/** The rows `t` of a table that are of the website. */
function ownRows(name: TableName, { websiteId, home }: MovingWebsite): Sql {
  const { by } = MOVED_TABLES[name];
  const table = piece(name);
  if (by === "website_id") return sql`${table} t WHERE t.website_id = ${websiteId}`;
  if (by === "client_id")
    return sql`clients c CROSS JOIN ${table} t ON t.client_id = c.client_id WHERE c.website_id = ${websiteId}`;
  const id = piece(`t.${by}`);
  return sql`${table} t WHERE substr(${id}, 15, 4) || substr(${id}, 21, 2) = ${idPartOf(home)}`;
}

/** `(${first}, ${second})` */
const toTuple = (key: Key): Sql => new Sql(["(", ...key.slice(1).map(() => ", "), ")"], key);

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
    prepare(
      db,
      sql`SELECT t.* FROM json_each(${ids}) j CROSS JOIN ${piece(other)} t ON t.${piece(MOVED_TABLES[other].by)} = j.value`,
    );
  const others = following.length > 0 && found.length > 0;
  const rows = others ? await runNamed(db, Object.fromEntries(following.map((other) => [other, select(other)]))) : {};
  const last = found.length === (range.most ?? PAGE_ROWS) ? found.at(-1) : undefined;
  return {
    rows: { [name]: found, ...rows },
    end: last ? orderOf(MOVED_TABLES[name]).map((column) => last[column] as string | number) : null,
  };
}

/** A late write in the source took a number after the move had reserved numbers in the target. */
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

/** Inserts or replaces rows, in one transaction. Writing the same rows again changes nothing. */
export async function writeRows(db: D1Database, rows: Rows, turn: Turn): Promise<void> {
  const statements = MOVED_NAMES.flatMap((name) => {
    const [first] = rows[name] ?? [];
    if (!first) return [];
    const columns = Object.keys(first);
    const into = piece(`${name} (${columns.map((column) => `"${column}"`)})`);
    const given = piece(String(columns.map((_, index) => `value ->> ${index}`)));
    return [...toJsonLists((rows[name] ?? []).map((row) => Object.values(row)))].map((list) =>
      prepare(db, sql`INSERT OR REPLACE INTO ${into} SELECT ${given} FROM json_each(${list}) WHERE ${isTurn(turn)}`),
    );
  });
  if (statements.length > 0) await runBatch(db, statements);
}

/** Deletes rows in one transaction. A row is deleted before the row that it refers to. */
export async function deleteRows(db: D1Database, rows: Rows, turn: Turn): Promise<void> {
  const statements = MOVED_NAMES.toReversed().flatMap((name) => {
    const some = rows[name] ?? [];
    if (some.length === 0) return [];
    const { key } = MOVED_TABLES[name];
    const given = piece(String(key.map((_, index) => `value ->> ${index}`)));
    const list = JSON.stringify(some.map((row) => keyOf(name, row)));
    return [
      prepare(
        db,
        sql`DELETE FROM ${piece(name)} WHERE (${piece(String(key))}) IN (SELECT ${given} FROM json_each(${list}))
          AND ${isTurn(turn)}`,
      ),
    ];
  });
  if (statements.length > 0) await runBatch(db, statements);
}

const keyOf = (name: TableName, row: Row): Key =>
  MOVED_TABLES[name].key.map((column) => row[column] as string | number);

/** The number of rows by table that are missing on one side, or differ. */
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

/** The number of rows that are read page by page, without the tables that have no index by website. */
export async function countRows(db: D1Database, websiteId: string): Promise<number> {
  const names = PAGED.filter((name) => ["website_id", "client_id"].includes(MOVED_TABLES[name].by));
  const statements = names.map((name) => {
    const isOwn =
      MOVED_TABLES[name].by === "client_id"
        ? sql`client_id IN (SELECT client_id FROM clients WHERE website_id = ${websiteId})`
        : sql`website_id = ${websiteId}`;
    return prepare(db, sql`SELECT count(*) AS count FROM ${piece(name)} WHERE ${isOwn}`);
  });
  const results = await runBatch(db, statements);
  return results.reduce((sum, { results: [row] }) => sum + ((row as { count: number } | undefined)?.count ?? 0), 0);
}
