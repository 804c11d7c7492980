import { beforeEach, describe, expect, it } from "vitest";
import { World } from "../world.ts";
import { strictEnv } from "./bindings.ts";
import { ALLOWED_JOINS, joinFault, OF_THE_FIRST } from "./joins.ts";
import { platform } from "./platform.ts";

const OF_CLIENTS = "SELECT c.*, h.home FROM clients c LEFT JOIN client_homes h ON h.client_id = c.client_id";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

describe("a statement on rows of websites and on what only the first database has", () => {
  it.each([
    OF_CLIENTS,
    "SELECT 1 FROM messages m WHERE EXISTS (SELECT 1 FROM dead_jobs d WHERE d.id = m.message_id)",
    "UPDATE websites SET name = (SELECT database FROM homes h WHERE h.website_id = websites.website_id)",
    "INSERT INTO clients (client_id) SELECT client_id FROM client_homes",
    "DELETE FROM links WHERE code IN (SELECT subject FROM told_problems)",
  ])("is a fault: %s", (sql) => {
    expect(joinFault(sql)).toMatch(/is in each database, and \w+ in the first alone/);
  });

  it.each([
    "SELECT outcome FROM audit_log WHERE request_id = ?1",
    "SELECT h.database FROM client_homes c CROSS JOIN homes h ON h.home = c.home",
    "SELECT 'dead_jobs' AS name FROM messages",
    ...ALLOWED_JOINS.map(([part]) => part),
  ])("is none: %s", (sql) => {
    expect(joinFault(sql)).toBeUndefined();
  });

  it("fails the test that runs it, each time", async () => {
    for (let times = 0; times < 2; times++) {
      await strictEnv.DB.prepare(`${OF_CLIENTS} WHERE c.client_id = ?1`).bind("x").all();
      expect(platform.takeRefusals()).toEqual([
        expect.stringContaining("clients is in each database, and client_homes"),
      ]);
    }
  });
});

it("the tables of the first database are some that there are", async () => {
  const tables = await world.rows("SELECT name FROM sqlite_schema WHERE type = 'table'");
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(OF_THE_FIRST));
});
