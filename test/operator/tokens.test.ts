import { beforeEach, describe, expect, it } from "vitest";
import { makeIsolateState } from "../../src/deps.ts";
import type { AuditAnswers, TokenAnswers } from "../../src/operator/answers/operators.ts";
import { sha256Hex } from "../../src/platform/secrets.ts";
import { countingDatabase } from "../counting-database.ts";
import { failingDatabase } from "../failing-database.ts";
import { dumpStores } from "../stores.ts";
import { strictEnv } from "../strict/bindings.ts";
import { World } from "../world.ts";

const HOUR = 3600;

let world: World;

beforeEach(async () => {
  world = await World.create();
});

async function create(name: string, graceSeconds?: number): Promise<string> {
  const answer = await world.operator("POST", "/tokens", { name, graceSeconds });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as TokenAnswers["NewOperatorToken"]).token;
}

const end = (name: string, which = "") => world.operator("DELETE", `/tokens/${name}${which && `?which=${which}`}`);
const list = async () =>
  ((await (await world.operator("GET", "/tokens")).json()) as TokenAnswers["OperatorTokenList"]).tokens;
const as = (token: string, method = "GET", path = "/websites", body?: object, of = world) =>
  of.fetch(`/operator${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
const statuses = (...tokens: string[]) => Promise.all(tokens.map(async (token) => (await as(token)).status));

describe("a token of a name", () => {
  it("opens what OPERATOR_TOKEN opens, and its changes have its name", async () => {
    const token = await create("ada");
    expect(token).toMatch(/^op_[0-9a-f]{64}$/);
    expect((await as(token, "PUT", "/websites/brand", { name: "Brand", carrier: "sandbox" })).status).toBe(200);
    const answer = await as(token, "GET", "/audit?by=ada");
    expect(((await answer.json()) as AuditAnswers["AuditPage"]).entries).toMatchObject([
      { operator: "ada", action: "put-website", websiteId: "brand" },
    ]);
    expect(JSON.parse(world.logs.at(-1) ?? "")).toMatchObject({ event: "request", operator: "ada" });
    expect(await list()).toEqual([
      {
        ...{ name: "ada", role: "operator", createdAt: new Date(world.now).toISOString() },
        ...{ createdBy: "OPERATOR_TOKEN", endsAt: null },
      },
    ]);
  });

  it("is stored as a hash, and is in no list and no log", async () => {
    const token = await create("ada");
    await as(token);
    await list();
    const stores = await dumpStores(world);
    expect(stores).toContain(await sha256Hex(token));
    for (const text of [stores, world.logs.join()]) expect(text).not.toContain(token.slice(3));
    expect(world.logs.join()).not.toContain(await sha256Hex(token));
  });

  it("is one read of one row with each call", async () => {
    const token = await create("ada");
    const counted = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db: counted.db };
    await world.operator("GET", "/audit?by=nobody");
    const { calls, rowsRead } = counted.take();
    await as(token, "GET", "/audit?by=nobody");
    expect(counted.take()).toEqual({ calls: calls + 1, rowsRead: rowsRead + 1, rowsWritten: 0 });
  });

  it("costs the rows of its name to make and to end, and a page of the audit log is its rows, beside a thousand others", async () => {
    await world.rows(
      `INSERT INTO operator_tokens WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
       SELECT 'hash ' || n, 'name-' || n, 0, 'ada', NULL, 'operator' FROM numbers`,
    );
    await world.rows(
      `INSERT INTO audit_log WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
       SELECT n, 'request ' || n, 0, 'bob', 'put-website', 'shop', NULL, NULL, NULL, NULL, 'done' FROM numbers`,
    );
    const counted = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db: counted.db };
    // Each has calls, rows read, rows written.
    const costs: Record<string, unknown> = {};
    for (const [method, path, body] of [
      ["POST", "/tokens", { name: "ada" }],
      ["POST", "/tokens", { name: "ada", graceSeconds: 60 }],
      ["DELETE", "/tokens/ada", undefined],
      ["GET", "/audit?by=OPERATOR_TOKEN", undefined],
      ["GET", "/audit", undefined],
      ["GET", "/tokens", undefined],
    ] as const) {
      await world.operator(method, path, body);
      const { calls, rowsRead, rowsWritten } = counted.take();
      costs[`${method} ${path} ${JSON.stringify(body ?? {})}`] = [calls, rowsRead, rowsWritten];
      world.advance(1);
    }
    expect(costs).toEqual({
      'POST /tokens {"name":"ada"}': [1, 2, 5],
      'POST /tokens {"name":"ada","graceSeconds":60}': [1, 11, 6],
      "DELETE /tokens/ada {}": [1, 15, 5],
      "GET /audit?by=OPERATOR_TOKEN {}": [1, 3, 0],
      "GET /audit {}": [1, 100, 0],
      "GET /tokens {}": [1, 1000, 0],
    });
  });

  it("is refused by the next request once it is ended, also by an isolate that has let it in before", async () => {
    const token = await create("ada");
    const other = await World.another(world);
    expect((await as(token, "GET", "/websites", undefined, other)).status).toBe(200);
    expect(await (await end("ada")).json()).toEqual({ name: "ada", left: 0 });
    expect((await as(token, "GET", "/websites", undefined, other)).status).toBe(401);
    expect((await as(token)).status).toBe(401);
    expect((await as(token, "POST", "/tokens", { name: "eve" })).status).toBe(401);
    expect(await list()).toEqual([]);
    expect((await end("ada")).status).toBe(404);
  });

  it("needs a name of its own form", async () => {
    for (const name of ["", "OPERATOR_TOKEN", "Ada", "-a", "a".repeat(41), "a b", 7, undefined]) {
      expect((await world.operator("POST", "/tokens", { name })).status).toBe(400);
    }
    for (const graceSeconds of [-1, 0.5, 31 * 24 * HOUR, "1"]) {
      expect((await world.operator("POST", "/tokens", { name: "ada", graceSeconds })).status).toBe(400);
    }
    expect((await end("OPERATOR_TOKEN")).status).toBe(404);
    expect((await end("ada", "both")).status).toBe(400);
  });
});

describe("while a token is replaced", () => {
  it("both are valid until the old one is ended, and there is no third", async () => {
    const old = await create("ada");
    world.advance(HOUR);
    const next = await create("ada");
    world.advance(365 * 24 * HOUR);
    expect(await statuses(old, next)).toEqual([200, 200]);
    expect((await world.operator("POST", "/tokens", { name: "ada" })).status).toBe(400);
    expect(await (await end("ada", "old")).json()).toEqual({ name: "ada", left: 1 });
    expect(await statuses(old, next)).toEqual([401, 200]);
    expect((await end("ada", "old")).status).toBe(404);
    expect(await statuses(next)).toEqual([200]);
  });

  it("the old one ends after the grace, to the second, and makes room", async () => {
    const old = await create("ada");
    const other = await create("bob");
    world.advance(1);
    const next = await create("ada", HOUR);
    expect((await list()).map(({ name, endsAt }) => [name, endsAt])).toEqual([
      ["ada", new Date(world.now + HOUR * 1000).toISOString()],
      ["ada", null],
      ["bob", null],
    ]);
    world.advance(HOUR - 1);
    expect(await statuses(old, next, other)).toEqual([200, 200, 200]);
    world.advance(1);
    expect(await statuses(old, next, other)).toEqual([401, 200, 200]);
    expect((await list()).map(({ name }) => name)).toEqual(["ada", "bob"]);
    await create("ada");
    expect((await world.rows("SELECT 1 FROM operator_tokens WHERE name = 'ada'")).length).toBe(2);
  });

  it("the old one ends at once with a grace of 0; the new one alone can be ended too", async () => {
    const old = await create("ada");
    world.advance(1);
    const next = await create("ada", 0);
    expect(await statuses(old, next)).toEqual([401, 200]);
    world.advance(1);
    const lost = await create("ada");
    await end("ada", "new");
    expect(await statuses(next, lost)).toEqual([200, 401]);
  });

  it.each(["create", "end"])("a change that D1 answers only the second time is made once: %s", async (what) => {
    const { db } = world.deps;
    const old = await create("ada");
    world.advance(1);
    const before = await world.rows("SELECT * FROM audit_log");
    world.deps = { ...world.deps, db: failingDatabase(db, 1, "after", undefined, "batches") };
    const answer =
      what === "create" ? await world.operator("POST", "/tokens", { name: "ada", graceSeconds: 60 }) : await end("ada");
    world.deps = { ...world.deps, db };
    expect(answer.ok).toBe(true);
    expect(await statuses(old)).toEqual([what === "create" ? 200 : 401]);
    expect((await list()).length).toBe(what === "create" ? 2 : 0);
    expect(await world.rows("SELECT * FROM audit_log")).toHaveLength(before.length + 1);
  });
});

describe("who is let in", () => {
  it("OPERATOR_TOKEN always; a token of a name also once it is replaced, and not under another SERVICE_KEY", async () => {
    const token = await create("ada");
    const under = async (settings: object) => {
      const other = await World.another(world);
      const { config } = makeIsolateState({ ...strictEnv, ...settings } as Env);
      other.deps = { ...other.deps, config };
      return [
        (await as(token, "GET", "/websites", undefined, other)).status,
        (await other.operator("GET", "/websites")).status,
      ];
    };
    expect(await under({ OPERATOR_TOKEN: "a-new-token-of-the-operator-1234" })).toEqual([200, 401]);
    expect(await under({ SERVICE_KEY: undefined })).toEqual([401, 200]);
    expect(await under({ SERVICE_KEY: "another-service-key-of-the-tests" })).toEqual([401, 200]);
  });

  it("a token of a name also without SERVICE_KEY", async () => {
    const { config } = makeIsolateState({ ...strictEnv, SERVICE_KEY: undefined } as unknown as Env);
    world.deps = { ...world.deps, config };
    expect(await statuses(await create("ada"))).toEqual([200]);
  });

  it("nobody without a token, with a client's credentials, or with a token cut short", async () => {
    const client = await world.brand();
    const token = await create("ada");
    const paths = [
      ["GET", "/tokens"],
      ["POST", "/tokens"],
      ["DELETE", "/tokens/ada"],
      ["GET", "/audit"],
      ["GET", `/clients/${client.clientId}`],
    ] as const;
    for (const [method, path] of paths) {
      expect((await world.fetch(`/operator${path}`, { method })).status).toBe(401);
      const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
      expect((await world.fetch(`/operator${path}`, { method, headers })).status).toBe(401);
      for (const wrong of [client.clientSecret, token.slice(0, -1), `${token}0`, await sha256Hex(token)]) {
        expect((await as(wrong, method, path)).status).toBe(401);
      }
    }
    expect(await list()).toHaveLength(1);
  });

  it("OPERATOR_TOKEN without the database; a token of a name is then told to come again, a guess is refused", async () => {
    const token = await create("ada");
    world.deps = { ...world.deps, db: failingDatabase(world.deps.db, Number.POSITIVE_INFINITY) };
    const guess = `op_${"0".repeat(64)}`;
    expect([(await as(token)).status, (await as(guess)).status]).toEqual([503, 401]);
    expect((await world.operator("DELETE", "/tokens/OPERATOR_TOKEN")).status).toBe(404);
  });
});
