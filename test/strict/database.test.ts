import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { runBatch } from "../../src/store/database.ts";
import { World } from "../world.ts";
import { strictEnv } from "./bindings.ts";
import { mostArguments } from "./database.ts";
import { LIMITS } from "./limits.ts";
import { platform } from "./platform.ts";

const { DB } = strictEnv;
const run = (sql: string, ...values: unknown[]) =>
  DB.prepare(sql)
    .bind(...values)
    .all();

beforeEach(async () => {
  await World.create();
});

/** What is refused, which is noted as well. */
async function expectRefused(call: Promise<unknown>, error: string): Promise<void> {
  await expect(call).rejects.toThrow(`D1_ERROR: ${error}`);
  expect(platform.takeRefusals().filter((refusal) => refusal.startsWith(error))).toHaveLength(1);
}

describe("a statement", () => {
  it("has a hundred parameters at most", async () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => `?${i + 1}`).join();
    const values = (count: number) => new Array(count).fill(1);
    const most = LIMITS.boundParameters.value;
    await run(`SELECT 1 IN (${list(most)})`, ...values(most));
    await expectRefused(
      (async () => run(`SELECT 1 IN (${list(most + 1)})`, ...values(most + 1)))(),
      "too many SQL variables",
    );
  });

  it("has 100 KB at most", async () => {
    const statement = (bytes: number) => "SELECT 1 -- ".padEnd(bytes, "é".repeat(10)).slice(0, bytes);
    const ascii = (bytes: number) => "SELECT 1 -- ".padEnd(bytes, "x");
    await run(ascii(LIMITS.statementBytes.value));
    await expectRefused(run(ascii(LIMITS.statementBytes.value + 1)), "statement too long");
    await expectRefused(run(statement(LIMITS.statementBytes.value)), "statement too long");
  });

  it("gives a function 32 arguments at most", async () => {
    const call = (count: number) => `SELECT max(${new Array(count).fill("1").join(", ")})`;
    await run(call(LIMITS.functionArguments.value));
    await expectRefused(run(call(LIMITS.functionArguments.value + 1)), "too many arguments on function");
  });

  it.each([
    ["SELECT a, b, c FROM t WHERE x IN (1, 2, 3, 4)", 0],
    ["INSERT INTO t (a, b, c) VALUES (1, 2, 3)", 0],
    ["SELECT iif(a, max(1, 2, 3, 4), 0), count(*)", 4],
    ["SELECT coalesce('a,b),(c', 2)", 2],
  ])("%s has a function with %d of them", (sql, count) => {
    expect(mostArguments(sql)).toBe(count);
  });

  it("that writes begins with the fence", async () => {
    const erase = DB.prepare("DELETE FROM links WHERE code = 'x'");
    await runBatch(DB, [erase]);
    expect(platform.takeRefusals()).toEqual([]);
    for (const run of [() => DB.batch([erase]), () => erase.all()]) {
      await run();
      expect(platform.takeRefusals()).toEqual([expect.stringMatching("^a write without the fence")]);
    }
  });

  it("is no other than those that are counted", () => {
    expect(() => DB.prepare("SELECT 1").first()).toThrow("the strict platform does not count first");
  });
});

describe("a value", () => {
  const most = LIMITS.valueBytes.value;

  it.each([
    ["string", "x".repeat(most), `${"x".repeat(most)}x`],
    ["string of letters with two bytes", "é".repeat(most / 2), "é".repeat(most / 2 + 1)],
    ["blob", new Uint8Array(most), new Uint8Array(most + 1)],
  ])("that is bound has 2,000,000 bytes at most: %s", async (_, whole, large) => {
    await run("SELECT length(?1)", whole);
    await expectRefused(run("SELECT length(?1)", large), "string or blob too big");
    await expectRefused(DB.batch([DB.prepare("SELECT length(?1)").bind(large)]), "string or blob too big");
  });

  it("that comes back has no more either", async () => {
    await run("SELECT ?1 || ?2 AS text", "x".repeat(most / 2), "x".repeat(most / 2));
    const large = run("SELECT ?1 || ?2 AS text", "x".repeat(most / 2), "x".repeat(most / 2 + 1));
    await expectRefused(large, "string or blob too big");
  });

  it("shares them with the others of its row", async () => {
    await env.DB.prepare("CREATE TABLE pairs (a TEXT, b TEXT)").run();
    const insert = "INSERT INTO pairs (a, b) VALUES (?1, ?2)";
    await run(insert, "x".repeat(most / 2), "x".repeat(most / 2));
    await expectRefused(run(insert, "x".repeat(most / 2), "x".repeat(most / 2 + 1)), "string or blob too big");
  });
});

describe("a call", () => {
  it("reads half a million rows at most, all its statements together", async () => {
    const read = (rows: number) => DB.prepare("SELECT count(*) FROM numbers WHERE n <= ?1").bind(rows);
    await env.DB.prepare("CREATE TABLE numbers (n INTEGER PRIMARY KEY)").run();
    const half = LIMITS.rowsReadPerCall.value / 2;
    await env.DB.prepare(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?1) INSERT INTO numbers SELECT n FROM c",
    )
      .bind(half + 1)
      .run();
    const counts = await platform.invoke("fetch", Date.now, async () => {
      await DB.batch([read(half), read(half - 10)]);
      return { ...platform.counts };
    });
    expect(counts.queries).toBe(1);
    expect(counts.rowsRead).toBeGreaterThan(2 * half - 20);
    await expectRefused(DB.batch([read(half + 1), read(half + 1)]), "D1 DB storage operation exceeded timeout");
  });

  it("is refused while more of them wait than a test lets", async () => {
    platform.longestQueue.database = 3;
    const ends = await Promise.allSettled(Array.from({ length: 5 }, () => run("SELECT 1")));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"]);
    expect(String((ends[4] as PromiseRejectedResult).reason)).toContain(
      "D1 DB is overloaded. Too many requests queued.",
    );
    await run("SELECT 1");
    expect(platform.takeRefusals()).toEqual([]);
  });
});
