// The schema of a database as SQLite itself tells it, and what a migration takes away from those who know the one before.

interface Column {
  type: string;
  isRequired: boolean;
  /** SQL; null without one. */
  defaultValue: string | null;
  /** Place in the primary key, from 1; 0: not a part of it. */
  keyPlace: number;
}

interface Table {
  /** As SQLite keeps it: with each added column put in. */
  definition: string;
  columns: Map<string, Column>;
  /** What rows may not have in common, and what ON CONFLICT may name: columns and condition of unique indexes. */
  uniques: Set<string>;
  triggers: Set<string>;
}

export type Schema = Map<string, Table>;

/** The tables of the migrations: D1's own begin with `_cf`, SQLite's with `sqlite`; applyD1Migrations keeps a list too. */
const OWN = "name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name <> 'd1_migrations'";

/** By the definitions that SQLite keeps: to read a schema takes hundreds of calls, and there are as many as migrations. */
const known = new Map<string, Schema>();

export async function readSchema(db: D1Database): Promise<Schema> {
  const definitions = JSON.stringify(await rows(db, `SELECT name, sql FROM sqlite_schema WHERE ${OWN} ORDER BY rowid`));
  const schema = known.get(definitions) ?? (await readTables(db));
  known.set(definitions, schema);
  return schema;
}

async function readTables(db: D1Database): Promise<Schema> {
  const tables = await rows(db, `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND ${OWN} ORDER BY name`);
  const entries = tables.map(async ({ name, sql }) => [String(name), await readTable(db, String(name), String(sql))]);
  return new Map((await Promise.all(entries)) as [string, Table][]);
}

async function readTable(db: D1Database, name: string, definition: string): Promise<Table> {
  const columns = await rows(db, `PRAGMA table_info("${name}")`);
  const triggers = await rows(
    db,
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '${name}'`,
  );
  return {
    definition,
    columns: new Map(
      columns.map((column) => [
        String(column.name),
        {
          type: String(column.type),
          isRequired: column.notnull === 1,
          defaultValue: column.dflt_value === null ? null : String(column.dflt_value),
          keyPlace: Number(column.pk),
        },
      ]),
    ),
    uniques: await readUniques(db, name),
    triggers: new Set(triggers.map(({ sql }) => String(sql))),
  };
}

async function readUniques(db: D1Database, table: string): Promise<Set<string>> {
  const indexes = (await rows(db, `PRAGMA index_list("${table}")`)).filter((index) => index.unique === 1);
  const described = indexes.map(async (index) => {
    const columns = (await rows(db, `PRAGMA index_info("${index.name}")`)).map(({ name }) => name);
    const [definition] = await rows(
      db,
      `SELECT sql FROM sqlite_schema WHERE name = '${index.name}' AND ${index.partial}`,
    );
    return [`(${columns})`, ...(definition ? [String(definition.sql)] : [])].join(" ");
  });
  return new Set(await Promise.all(described));
}

async function rows(db: D1Database, sql: string): Promise<Record<string, string | number | null>[]> {
  return (await db.prepare(sql).all<Record<string, string | number | null>>()).results;
}

/** What a Worker that was made for `before` may miss, or be refused, in `after`: one line each. */
export function contractions(before: Schema, after: Schema): string[] {
  return [...before].flatMap(([name, table]) => {
    const present = after.get(name);
    return present ? tableContractions(table, present).map((line) => `${name}${line}`) : [`${name}: taken away`];
  });
}

function tableContractions(before: Table, after: Table): string[] {
  return [
    ...columnContractions(before.columns, after.columns),
    ...(isExtended(before.definition, after.definition) ? [] : [": its definition was changed, not only added to"]),
    ...missing(before.uniques, after.uniques).map((unique) => `: no longer unique by ${unique}`),
    ...missing(after.uniques, before.uniques).map((unique) => `: unique by ${unique}`),
    ...missing(before.triggers, after.triggers).map((sql) => `: lost ${sql}`),
    ...missing(after.triggers, before.triggers).map((sql) => `: new ${sql}`),
  ];
}

function columnContractions(before: Map<string, Column>, after: Map<string, Column>): string[] {
  const known = [...before].flatMap(([name, column]) => {
    const present = after.get(name);
    if (!present) return [`.${name}: taken away`];
    const fields = Object.keys(column) as (keyof Column)[];
    return fields
      .filter((field) => column[field] !== present[field])
      .map((field) => `.${name}: ${field} was ${column[field]}, is ${present[field]}`);
  });
  const added = [...after].filter(([name, column]) => !before.has(name) && column.isRequired);
  return [
    ...known,
    ...added
      .filter(([, column]) => column.defaultValue === null)
      .map(([name]) => `.${name}: required, without default`),
  ];
}

const missing = (from: Set<string>, others: Set<string>) => [...from].filter((item) => !others.has(item));

/** Whether all of `before` still stands in `after`, with something more put in at one place: then no CHECK is narrower. */
function isExtended(before: string, after: string): boolean {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  return after.length >= before.length && after.endsWith(before.slice(start));
}
