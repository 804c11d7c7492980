import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../src/config.ts";
import { makeIsolateState } from "../../src/deps.ts";
import { HealthMemory } from "../../src/platform/health-memory.ts";
import { RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";
import { handleRequest } from "../../src/router.ts";
import { CredentialStore } from "../../src/store/clients/credentials.ts";
import { expectDocumented } from "../docs/conformance.ts";
import { failingDatabase } from "../failing-database.ts";
import { mockOwnLimits } from "../own-limits.ts";
import { emptyStores } from "../stores.ts";
import { World } from "../world.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const ask = async () => {
  const answer = await world.fetch("/health");
  const { status, checks } = (await answer.json()) as { status: string; checks: Record<string, { status: string }> };
  const failing = Object.entries(checks).flatMap(([name, check]) => (check.status === "ok" ? [] : [name]));
  return { http: answer.status, status, failing };
};

const WELL = { http: 200, status: "ok", failing: [] };

const down = () => Promise.reject(new Error("secret detail"));
const brokenKv = () => new CredentialStore({ get: down } as unknown as KVNamespace);
const brokenLimiter = () => new RateGate({ getByName: () => ({ admit: down }) } as unknown as RateLimiterNamespace);
const brokenDatabase = () => failingDatabase(world.deps.db, Number.POSITIVE_INFINITY, "before", "secret detail");

it("is well, to anyone", async () => {
  const answer = await world.fetch("/health");
  const ok = { status: "ok", milliseconds: 0 };
  expect(answer.status).toBe(200);
  const checks = { configuration: ok, database: ok, credentials: ok, limiter: ok };
  expect(await answer.json()).toEqual({ status: "ok", checks });
});

describe("what fails is named, and why is in the log alone:", () => {
  it.each([
    ["database", () => ({ db: brokenDatabase() })],
    ["credentials", () => ({ credentials: brokenKv() })],
    ["limiter", () => ({ limiter: brokenLimiter() })],
    ["configuration", () => ({ config: { ...world.deps.config, serviceKey: undefined } })],
  ])("%s", async (name, breaks) => {
    world.deps = { ...world.deps, ...breaks() };
    expect(await ask()).toEqual({ http: 503, status: "failing", failing: [name] });
    const answer = await (await world.fetch("/health")).text();
    expect(answer).not.toMatch(/secret|SERVICE_KEY/);
    expect(world.logs.filter((line) => line.includes("health.failing"))).toHaveLength(1);
  });

  it("all of them", async () => {
    world.deps = { ...world.deps, db: brokenDatabase(), credentials: brokenKv(), limiter: brokenLimiter() };
    expect(await ask()).toMatchObject({ http: 503, failing: ["database", "credentials", "limiter"] });
  });

  it("a database without the latest migration that adds anything to the schema", async () => {
    await emptyStores();
    const latest = env.TEST_MIGRATIONS.findLastIndex(({ queries }) =>
      queries.some((query) => !/^(--.*\s+)*(DROP|INSERT)/i.test(query)),
    );
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, latest));
    expect(await ask()).toMatchObject({ http: 503, failing: ["database"] });
    const answer = (await (await world.fetch("/health")).json()) as object;
    expect(answer).toMatchObject({
      failingDatabases: [{ database: "DB", status: "unmigrated" }],
      advice: "Run the migrations: npx wrangler d1 migrations apply DB --remote, or with --local for wrangler dev.",
    });
  });

  it("a database that does not answer, without an advice to run migrations", async () => {
    world.deps = { ...world.deps, db: brokenDatabase() };
    const answer = (await (await world.fetch("/health")).json()) as object;
    expect(answer).toMatchObject({ failingDatabases: [{ database: "DB", status: "away" }] });
    expect(answer).not.toHaveProperty("advice");
  });

  it("a configuration that cannot be read", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const request = new Request("http://localhost/health");
    const answer = await handleRequest(request, () => {
      throw new Error("wrong configuration: secret detail");
    });
    expect(answer.status).toBe(503);
    await expectDocumented(request, undefined, answer);
    const failing = { status: "failing", milliseconds: 0 };
    expect(await answer.json()).toEqual({ status: "failing", checks: { configuration: failing } });
  });
});

