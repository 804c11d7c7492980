/** The sweep tells somebody of problems: once when one begins, once a day, and once when it ends. */
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const ALERTS = "https://hooks.example.com/services/T0/secret-part";
const HEARTBEAT = "https://beat.example.com/ping/secret-part";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const AWAY: Submission = { kind: "later", reason: "connection refused to +1 212 555 0199", failing: "carrier" };

interface Posted {
  type: string;
  text: string;
  data: Record<string, unknown>;
}

let world: World;
let client: TestClient;
let submit: () => Submission;
let posted: Posted[];
let beats: number;
let isTaken: boolean;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  const carrier: Carrier = { ...sandbox, submit: async () => submit() };
  const carriers = { ...world.deps.config.carriers, PUBLIC_ORIGIN: "https://sms.example.com" };
  const config = { ...world.deps.config, carriers, alertUrl: ALERTS, alertSecret: SECRET, heartbeatUrl: HEARTBEAT };
  world.deps = { ...world.deps, config, carriers: { ready: { gateway: strictCarrier(carrier) }, missing: {} } };
  await world.rows("UPDATE websites SET carrier = 'gateway'");
  [posted, beats, isTaken] = [[], 0, true];
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    if (url === HEARTBEAT) beats += 1;
    if (url !== ALERTS) return new Response("thanks");
    const headers = Object.fromEntries(new Headers(init?.headers));
    vi.setSystemTime(world.now);
    posted.push(new Webhook(SECRET).verify(String(init?.body), headers) as Posted);
    return new Response("", { status: isTaken ? 200 : 500 });
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function breakCarrier(): Promise<void> {
  submit = () => AWAY;
  for (let text = 0; text < 4; text++) await world.send(client, { phone: ADA });
  await world.runQueues();
}

const of = (problem: string) => posted.filter(({ data }) => data.problem === problem).map(({ type }) => type);

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
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
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
  isTaken = false;
  await world.pass(2);
  isTaken = true;
  await world.pass(1);
  const began = of("carrier-paused").length;
  await world.pass(2);
  expect(began).toBeGreaterThan(1);
  expect(of("carrier-paused")).toHaveLength(began);
});

describe("an address that takes no alert", () => {
  const problems = async () =>
    (await (await world.operator("GET", "/health")).json<{ details: Record<string, unknown>[] }>()).details.filter(
      ({ problem }) => problem === "alerts-refused",
    );
  const refuse = async () => {
    vi.mocked(globalThis.fetch).mockImplementation(async () => new Response("", { status: 400 }));
    await world.rows(
      "INSERT INTO dead_jobs (id, queue, body, died_at) VALUES ('j', 'textgate-messages', '{}', ?1)",
      world.now,
    );
  };

  const sweep = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      await world.sweep();
      world.advance(60);
    }
  };

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
  const history = () =>
    world.rows(
      "SELECT problem, told_at > 0 AS is_told, ended_at IS NOT NULL AS is_over FROM told_problems ORDER BY problem",
    );
  const mend = () => {
    submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  };
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

  it("is kept while no post is taken, and nobody hears of the end of what nobody was told of", async () => {
    isTaken = false;
    await breakCarrier();
    await world.pass(2);
    expect(await history()).toContainEqual({ problem: "carrier-paused", is_told: 0, is_over: 0 });
    mend();
    await world.pass(2);
    expect(await history()).toContainEqual({ problem: "carrier-paused", is_told: 0, is_over: 1 });
    isTaken = true;
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
    isTaken = false;
    await world.pass(1);
    isTaken = true;
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
