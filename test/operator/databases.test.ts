import { beforeEach, describe, expect, it } from "vitest";
import { bindDatabases, boundDatabase, otherNames, rowsOf, useDatabases } from "../databases.ts";
import { failingDatabase } from "../failing-database.ts";
import { strictDatabase } from "../strict/database.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const LIMIT = 10_000_000_000;
const DAY = 86_400;

let world: World;

beforeEach(async () => {
  world = await World.create();
});

interface Databases {
  databases: { database: string; status: string; websites: number; bytes: number | null; daysLeft: number | null }[];
}

const list = async () => ((await (await world.operator("GET", "/databases")).json()) as Databases).databases;
const put = async (websiteId: string, settings: object = {}) => {
  const answer = await world.operator("PUT", `/websites/${websiteId}`, { name: "A", carrier: "sandbox", ...settings });
  return {
    status: answer.status,
    ...((await answer.json()) as { database?: string; details?: { message: string }[] }),
  };
};
const problems = async () =>
  (
    (await (await world.operator("GET", "/health")).json()) as {
      details: { problem: string; database: string | null; cause: string | null }[];
    }
  ).details.map(({ problem, database, cause }) => ({ problem, database, cause }));

/** D1 that says it is so large. */
function sized(db: D1Database, bytes: () => number): D1Database {
  const batch = async (statements: D1PreparedStatement[]) => {
    const results = await db.batch(statements);
    return results.map((result) => ({ ...result, meta: { ...result.meta, size_after: bytes() } }));
  };
  return { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database;
}

describe("one database", () => {
  it("is listed with its size, what it grows by, and how long it will do", async () => {
    let bytes = 1_000_000_000;
    // The sizes of days are those of their first sweep.
    world.advance(DAY / 2);
    world.deps = { ...world.deps, db: sized(world.deps.db, () => bytes) };
    await put("brand");
    await world.sweep();
    expect(await list()).toMatchObject([
      { database: "DB", status: "ok", websites: 1, bytes, limitBytes: LIMIT, bytesPerDay: null, daysLeft: null },
    ]);
    for (let day = 0; day < 10; day++) {
      world.advance(DAY);
      bytes += 100_000_000;
      await world.sweep();
    }
    expect(await list()).toMatchObject([{ bytes: 2_000_000_000, bytesPerDay: 100_000_000, daysLeft: 80 }]);
    expect(await rowsOf("DB", "SELECT day FROM database_sizes")).toHaveLength(8);
  });

  it("grows by nothing that is known on its first day, and then by what was added since its first sweep", async () => {
    let bytes = 1_000_000_000;
    world.advance(DAY / 2 - 3600);
    world.deps = { ...world.deps, db: sized(world.deps.db, () => bytes) };
    await put("brand");
    await world.sweep();
    world.advance(2 * 3600);
    bytes += 10_000_000;
    await world.sweep();
    expect(await list()).toMatchObject([{ bytes, bytesPerDay: null, daysLeft: null }]);
    world.advance(22 * 3600);
    bytes += 110_000_000;
    await world.sweep();
    expect(await list()).toMatchObject([{ bytes, bytesPerDay: 120_000_000 }]);
  });

  it("names its latest migration, as wrangler has noted it", async () => {
    await world.rows("INSERT INTO d1_migrations (name) VALUES ('0099_later.sql')");
    expect(await list()).toMatchObject([{ schemaVersion: "0099_later.sql" }]);
    await world.rows("DROP TABLE d1_migrations");
    expect(await list()).toMatchObject([{ schemaVersion: null }]);
  });

  it("takes a website that names it, and refuses another name", async () => {
    expect(await put("one", { database: "DB" })).toMatchObject({ status: 200, database: "DB" });
    expect(await put("two", { database: "DB_2" })).toMatchObject({ status: 400 });
    expect(await put("one", { database: "DB_2" })).toMatchObject({ status: 400 });
    expect(await put("one", { database: "DB", helpText: "Help" })).toMatchObject({ status: 200 });
  });
});

describe("a second database", () => {
  it("takes websites at once where both are new, and otherwise ten minutes after its first sweep", async () => {
    await bindDatabases(world, 2);
    expect(await put("new", { database: "DB_2" })).toMatchObject({ status: 200, database: "DB_2" });
    await world.sweep();
    world.advance(DAY);
    await bindDatabases(world, 2);
    expect(await put("early", { database: "DB_2" })).toMatchObject({ status: 400 });
    expect(await put("first")).toMatchObject({ database: "DB" });
    await world.sweep();
    world.advance(9 * 60);
    expect(await put("early", { database: "DB_2" })).toMatchObject({
      details: [{ message: expect.stringContaining("ten minutes") }],
    });
    world.advance(60);
    expect(await put("late", { database: "DB_2" })).toMatchObject({ status: 200, database: "DB_2" });
  });

  it("takes none at once where the deploy that bound it replaced one that knows one database", async () => {
    // As that deploy leaves its last sweep.
    const [before, first] = [world.now - 60_000, world.now - DAY * 1000];
    await world.rows(
      "INSERT INTO last_sweep (only, ended_at, failed_jobs, first_ended_at) VALUES (1, ?1, '[]', ?2)",
      ...[before, first],
    );
    await bindDatabases(world, 2);
    for (const isSwept of [false, true]) {
      if (isSwept) await world.sweep();
      expect(await put("early", { database: "DB_2" })).toMatchObject({ status: 400 });
      expect(await put(`swept-${isSwept}`)).toMatchObject({ database: "DB" });
    }
    world.advance(10 * 60);
    expect(await put("late", { database: "DB_2" })).toMatchObject({ status: 200, database: "DB_2" });
  });

  it("gets the websites that name none while it is less full, and each keeps its own", async () => {
    await bindDatabases(world, 3);
    const bytes: Record<string, number> = { DB: 0.5 * LIMIT, DB_2: 0.2 * LIMIT, DB_3: 0.1 * LIMIT };
    world.deps = { ...world.deps, db: sized(world.deps.db, () => bytes.DB as number) };
    useDatabases(world, (name) => sized(strictDatabase(boundDatabase(name)), () => bytes[name] as number));
    expect([(await put("a")).database, (await put("b")).database]).toEqual(["DB_3", "DB_3"]);
    bytes.DB_3 = 0.6 * LIMIT;
    expect([(await put("c")).database, (await put("a")).database]).toEqual(["DB_2", "DB_3"]);
    expect((await list()).map(({ websites }) => websites)).toEqual([0, 1, 2]);
  });

  it.each([undefined, "DB_2"])(
    "keeps its website for life: another database is refused (now in %s)",
    async (database) => {
      await bindDatabases(world, 2);
      const { database: own } = await put("brand", { database });
      const other = own === "DB" ? "DB_2" : "DB";
      const refused = await put("brand", { database: other });
      expect(refused).toMatchObject({
        status: 400,
        code: 40001,
        details: [{ field: "database", message: `is ${own}: a website stays in its database` }],
      });
      expect(await put("brand", { database: own, name: "B" })).toMatchObject({ status: 200, database: own });
      expect(await rowsOf(other, "SELECT * FROM websites")).toEqual([]);
    },
  );

  it("that is dropped from the bindings is told, and its websites are refused, not looked for elsewhere", async () => {
    await bindDatabases(world, 2);
    await put("brand", { database: "DB_2" });
    const client = await world.client("brand");
    await world.sweep();
    useDatabases(world, boundDatabase, []);
    expect(await list()).toMatchObject([{ database: "DB" }, { database: "DB_2", status: "unbound", websites: 1 }]);
    expect(await problems()).toContainEqual({ problem: "database-away", database: "DB_2", cause: "unbound" });
    expect((await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] })).status).toBe(503);
    const text = { phone: ADA, text: "Hi", callbackData: "", sendPurpose: "x" };
    expect((await world.post("/text/message/send", client, text)).status).toBe(503);
    expect(await put("brand")).toMatchObject({ status: 503 });
    expect(await rowsOf("DB", "SELECT * FROM websites")).toEqual([]);
  });
});

