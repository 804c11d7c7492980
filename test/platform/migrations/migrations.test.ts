import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { emptyStores } from "../../stores.ts";
import { Generation } from "./old-rows.ts";
import { contractions, readSchema, type Schema } from "./schema.ts";
import { writeRows } from "./write-rows.ts";

/**
 * Migrations that take something away, by name: what, and which release was the first that neither reads nor writes it.
 * Such a migration comes with a later release than that one, so that a rollback by one version finds all that it uses.
 */
const CONTRACTIONS: Record<string, { lines: string[]; unusedSince: string }> = {};

const MIGRATIONS = env.TEST_MIGRATIONS;
/** Each migration that finds rows of a version before it. */
const LATER = MIGRATIONS.slice(1).map(({ name }, index) => ({ name, at: index + 1 }));

beforeEach(emptyStores);

const applyUpTo = (end: number) => applyD1Migrations(env.DB, MIGRATIONS.slice(0, end));

/** Rows of the tables and columns that this schema has, as text, in an order of their own. */
async function dump(schema: Schema): Promise<Record<string, string[]>> {
  const tables = [...schema];
  const reads = tables.map(([table, { columns }]) =>
    env.DB.prepare(`SELECT json_array(${[...columns.keys()]}) AS line FROM ${table} ORDER BY line`),
  );
  const dumped = await env.DB.batch<{ line: string }>(reads);
  return Object.fromEntries(
    tables.map(([table], index) => [table, dumped[index]?.results.map(({ line }) => line) ?? []]),
  );
}

let generations: Generation[];

beforeAll(async () => {
  generations = [await Generation.make(0), await Generation.make(1)];
});

/** A database of the version before the migration. */
async function makeEmpty(at: number): Promise<Schema> {
  await applyUpTo(at);
  return readSchema(env.DB);
}

/** One that is in use. */
async function makeOld(at: number): Promise<Schema> {
  const schema = await makeEmpty(at);
  await writeRows(env.DB, schema, generations[0]?.rows ?? {});
  return schema;
}

describe.each(LATER)("$name", ({ name, at }) => {
  it("keeps every row of the version before as it was", async () => {
    const schema = await makeOld(at);
    const before = await dump(schema);
    expect(Object.values(before).flat().length).toBeGreaterThan(1000);
    await applyUpTo(at + 1);
    expect(await dump(schema)).toEqual(before);
    await applyUpTo(MIGRATIONS.length);
    expect(await dump(schema)).toEqual(before);
  });

  it("takes nothing away that the version before uses", async () => {
    const schema = await makeEmpty(at);
    await applyUpTo(at + 1);
    expect(contractions(schema, await readSchema(env.DB))).toEqual(CONTRACTIONS[name]?.lines ?? []);
  });

  it("lets the version before go on writing, and reading what it wrote", async () => {
    const schema = await makeOld(at);
    const before = await dump(schema);
    await applyUpTo(at + 1);
    const rows = await writeRows(env.DB, schema, generations[1]?.rows ?? {});
    const after = await dump(schema);
    for (const table of schema.keys()) {
      expect([table, after[table]?.length]).toEqual([table, (before[table]?.length ?? 0) + (rows[table]?.length ?? 0)]);
    }
  });
});

it("names no contraction that is none", () => {
  const names: string[] = MIGRATIONS.map(({ name }) => name);
  expect(Object.keys(CONTRACTIONS).filter((name) => !names.includes(name))).toEqual([]);
});

it("is applied to a database once: applied again, nothing changes", async () => {
  const schema = await makeOld(MIGRATIONS.length);
  const before = await dump(schema);
  await applyUpTo(MIGRATIONS.length);
  expect([await dump(schema), contractions(schema, await readSchema(env.DB))]).toEqual([before, []]);
});
