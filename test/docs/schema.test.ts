import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import schema from "../../docs/schema.sql?raw";
import { writeSchema } from "../../scripts/schema-sql.ts";
import { emptyStores, makeSchema } from "../stores.ts";

const migrations = import.meta.glob("../../migrations/*.sql", { query: "?raw", import: "default", eager: true });

beforeEach(emptyStores);

/** Every definition as SQLite keeps it, without comments and layout. */
async function readDefinitions(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'd1_migrations' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<{ sql: string }>();
  return results.map(({ sql }) => withoutLayout(sql)).sort();
}

function withoutLayout(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[,)])|(?<=\() /g, "");
}

describe("docs/schema.sql", () => {
  /** After a new migration: `npm run docs`. */
  it("is what the migrations of today make", () => {
    const texts = Object.entries(migrations)
      .sort()
      .map(([, text]) => String(text));
    expect(texts.length).toBe(env.TEST_MIGRATIONS.length);
    expect(schema).toBe(writeSchema(texts));
  });

  it("makes the same database as the migrations", async () => {
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
    const migrated = await readDefinitions();
    expect(migrated.length).toBeGreaterThan(30);
    await emptyStores();
    await makeSchema();
    expect(await readDefinitions()).toEqual(migrated);
  });
});

describe("the writer of the schema", () => {
  const TABLE = `-- Who is known.
CREATE TABLE people (
  id INTEGER PRIMARY KEY, -- a, b; c
  name TEXT DEFAULT ';,)', -- in full
  UNIQUE (name, id)
) STRICT;
`;
  const write = (sql: string, comments = {}) => writeSchema([TABLE, sql], comments).split("\n").slice(2).join("\n");
  const first =
    "  id INTEGER PRIMARY KEY,              -- a, b; c\n  name TEXT DEFAULT ';,)',             -- in full\n";
  const begin = `-- Who is known.\nCREATE TABLE people (\n${first}`;
  const end = "  UNIQUE (name, id)\n) STRICT;\n";

  it.each([
    ["nothing more", "", begin + end],
    [
      "an added column, with the comment above it",
      "-- Lower case.\nALTER TABLE people ADD COLUMN email TEXT;",
      `${begin}  -- Lower case.\n  email TEXT,\n${end}`,
    ],
    ["a dropped table", "CREATE TABLE other (a TEXT);\nDROP TABLE other;", begin + end],
    [
      "an index",
      "-- Often.\nCREATE INDEX a ON people (name);",
      `${begin + end}\n-- Often.\nCREATE INDEX a ON people (name);\n`,
    ],
    ["a dropped index", "CREATE UNIQUE INDEX a ON people (name);\nDROP INDEX a;", begin + end],
    ["changed rows", "UPDATE people SET name = 'a;';", begin + end],
  ])("knows %s", (_, sql, expected) => {
    expect(write(sql)).toBe(expected);
  });

  it("puts another comment in place of a migration's", () => {
    expect(write("", { people: "Customers.", "people.name": "" })).toBe(
      `${begin.replace("Who is known", "Customers").replace(/ +-- in full/, "")}${end}`,
    );
  });

  it.each([
    ["a statement that it does not know", "ALTER TABLE people RENAME TO others;", {}, /unknown statement: ALTER/],
    ["a table that is not there", "DROP TABLE others;", {}, /no such table: others/],
    ["a comment on a column that is not there", "", { "people.age": "" }, /no such column: people.age/],
  ])("refuses %s", (_, sql, comments, error) => {
    expect(() => write(sql, comments)).toThrow(error);
  });
});