describe("a database that lacks a migration, or does not answer", () => {
  it("is named by /health, by the list and by the problems, and takes no website", async () => {
    await bindDatabases(world, 3);
    await world.sweep();
    await boundDatabase("DB_2").exec("ALTER TABLE counted_ledgers RENAME TO gone");
    const names = otherNames(world);
    const dead = (name: string) => failingDatabase(strictDatabase(boundDatabase(name)), Number.POSITIVE_INFINITY);
    useDatabases(world, (name) => (name === "DB_3" ? dead(name) : strictDatabase(boundDatabase(name))), names);
    const health = await world.fetch("/health");
    expect([health.status, await health.json()]).toMatchObject([
      503,
      {
        checks: { database: { status: "failing" } },
        failingDatabases: expect.arrayContaining([
          { database: "DB_2", status: "unmigrated" },
          { database: "DB_3", status: "away" },
        ]),
      },
    ]);
    expect((await list()).map(({ database, status }) => [database, status])).toEqual([
      ["DB", "ok"],
      ["DB_2", "unmigrated"],
      ["DB_3", "away"],
    ]);
    expect(await problems()).toEqual(
      expect.arrayContaining([
        { problem: "migration-missing", database: "DB_2", cause: "unmigrated" },
        { problem: "database-away", database: "DB_3", cause: "away" },
      ]),
    );
    expect(await put("brand", { database: "DB_3" })).toMatchObject({ status: 400 });
    expect(await put("brand")).toMatchObject({ database: "DB" });
    await boundDatabase("DB_2").exec("ALTER TABLE gone RENAME TO counted_ledgers");
  });
});

