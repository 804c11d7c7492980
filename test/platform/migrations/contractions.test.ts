import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { emptyStores } from "../../stores.ts";
import { contractions, readSchema } from "./schema.ts";

const TABLE = `CREATE TABLE people (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  state TEXT DEFAULT 'new' CHECK (state IN ('new', 'old')), -- with a ) in a comment
  UNIQUE (name, state)
) STRICT`;

const apply = (...queries: string[]) => applyD1Migrations(env.DB, [{ name: `${queries}`, queries }]);

beforeEach(async () => {
  await emptyStores();
  await apply(TABLE, "CREATE INDEX people_by_state ON people (state)", "CREATE TABLE other (a TEXT)");
});

/** What the check says of a migration. */
async function of(...queries: string[]): Promise<string[]> {
  const before = await readSchema(env.DB);
  await apply(...queries);
  return contractions(before, await readSchema(env.DB));
}

const rebuild = (definition: string, columns = "id, name, state") => [
  definition.replace("people", "rebuilt"),
  `INSERT INTO rebuilt (${columns}) SELECT ${columns} FROM people`,
  "DROP TABLE people",
  "ALTER TABLE rebuilt RENAME TO people",
];

describe("what a migration takes away", () => {
  it.each([
    ["nothing: a new table", ["CREATE TABLE new (a TEXT NOT NULL)"]],
    [
      "nothing: columns",
      ["ALTER TABLE people ADD COLUMN a TEXT", "ALTER TABLE people ADD COLUMN b TEXT NOT NULL DEFAULT ''"],
    ],
    ["nothing: an index", ["CREATE INDEX people_by_name ON people (name)"]],
    ["nothing: an index goes", ["DROP INDEX people_by_state"]],
  ])("%s", async (_, queries) => {
    expect(await of(...queries)).toEqual([]);
  });

  it.each([
    ["a table", ["DROP TABLE other"], "other: taken away"],
    ["a table's name", ["ALTER TABLE other RENAME TO others"], "other: taken away"],
    ["a column", ["ALTER TABLE other ADD COLUMN b", "ALTER TABLE other DROP COLUMN a"], "other.a: taken away"],
    ["a column's name", ["ALTER TABLE people RENAME COLUMN name TO called"], "people.name: taken away"],
    [
      "a row without the new column",
      rebuild(TABLE.replace("name TEXT NOT NULL,", "name TEXT NOT NULL, a TEXT NOT NULL,").replace("STRICT", "")),
      "people.a: required, without default",
    ],
    ["a value that a CHECK let in", rebuild(TABLE.replace(", 'old'", "")), "people: its definition was changed"],
    ["no value at all", rebuild(TABLE.replace("TEXT DEFAULT", "TEXT NOT NULL DEFAULT")), "people.state: isRequired"],
    ["a type", rebuild(TABLE.replace("state TEXT", "state ANY")), "people.state: type was TEXT, is ANY"],
    ["a default", rebuild(TABLE.replace("'new' CHECK", "'old' CHECK")), "people.state: defaultValue"],
    ["a key", rebuild(TABLE.replace(" PRIMARY KEY", "")), "people.id: keyPlace was 1, is 0"],
    ["a second row", ["CREATE UNIQUE INDEX one_name ON people (name)"], "people: unique by (name)"],
    [
      "what ON CONFLICT names",
      rebuild(TABLE.replace(/, --.*\n {2}UNIQUE \(name, state\)/, "")),
      "people: no longer unique by",
    ],
    [
      "what a trigger refuses",
      ["CREATE TRIGGER refuse BEFORE INSERT ON people BEGIN SELECT RAISE(ABORT, 'no'); END"],
      "people: new CREATE TRIGGER",
    ],
  ])("%s", async (_, queries, line) => {
    expect((await of(...queries)).join("\n")).toContain(line);
  });
});
