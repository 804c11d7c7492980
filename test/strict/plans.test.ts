import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { runBatch } from "../../src/store/database.ts";
import { World } from "../world.ts";
import { ALLOWED_PLANS } from "./allowed-plans.ts";
import { strictEnv } from "./bindings.ts";
import { platform } from "./platform.ts";

beforeEach(async () => {
  await World.create();
});

/** The steps that a statement is refused for. */
async function stepsOf(sql: string, ...values: unknown[]): Promise<string[]> {
  await runBatch(strictEnv.DB, [strictEnv.DB.prepare(sql).bind(...values)]);
  return platform.takeRefusals().map((refusal) => refusal.slice(0, refusal.indexOf(": ")));
}

describe("the plan of a statement", () => {
  it.each([
    ["SELECT text FROM messages WHERE text = ?1", ["x"], "SCAN messages"],
    ["SELECT count(*) FROM messages AS m WHERE m.email = ?1", ["x"], "SCAN messages"],
    ["DELETE FROM clicks WHERE click_id = ?1", ["x"], "SCAN clicks"],
    [
      "UPDATE messages SET email = 'x' WHERE due_at IS NOT NULL",
      [],
      "SEARCH messages USING INDEX messages_pending (due_at>?)",
    ],
    [
      "SELECT max(text) FROM messages m WHERE m.website_id = ?1",
      ["x"],
      "SEARCH messages USING INDEX messages_by_time (website_id=?)",
    ],
    [
      "SELECT max(text) FROM messages WHERE website_id = ?1 AND phone > ?2 AND phone < ?3",
      ["x", 1, 2],
      "SEARCH messages USING INDEX messages_by_phone (website_id=? AND phone>? AND phone<?)",
    ],
    [
      "SELECT email FROM subscriptions WHERE website_id = ?1",
      ["x"],
      "SEARCH subscriptions USING PRIMARY KEY (website_id=?)",
    ],
    [
      "SELECT 1 FROM json_each(?1) j CROSS JOIN erased_people k ON k.website_id = j.value",
      ["[]"],
      "SEARCH erased_people USING PRIMARY KEY (website_id=?)",
    ],
    [
      "SELECT (SELECT max(m.text) FROM messages m WHERE m.website_id = w.website_id) FROM websites w WHERE w.website_id = ?1",
      ["x"],
      "SEARCH messages USING INDEX messages_by_time (website_id=?)",
    ],
  ])("is refused: %s", async (sql, values, step) => {
    expect(await stepsOf(sql, ...values)).toEqual([step]);
    expect(await stepsOf(sql, ...values)).toEqual([step]);
  });

  it.each([
    ["SELECT * FROM messages WHERE message_id = ?1", ["x"]],
    ["SELECT * FROM messages m JOIN clients c ON c.client_id = m.client_id WHERE m.message_id = ?1", ["x"]],
    ["SELECT value FROM json_each(?1) j WHERE j.value > 1", ["[1]"]],
    ["WITH recipients AS (SELECT value FROM json_each(?1)) SELECT r.value FROM recipients r", ["[1]"]],
    ["SELECT 1 FROM subscriptions WHERE website_id = ?1 AND phone = ?2", ["x", 1]],
    ["SELECT 1 FROM messages WHERE website_id = ?1 AND accepted_at > ?2 AND accepted_at < ?3", ["x", 1, 2]],
    ["SELECT 1 FROM messages WHERE status = 'SENDING' AND updated_at < ?1", [1]],
    ["SELECT 1 FROM subscription_changes WHERE change_id > ?1", [1]],
    ["INSERT INTO links (code, message_id, url) VALUES (?1, ?2, ?3)", ["a", "b", "c"]],
  ])("is right: %s", async (sql, values) => {
    expect(await stepsOf(sql, ...values)).toEqual([]);
  });

  it("is refused in each test that runs it, in an invocation and outside", async () => {
    const sql = "SELECT text FROM messages WHERE text = ?1 -- in an invocation";
    const run = () => strictEnv.DB.prepare(sql).bind("x").all();
    await platform.invoke("fetch", Date.now, run);
    expect(platform.takeRefusals()).toHaveLength(1);
    await run();
    expect(platform.takeRefusals()).toHaveLength(1);
  });

  it("that is listed may be that of the listed statement, and of no other", async () => {
    const oldest = "SELECT id FROM dead_jobs WHERE put_back_at IS NULL ORDER BY died_at LIMIT";
    expect(await stepsOf(`${oldest} ?1`, 10_000)).toEqual([]);
    expect(await stepsOf(`${oldest} 20000`)).toEqual(["SCAN dead_jobs USING INDEX dead_jobs_waiting"]);
  });
});

it("every plan is listed with a reason, once", () => {
  expect(ALLOWED_PLANS.filter(({ reason }) => reason.length < 10)).toEqual([]);
  const keys = ALLOWED_PLANS.map(({ step, sql }) => JSON.stringify([String(step), sql]));
  expect(keys).toEqual([...new Set(keys)]);
});

// SQLite looks these up by itself, which no plan shows.
it("every column that refers to another table has an index", async () => {
  const { results: tables } = await env.DB.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all<{
    name: string;
  }>();
  const indexed: boolean[] = [];
  for (const { name } of tables.filter(({ name }) => !/^(_|sqlite_|d1_)/.test(name))) {
    const { results: keys } = await env.DB.prepare(`PRAGMA foreign_key_list(${name})`).all<{ from: string }>();
    for (const { from } of keys) {
      const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN SELECT 1 FROM ${name} WHERE ${from} = ?1`).bind(1).all();
      indexed.push(/^SEARCH/.test(String(plan.results[0]?.detail)));
    }
  }
  expect([indexed.length > 0, indexed.every(Boolean)]).toEqual([true, true]);
});