describe("a TELNYX_PUBLIC_KEY", () => {
  const KEY = new Uint8Array(32).fill(7).toBase64();

  it.each([
    ["that is shorter", new Uint8Array(31).toBase64()],
    ["that is longer, such as one of DER", new Uint8Array(44).toBase64()],
    ["that is no Base64", `${KEY.slice(0, -2)}!=`],
    ["that is the name of a key", "KEY0123456789ABCDEF"],
    ["in the form of PEM", `-----BEGIN PUBLIC KEY-----\n${KEY}\n-----END PUBLIC KEY-----`],
  ])("%s is refused as the service starts, and not shown", async (_, key) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const request = new Request("http://localhost/health");
    const answer = await handleRequest(request, () => {
      makeIsolateState({ ...env, TELNYX_PUBLIC_KEY: key } as unknown as Env);
      return world.deps;
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { checks: { configuration: { status: "failing" } } },
    ]);
    const lines = logged.mock.calls.join();
    expect(lines).toContain("TELNYX_PUBLIC_KEY: must be an Ed25519 public key: 32 bytes in Base64");
    expect(lines).not.toContain(key.slice(0, 20));
  });

  it.each(["", undefined, KEY])("may be %j", (key) => {
    expect(readConfig({ TELNYX_PUBLIC_KEY: key }).carriers.TELNYX_PUBLIC_KEY).toBe(key || undefined);
  });
});

it("does not wait for a store that never answers", async () => {
  const admit = async () => ({ admitted: true, remaining: 1, resetMilliseconds: 0 });
  const limiter = new RateGate({ getByName: () => ({ admit }) } as unknown as RateLimiterNamespace);
  const credentials = new CredentialStore({ get: async () => null } as unknown as KVNamespace);
  const db = { prepare: () => ({ all: () => new Promise(() => {}) }) } as unknown as D1Database;
  world.deps = { ...world.deps, db, limiter, credentials };
  const started: { milliseconds: number; end: () => void }[] = [];
  const within = mockOwnLimits((milliseconds, end) => {
    started.push({ milliseconds, end });
    return () => {};
  });
  const answer = within(ask);
  // KV's own limit, for requests, is longer.
  await expect.poll(() => started.length).toBe(6);
  // A database's own is shorter, so that its name is told.
  expect(started.map(({ milliseconds }) => milliseconds).sort()).toEqual([1800, 2000, 2000, 2000, 2000, 5000]);
  for (const { end } of started) end();
  expect(await answer).toEqual({ http: 503, status: "failing", failing: ["database"] });
});

describe("a flood of questions", () => {
  let reads = 0;
  const count = () => {
    reads = 0;
    const { db } = world.deps;
    const prepare = (sql: string) => {
      reads++;
      return db.prepare(sql);
    };
    world.deps = { ...world.deps, db: { prepare } as unknown as D1Database };
  };

  it("at once reaches the stores once, and again after five seconds", async () => {
    count();
    const first = ask();
    // The others look again until it is answered, however long the stores take.
    vi.mocked(scheduler.wait).mockImplementation(async () => void (await first));
    const answers = await Promise.all([first, ...Array.from({ length: 49 }, ask)]);
    expect(answers).toEqual(new Array(50).fill(WELL));
    world.advance(4.9);
    expect(await ask()).toEqual(WELL);
    expect(reads).toBe(1);
    world.advance(0.2);
    expect(await ask()).toEqual(WELL);
    expect(reads).toBe(2);
  });

  it("is told what was found before, while one asks again", async () => {
    const health = new HealthMemory();
    const ok = { configuration: { status: "ok", milliseconds: 0 } } as const;
    const failing = { configuration: { status: "failing", milliseconds: 0 } } as const;
    let end = (_: typeof failing) => {};
    let now = 0;
    expect(
      await health.read(
        () => now,
        async () => ok,
      ),
    ).toBe(ok);
    now = 5000;
    const slow = health.read(
      () => now,
      () => new Promise((resolve) => (end = resolve)),
    );
    expect(await health.read(() => now, down)).toBe(ok);
    end(failing);
    expect(await slow).toBe(failing);
    expect(await health.read(() => now, down)).toBe(failing);
  });

  it("does not wait for ever for one that was cut off", async () => {
    const health = new HealthMemory();
    const ok = { configuration: { status: "ok", milliseconds: 0 } } as const;
    let now = 1000;
    void health.read(
      () => now,
      () => new Promise(() => {}),
    );
    now += 2000;
    expect(
      await health.read(
        () => now,
        async () => ok,
      ),
    ).toBe(ok);
  });
});