describe("a database that fills", () => {
  let bytes: number;
  let client: TestClient;

  beforeEach(async () => {
    bytes = 0.5 * LIMIT;
    await bindDatabases(world, 2);
    useDatabases(world, (name) => sized(strictDatabase(boundDatabase(name)), () => bytes));
    await put("full", { database: "DB_2", sender: "+16465550000" });
    await world.subscribers("full", [ADA]);
    client = await world.client("full");
  });

  it("is a problem from 70 % on", async () => {
    await world.sweep();
    expect(await problems()).toEqual([]);
    bytes = 0.7 * LIMIT;
    expect(await problems()).toEqual([{ problem: "database-filling", database: "DB_2", cause: "70 % of its limit" }]);
    bytes = 0.95 * LIMIT;
    expect(await problems()).toEqual([{ problem: "database-full", database: "DB_2", cause: "95 % of its limit" }]);
  });

  it("takes no new website from 95 % on, whether it is named or not, and none where all are full", async () => {
    bytes = 0.95 * LIMIT - 1;
    expect(await put("last", { database: "DB_2" })).toMatchObject({ status: 200, database: "DB_2" });
    bytes = 0.95 * LIMIT;
    const isRefused = {
      status: 400,
      code: 40001,
      details: [{ field: "database", message: expect.stringMatching(/^is full/) }],
    };
    expect(await put("named", { database: "DB_2" })).toMatchObject(isRefused);
    expect(await put("unnamed")).toMatchObject({ status: 200, database: "DB" });
    expect(await put("full", { helpText: "Help" })).toMatchObject({ status: 200, database: "DB_2" });
    world.deps = { ...world.deps, db: sized(world.deps.db, () => bytes) };
    expect(await put("nowhere")).toMatchObject(isRefused);
    for (const database of ["DB", "DB_2"])
      expect(await rowsOf(database, "SELECT 1 FROM websites WHERE website_id IN ('named', 'nowhere')")).toEqual([]);
  });

  it("refuses texts from 95 % on, takes receipts and opt-outs, and takes texts again once there is room", async () => {
    const first = await world.send(client, { phone: ADA });
    bytes = 0.95 * LIMIT;
    await world.runQueues();
    const body = { phone: ADA, text: "Hi", callbackData: "", sendPurpose: "x" };
    const alone = await world.post("/text/message/send", client, body);
    expect([alone.status, await alone.json()]).toMatchObject([503, { code: 50301 }]);
    expect(Number(alone.headers.get("retry-after"))).toBeGreaterThan(60);
    for (const headers of [{}, { "idempotency-key": "k" }]) {
      const many = await world.post("/text/bulk/message/send", client, { messages: [body] }, headers);
      expect([many.status, await many.json()]).toMatchObject([503, { code: 50301 }]);
    }
    expect(await rowsOf("DB_2", "SELECT status FROM messages")).toEqual([{ status: "DELIVERED" }]);
    expect((await world.operator("GET", `/messages/${first}`)).status).toBe(200);
    expect((await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] })).status).toBe(200);
    expect(await rowsOf("DB_2", "SELECT subscribed FROM subscriptions")).toEqual([{ subscribed: 0 }]);
    bytes = 0.5 * LIMIT;
    await world.sweep();
    expect(typeof (await world.send(client, { phone: ADA }))).toBe("string");
  });
});
