import { beforeEach, describe, expect, it } from "vitest";
import { STAYING_TABLES } from "../../src/store/databases/moved-tables.ts";
import { World } from "../world.ts";
import { strictEnv } from "./bindings.ts";
import { ALLOWED_JOINS, joinFault, OF_THE_DATABASE } from "./joins.ts";
import { platform } from "./platform.ts";

const OF_IMPORTS = "SELECT i.*, a.outcome FROM imports i LEFT JOIN audit_log a ON a.request_id = i.import_id";

beforeEach(async () => {
  await World.create();
});

describe("a statement on what moves and what stays", () => {
  it.each([
    OF_IMPORTS,
    "SELECT 1 FROM messages m WHERE EXISTS (SELECT 1 FROM dead_jobs d WHERE d.id = m.message_id)",
    "UPDATE websites SET name = (SELECT outcome FROM audit_log a WHERE a.path = websites.website_id)",
    "INSERT INTO clients (client_id) SELECT client_id FROM client_homes",
    "DELETE FROM links WHERE code IN (SELECT subject FROM told_problems)",
  ])("is a fault: %s", (sql) => {
    expect(joinFault(sql)).toMatch(/moves with its website, and \w+ stays/);
  });

  it.each([
    "SELECT outcome FROM audit_log WHERE request_id = ?1",
    "SELECT 1 FROM imports i WHERE NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = i.website_id)",
    "SELECT h.database FROM homes h LEFT JOIN moves m ON m.website_id = h.website_id",
    "SELECT 'audit_log' AS name FROM messages",
    ...ALLOWED_JOINS.map(([part]) => part),
  ])("is none: %s", (sql) => {
    expect(joinFault(sql)).toBeUndefined();
  });

  it("fails the test that runs it, each time", async () => {
    for (let times = 0; times < 2; times++) {
      await strictEnv.DB.prepare(`${OF_IMPORTS} WHERE i.import_id = ?1`).bind("x").all();
      expect(platform.takeRefusals()).toEqual([
        expect.stringContaining("imports moves with its website, and audit_log"),
      ]);
    }
  });
});

it("what is of a database stays in it", () => {
  expect(Object.keys(STAYING_TABLES)).toEqual(expect.arrayContaining(OF_THE_DATABASE));
});
