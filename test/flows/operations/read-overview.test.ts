/** The overview over several databases, and what is shown while one is away. */

import { beforeEach, describe, expect, it } from "vitest";
import type { OverviewAnswers } from "../../../src/operator/answers/overview.ts";
import { bindDatabases, boundDatabase, useDatabases } from "../../databases.ts";
import { failingDatabase } from "../../failing-database.ts";
import { World } from "../../world.ts";

type Overview = OverviewAnswers["Overview"];

let world: World;

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
});

async function look(query = ""): Promise<Overview> {
  const answer = await world.operator("GET", `/overview${query}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

const run = (database: string, sql: string, ...values: unknown[]) =>
  boundDatabase(database)
    .prepare(sql)
    .bind(...values)
    .run();

let homes = 0;

const website = (database: string, websiteId: string, holds: string | null = null) =>
  run(
    database,
    `INSERT INTO websites (website_id, name, carrier, created_at, updated_at, holds, home, database)
     VALUES (?1, ?2, 'sandbox', 0, 0, ?3, ?4, ?5)`,
    ...[websiteId, `The ${websiteId}`, holds, ++homes, database],
  );

interface Counts {
  accepted: number;
  delivered?: number;
  pending?: number;
  minutesAgo?: number;
  daysAgo?: number;
}

/** Adds to the counts of the minute and of the day, as a database does. */
async function count(database: string, websiteId: string, counts: Counts): Promise<void> {
  const { accepted, delivered = 0, minutesAgo = 10, daysAgo = 0 } = counts;
  const minute = Math.floor(world.now / 60_000) - minutesAgo;
  const day = Math.floor(world.now / 86_400_000) - daysAgo;
  const at =
    daysAgo === 0
      ? [
          ["minute", minute],
          ["day", day],
        ]
      : [["day", day]];
  for (const subject of [websiteId, ""])
    for (const [span, place] of at)
      for (const [kind, number] of [
        ["accepted", accepted],
        ["delivered", delivered],
      ])
        await run(
          database,
          `INSERT INTO counts (span, at, kind, subject, detail, count) VALUES (?1, ?2, ?3, ?4, '', ?5)
           ON CONFLICT DO UPDATE SET count = count + excluded.count`,
          ...[span, place, kind, subject, number],
        );
}

it("shows the websites of which something is held, and the busiest over all databases", async () => {
  for (const [index, database] of ["DB", "DB_2", "DB", "DB_2", "DB", "DB_2", "DB"].entries())
    await website(database, `w${index + 1}`, index === 6 ? '[{"since":0}]' : null);
  // w2 was busy in both databases: it is the busiest of all, and of none of them.
  await count("DB", "w2", { accepted: 60 });
  await count("DB_2", "w2", { accepted: 60 });
  await count("DB", "w1", { accepted: 100 });
  await count("DB_2", "w4", { accepted: 90 });
  await count("DB", "w3", { accepted: 80 });
  await count("DB_2", "w6", { accepted: 500, daysAgo: 1 });
  const { websites, isCut } = await look();
  expect([websites.map(({ websiteId }) => websiteId), isCut]).toEqual([["w2", "w1", "w4", "w3", "w7"], true]);
});

it("says what the websites and clients of a problem are called, whatever database they are in", async () => {
  await website("DB_2", "w1");
  await run("DB_2", "UPDATE websites SET carrier = 'twilio'");
  await run(
    "DB_2",
    `INSERT INTO clients (client_id, website_id, callback_url, operations, suspended, secret_hash, callback_secret, created_at, changed_at, name, secret_end)
     VALUES ('c1', 'w1', 'https://shop.example.com/', '[]', 0, '', '', 0, 0, 'The shop', '')`,
  );
  await run(
    "DB_2",
    `INSERT INTO failing_endpoints (client_id, host, since, failed_at, failures, cause)
     VALUES ('c1', 'shop.example.com', ?1, ?1, 5, 'answered 500')`,
    world.now,
  );
  await run(
    "DB",
    `INSERT INTO told_problems (problem, subject, began_at, told_at, ended_at, detail) VALUES ('endpoint-failing', 'c1', ?1, 0, ?1, ?2)`,
    ...[world.now - 1000, JSON.stringify({ websiteId: "w1", clientId: "c1" })],
  );
  const { problems, lastProblems } = await look();
  const failing = problems.filter(({ problem }) => problem === "endpoint-failing");
  expect(failing).toMatchObject([{ clientId: "c1", websiteNames: ["The w1"], clientName: "The shop" }]);
  expect(problems.find(({ clientId }) => clientId === null)).toMatchObject({ websiteNames: [], clientName: null });
  expect(lastProblems).toMatchObject([{ clientId: "c1", websiteName: "The w1", clientName: "The shop" }]);
});

describe("while a database is away", () => {
  beforeEach(async () => {
    await website("DB", "w1");
    await website("DB_2", "w2");
    await count("DB", "w1", { accepted: 3 });
    await count("DB_2", "w2", { accepted: 7 });
  });

  it("the first, what the others have is shown, and what is missing is said", async () => {
    world.deps = { ...world.deps, db: failingDatabase(boundDatabase("DB"), 1000) };
    for (const query of ["", "?website=w2"]) {
      const { websites, unavailableDatabases, lastProblems, problems } = await look(query);
      expect(websites).toMatchObject([{ websiteId: "w2", accepted: 7 }]);
      expect([unavailableDatabases, lastProblems]).toEqual([["DB"], []]);
      expect(problems).toMatchObject([{ problem: "database-away" }]);
    }
    expect((await world.operator("GET", "/overview?website=w1")).status).toBe(503);
  });

  it("another, the first is shown", async () => {
    useDatabases(world, (name) => failingDatabase(boundDatabase(name), 1000));
    const { websites, unavailableDatabases } = await look();
    expect([websites.map(({ websiteId }) => websiteId), unavailableDatabases]).toEqual([["w1"], ["DB_2"]]);
  });

  it("every one, the call fails", async () => {
    useDatabases(world, (name) => failingDatabase(boundDatabase(name), 1000));
    world.deps = { ...world.deps, db: failingDatabase(boundDatabase("DB"), 1000) };
    expect((await world.operator("GET", "/overview")).status).toBe(503);
  });
});
