import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ALERTS,
  begin,
  breakCarrier,
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

it("tells of a problem when it begins, and when it ends, with a text that a person can read", async () => {
  await world.pass(3);
  expect(posted).toEqual([]);
  await breakCarrier();
  await world.pass(10);
  expect(of("carrier-paused")).toEqual(["problem.began"]);
  expect(of("messages-late")).toEqual(["problem.began"]);
  const [paused] = posted.filter(({ data }) => data.problem === "carrier-paused");
  expect(paused?.text).toMatch(
    /^Textgate: Problem: carrier-paused \(gateway, since 2026-11-21T12:0\d:\d\d\S+, connection/,
  );
  expect(paused?.text).toMatch(/\. What to do: https:\/\/sms\.example\.com\/docs\/operator#carrier-paused$/);
  expect(paused?.data).toMatchObject({ subject: "gateway", carrier: "gateway" });
  mend();
  await world.pass(2);
  expect(of("carrier-paused")).toEqual(["problem.began", "problem.ended"]);
  expect(posted.at(-1)?.text).toMatch(/^Textgate: Over after \d+ minutes: /);
  expect(await world.rows("SELECT * FROM told_problems WHERE ended_at IS NULL")).toEqual([]);
  expect(
    await world.rows("SELECT problem, began_at < ended_at AS is_over, detail ->> 'cause' AS cause FROM told_problems"),
  ).toContainEqual({
    problem: "carrier-paused",
    is_over: 1,
    cause: expect.stringContaining("connection refused"),
  });
  expect(JSON.stringify([posted, world.logs])).not.toContain("0199");
  expect(world.logs.join()).not.toContain("secret-part");
});

it("tells once a day of a problem that lasts", async () => {
  await world.rows(
    "INSERT INTO dead_jobs (id, queue, body, died_at) VALUES ('j', 'textgate-messages', '{}', ?1)",
    world.now,
  );
  await world.sweep();
  for (let hours = 0; hours < 52; hours += 4) {
    world.advance(4 * 3600);
    await world.sweep();
  }
  expect(of("dead-jobs")).toEqual(["problem.began", "problem.lasts", "problem.lasts"]);
});

describe("an address that takes no alert", () => {
  it("is a problem after five minutes, with its answer, and is over once one is taken", async () => {
    const asked = vi.mocked(globalThis.fetch).getMockImplementation();
    await refuse();
    await sweep(4);
    expect(await problems()).toEqual([]);
    await sweep(1);
    expect(await problems()).toMatchObject([{ cause: "HTTP 400", since: "2026-11-21T12:00:00.000Z", carrier: null }]);
    vi.mocked(globalThis.fetch).mockImplementation(asked ?? fetch);
    await sweep(1);
    expect([of("dead-jobs"), of("alerts-refused")]).toEqual([["problem.began"], ["problem.began"]]);
    expect(await problems()).toEqual([]);
    await sweep(1);
    expect(of("alerts-refused")).toEqual(["problem.began", "problem.ended"]);
  });
});

describe("the history of problems", () => {
  const useAlerts = (alertUrl: string | undefined) => {
    world.deps = { ...world.deps, config: { ...world.deps.config, alertUrl } };
  };

  it("is kept where nobody is told, and who is told later hears of what lasts", async () => {
    useAlerts(undefined);
    await breakCarrier();
    await world.pass(8);
    const both = ["carrier-failing", "carrier-paused", "messages-late"];
    expect(await history()).toMatchObject(both.map((problem) => ({ problem, is_told: 0, is_over: 0 })));
    useAlerts(ALERTS);
    await world.pass(1);
    expect(both.map(of)).toEqual(both.map(() => ["problem.began"]));
    useAlerts(undefined);
    mend();
    await world.pass(3);
    expect(await history()).toMatchObject(both.map((problem) => ({ problem, is_told: 1, is_over: 1 })));
    useAlerts(ALERTS);
    await world.pass(3);
    expect(both.map(of)).toEqual(both.map(() => ["problem.began", "problem.ended"]));
  });
});
