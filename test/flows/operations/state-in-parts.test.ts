/** The state of the service while a part of the database, or all of it, does not answer. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Problem } from "../../../src/domain/operations/problems.ts";
import type { ServiceStateAnswers } from "../../../src/operator/views/service-state.ts";
import { LATEST_MIGRATION } from "../../../src/store/database.ts";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const MIGRATIONS = import.meta.glob("../../../migrations/*.sql", { query: "?raw" });
const UNKNOWN = { count: null, oldestSeconds: null };

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  await world.sweep();
});

type State = ServiceStateAnswers["ServiceState"];
const look = async () => (await world.operator("GET", "/health")).json() as Promise<State>;
const metrics = async () => (await world.operator("GET", "/metrics")).text();
const detail = ({ details }: State, problem: Problem) => details.find((it) => it.problem === problem);

describe("one missing table", () => {
  it("is one failing part, and the others are as they are", async () => {
    await world.send(client, { phone: ADA });
    await world.rows("DROP TABLE dead_jobs");
    world.logs.length = 0;
    const answer = await world.operator("GET", "/health");
    const state = (await answer.json()) as State;
    expect(state).toMatchObject({ problems: ["state-incomplete"], deadJobs: UNKNOWN, credentialsBehind: { count: 0 } });
    expect(state.failing).toEqual([{ part: "deadJobs", error: expect.stringContaining("no such table: dead_jobs") }]);
    expect(state.messages.waiting.count).toBe(1);
    expect(state.carriers).toMatchObject([{ carrier: "sandbox", isInUse: true, waiting: { count: 1 } }]);
    expect(detail(state, "state-incomplete")?.cause).toMatch(/^deadJobs: .*no such table/);
    expect(state.requestId).toBe(answer.headers.get("x-request-id"));
    const line = world.logs.map((it) => JSON.parse(it)).find(({ event }) => event === "health.failing");
    expect(line).toMatchObject({ check: "deadJobs", requestId: state.requestId });
    const text = await metrics();
    expect(text).toContain('textgate_problem{problem="state-incomplete"} 1\n');
    expect(text).not.toMatch(/^textgate_dead_jobs/m);
  });

  it.each([
    ["counts", "unreadableTexts", "outcomes", "receipts"],
    ["last_sweep", "lastSweep"],
    ["carrier_pauses", "pauses"],
    ["failing_endpoints", "endpoints"],
    ["events", "callbacks"],
    ["inbound_texts", "keywordsWithoutEffect", "maybeOptOuts"],
    ["d1_migrations", "migrations"],
  ])("%s is the part %s alone, and no other problem is made of it", async (table, ...parts) => {
    await world.rows(`DROP TABLE ${table}`);
    const state = await look();
    expect(state.failing.map((it) => it.part)).toEqual(parts);
    expect(state.problems).toEqual(["state-incomplete"]);
    const text = await metrics();
    expect(text).toContain('textgate_problem{problem="state-incomplete"} 1\n');
    expect(text).not.toMatch(/NaN|null|undefined/);
  });
});

describe("the database", () => {
  it("that is away is a problem, and the queues answer all the same", async () => {
    await world.send(client, { phone: ADA });
    world.deps = { ...world.deps, db: failingDatabase(world.deps.db, Number.POSITIVE_INFINITY) };
    const state = await look();
    expect(state.problems).toEqual(["database-away"]);
    expect(state.database).toMatchObject({ status: "away", milliseconds: null });
    expect(detail(state, "database-away")?.cause).toMatch(/connection lost/);
    expect(state.queues[0]).toEqual({ queue: "messages", backlog: 1, oldestSeconds: null });
    expect(state.messages.waiting).toEqual(UNKNOWN);
    expect(state.sweep).toEqual({ endedAt: null, ageSeconds: null, failedJobs: [] });
    const text = await metrics();
    expect(text).toContain('textgate_problem{problem="database-away"} 1\n');
    expect(text).toContain('textgate_problem{problem="sweep-late"} 0\n');
  });

  it("that is overloaded, or takes seconds, is behind", async () => {
    const { deps } = world;
    const overloaded = failingDatabase(deps.db, Number.POSITIVE_INFINITY, "before", "D1 DB is overloaded.");
    world.deps = { ...deps, db: overloaded };
    expect(await look()).toMatchObject({ problems: ["database-behind"], database: { status: "behind" } });
    const batch = (statements: D1PreparedStatement[]) => {
      world.now += 3000;
      return deps.db.batch(statements);
    };
    world.deps = { ...deps, db: { prepare: (sql: string) => deps.db.prepare(sql), batch } as unknown as D1Database };
    const slow = await look();
    expect(slow).toMatchObject({ problems: ["database-behind"], database: { status: "behind", milliseconds: 3000 } });
    expect(slow.deadJobs.count).toBe(0);
  });

  it("that lacks migrations says which is the latest that it has", async () => {
    await world.rows("UPDATE d1_migrations SET name = '0000_of_before.sql'");
    const state = await look();
    expect(state.problems).toEqual(["migration-missing"]);
    expect(detail(state, "migration-missing")?.cause).toBe(
      `${LATEST_MIGRATION} is not applied; the latest that is: 0000_of_before.sql`,
    );
    await world.rows("UPDATE d1_migrations SET name = '0999_of_a_newer_version.sql'");
    expect((await look()).problems).toEqual([]);
  });

  it("is asked twice, while every part answers: for the waiting messages, and for its own size and sweep", async () => {
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await look();
    expect(take().calls).toBe(2);
  });
});

it("the latest migration is that of the folder", () => {
  expect(Object.keys(MIGRATIONS).sort().at(-1)).toBe(`../../../migrations/${LATEST_MIGRATION}`);
});

it("nobody is told that a problem is over while its part does not answer", async () => {
  const posted: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    posted.push(JSON.parse(String(init?.body)).text);
    return new Response("");
  });
  world.deps = { ...world.deps, config: { ...world.deps.config, alertUrl: "https://hooks.example.com/" } };
  await world.rows("INSERT INTO dead_jobs (id, queue, body, died_at) VALUES ('j', 'q', '{}', ?1)", world.now);
  await world.sweep();
  await world.rows("ALTER TABLE dead_jobs RENAME TO gone");
  await world.sweep();
  await world.rows("ALTER TABLE gone RENAME TO dead_jobs");
  await world.rows("DELETE FROM dead_jobs");
  await world.sweep();
  const told = posted.map((text) => text.replace("Textgate: ", "").replace(/( after \d+ minutes)|( \(.*)/gs, ""));
  expect(told.filter((text) => !text.includes("sweep-failing"))).toEqual([
    "Problem: dead-jobs",
    "Problem: state-incomplete",
    "Over: dead-jobs",
    "Over: state-incomplete",
  ]);
  vi.restoreAllMocks();
});
