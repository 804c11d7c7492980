/** The sweep tells somebody of problems: once when one begins, once a day, and once when it ends. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import {
  ADA,
  ALERTS,
  address,
  beats,
  begin,
  breakCarrier,
  client,
  end,
  history,
  mend,
  of,
  posted,
  problems,
  refuse,
  sweep,
  world,
} from "./tell-problems-stage.ts";

beforeEach(begin);

afterEach(end);

it("tells each endpoint's failure by itself", async () => {
  const other = await world.client("brand", { callbackUrl: "https://other.example.com/" });
  vi.mocked(globalThis.fetch).mockImplementation(async (url, init) => {
    if (url === ALERTS) posted.push(JSON.parse(String(init?.body)));
    return new Response("", { status: url === ALERTS ? 200 : 500 });
  });
  for (const some of [client, client, client, other, other, other]) await world.send(some, { phone: ADA });
  await world.runQueues();
  await world.sweep();
  const hosts = posted.filter(({ data }) => data.problem === "endpoint-failing").map(({ data }) => data.host);
  expect(hosts.sort()).toEqual(["brand.example.com", "other.example.com"]);
});

it("tells again what was not taken", async () => {
  await breakCarrier();
  address.isTaken = false;
  await world.pass(2);
  address.isTaken = true;
  await world.pass(1);
  const began = of("carrier-paused").length;
  await world.pass(2);
  expect(began).toBeGreaterThan(1);
  expect(of("carrier-paused")).toHaveLength(began);
});

describe("an address that takes no alert", () => {
  it("is none while no address is set", async () => {
    await refuse();
    await sweep(7);
    world.deps = { ...world.deps, config: { ...world.deps.config, alertUrl: undefined } };
    expect(await problems()).toEqual([]);
  });
});

it("tells that the database is away, once, and that it is back; without it, no heartbeat", async () => {
  await world.sweep();
  expect(beats).toBe(1);
  const { deps } = world;
  world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY) };
  for (let minute = 0; minute < 2; minute++) {
    world.advance(60);
    await world.sweep();
  }
  expect(of("database-away")).toEqual(["problem.began"]);
  expect(beats).toBe(1);
  world.deps = deps;
  await world.sweep();
  expect(of("database-away")).toEqual(["problem.began", "problem.ended"]);
  expect(beats).toBe(2);
});

it("reads a few rows, whether or not somebody is to be told", async () => {
  const { deps } = world;
  const { db, take } = countingDatabase(deps.db);
  const quiet = { ...deps.config, alertUrl: undefined, heartbeatUrl: undefined };
  world.deps = { ...deps, db, config: quiet };
  await world.sweep();
  await world.sweep();
  take();
  await world.sweep();
  const without = take();
  world.deps = { ...deps, db };
  await world.sweep();
  const told = take();
  expect(told.calls - without.calls).toBe(1);
  expect(told.rowsRead - without.rowsRead).toBeLessThan(5);
  expect(told.rowsWritten).toBe(without.rowsWritten);
  expect(without.calls).toBeLessThan(20);
  expect(without.rowsRead).toBeLessThan(100);
  expect(beats).toBe(1);
});

describe("the history of problems", () => {
  it("is kept while no post is taken, and nobody hears of the end of what nobody was told of", async () => {
    address.isTaken = false;
    await breakCarrier();
    await world.pass(2);
    expect(await history()).toContainEqual({ problem: "carrier-paused", is_told: 0, is_over: 0 });
    mend();
    await world.pass(2);
    expect(await history()).toContainEqual({ problem: "carrier-paused", is_told: 0, is_over: 1 });
    address.isTaken = true;
    await world.pass(2);
    expect(of("carrier-paused")).not.toContain("problem.ended");
  });

  it("has one entry for what begins again as it began before, and tells of it again", async () => {
    const job = () =>
      world.rows(
        "INSERT INTO dead_jobs (id, queue, body, died_at) VALUES ('j', 'textgate-messages', '{}', ?1)",
        world.now,
      );
    await job();
    await world.pass(1);
    await world.rows("DELETE FROM dead_jobs");
    await world.pass(2);
    expect(of("dead-jobs")).toEqual(["problem.began", "problem.ended"]);
    await world.rows("UPDATE told_problems SET began_at = ?1", world.now + 60_000);
    await job();
    address.isTaken = false;
    await world.pass(1);
    address.isTaken = true;
    await world.pass(3);
    expect(of("dead-jobs")).toEqual(["problem.began", "problem.ended", "problem.began", "problem.began"]);
    expect(await history()).toEqual([{ problem: "dead-jobs", is_told: 1, is_over: 0 }]);
  });

  it("is kept for 30 days", async () => {
    await world.rows(
      "INSERT INTO dead_jobs (id, queue, body, died_at) VALUES ('j', 'textgate-messages', '{}', ?1)",
      world.now,
    );
    await world.pass(1);
    await world.rows("DELETE FROM dead_jobs");
    await world.pass(1);
    world.advance(31 * 86_400);
    await world.rows(
      "INSERT INTO dead_jobs (id, queue, body, died_at) VALUES ('k', 'textgate-messages', '{}', ?1)",
      world.now,
    );
    await world.pass(1);
    expect(await history()).toMatchObject([{ problem: "dead-jobs", is_over: 0 }]);
  });
});
