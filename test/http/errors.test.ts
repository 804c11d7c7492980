import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { makeDeps } from "../../src/deps.ts";
import { docsOf, ERROR_CODES } from "../../src/http/error-codes.ts";
import { RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";
import { handleRequest } from "../../src/router.ts";
import { CredentialStore } from "../../src/store/clients/credentials.ts";
import { failingDatabase } from "../failing-database.ts";
import { OPERATOR_TOKEN, SEND, type TestClient, World } from "../world.ts";

const BODY = { ...SEND, phone: "+12125550100" };
const SEND_PATH = "/text/message/send";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(["+12125550100"]);
});

async function expectError(answer: Response, code: number): Promise<{ message: string; details: { field: string }[] }> {
  const body = (await answer.json()) as {
    code: number;
    message: string;
    details: { field: string }[];
    requestId?: string;
  };
  expect([answer.status, body.code]).toEqual([Math.floor(code / 100), code]);
  expect(body.message).not.toBe("");
  expect(Array.isArray(body.details)).toBe(true);
  expect(body.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get("x-request-id")).toBe(body.requestId);
  delete body.requestId;
  expect(answer.headers.get("content-type")).toBe("application/json");
  return body;
}

const withHeaders = (headers: Record<string, string | undefined>) => {
  const all = {
    "x-client-id": client.clientId,
    "x-client-secret": client.clientSecret,
    "content-type": "application/json",
    ...headers,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return world.fetch(SEND_PATH, { method: "POST", headers: Object.fromEntries(given), body: JSON.stringify(BODY) });
};

describe("routes", () => {
  it.each(["/index.html", "/text", "/text/message", "/text/message/sendx", "/operator/nope", "/text/message/send/x"])(
    "40400: %s is no path, to anyone",
    async (path) => {
      for (const method of ["GET", "POST"]) await expectError(await world.fetch(path, { method }), 40400);
    },
  );

  it("answers GET / with where to go from there, and 40500 to any other method", async () => {
    const answer = await world.fetch("/?x=1");
    expect(answer.status).toBe(200);
    const { origin } = new URL(answer.url || "http://localhost");
    expect(await answer.json()).toEqual({
      service: "Textgate",
      docs: `${origin}/docs`,
      openapi: `${origin}/openapi.json`,
      health: `${origin}/health`,
    });
    await expectError(await world.fetch("/", { method: "POST" }), 40500);
  });

  it.each([
    ["GET", SEND_PATH, "POST"],
    ["OPTIONS", "/text/subscription/status", "POST"],
    ["DELETE", "/operator/websites/brand", "PUT, GET, HEAD"],
    ["DELETE", `/operator/clients/${"0".repeat(32)}`, "GET, PATCH, HEAD"],
  ])("40500: %s %s is told what the path takes", async (method, path, allow) => {
    const answer = await world.fetch(path, { method });
    expect(answer.headers.get("allow")).toBe(allow);
    await expectError(answer, 40500);
  });
});

describe("credentials", () => {
  const upper = (text: string) => text.toUpperCase().replaceAll(/\d/g, "A");

  it.each([
    ["no id", { "x-client-id": undefined }],
    ["no secret", { "x-client-secret": undefined }],
    ["an id too short", { "x-client-id": "a".repeat(31) }],
    ["an id too long", { "x-client-id": "a".repeat(33) }],
    ["an id in capitals", { "x-client-id": upper("a".repeat(32)) }],
    ["a secret too short", { "x-client-secret": "0".repeat(63) }],
    ["a secret that is not hex", { "x-client-secret": "g".repeat(64) }],
    ["a secret of any form", { "x-client-secret": "'; DROP TABLE clients; --" }],
  ])("40100: %s", async (_, headers) => {
    await expectError(await withHeaders(headers), 40100);
  });

  it("40101: an unknown client and a wrong secret look the same", async () => {
    const unknown = await expectError(await withHeaders({ "x-client-id": "0".repeat(32) }), 40101);
    const wrong = await expectError(await withHeaders({ "x-client-secret": "0".repeat(64) }), 40101);
    expect(wrong).toEqual(unknown);
  });

  it("are read without the white space around them", async () => {
    const { clientId, clientSecret } = client;
    for (const space of [" ", "\t "]) {
      const spaced = { "x-client-id": `${clientId}${space}`, "x-client-secret": `${space}${clientSecret}${space}` };
      expect((await withHeaders(spaced)).status).toBe(200);
    }
  });

  it("40101: the secret of another client", async () => {
    const other = await world.brand([], "other");
    await expectError(await withHeaders({ "x-client-secret": other.clientSecret }), 40101);
  });

  it("40300: suspended, and let in again", async () => {
    await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
    await expectError(await withHeaders({}), 40300);
    await expectError(await withHeaders({ "x-client-secret": "0".repeat(64) }), 40101);
    world.advance(1);
    await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: false });
    expect((await withHeaders({})).status).toBe(200);
  });

  it("40301: an operation that is not granted", async () => {
    const reader = await world.client("brand", { operations: ["subscription"] });
    await expectError(await world.post(SEND_PATH, reader, BODY), 40301);
    const answer = await world.post("/text/subscription/status", reader, { phone_numbers: ["+12125550100"] });
    expect(answer.status).toBe(200);
  });
});

describe("the rate", () => {
  it("42900: beyond 300 in one second, however good or bad the requests; then it frees itself", async () => {
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    const good = { phone_numbers: ["+12125550100"] };
    for (let sent = 0; sent < 300; sent += 50) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          world.post("/text/subscription/status", client, i % 2 ? good : "not json"),
        ),
      );
      for (const { status } of answers) expect([200, 400]).toContain(status);
    }
    const refused = await world.post("/text/subscription/status", client, good);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("ratelimit")).toBe('"website";r=0;t=1');
    await expectError(refused, 42900);
    world.advance(1.001);
    vi.setSystemTime(world.now);
    expect((await world.post("/text/subscription/status", client, good)).status).toBe(200);
    vi.useRealTimers();
  });

  it("is told in headers after the check, and not before it", async () => {
    const answer = await withHeaders({ "content-type": "text/plain" });
    expect(answer.headers.get("ratelimit-policy")).toBe('"website";q=300;w=1');
    expect(answer.headers.get("ratelimit")).toMatch(/^"website";r=\d+;t=1$/);
    expect((await withHeaders({ "x-client-id": undefined })).headers.get("ratelimit")).toBeNull();
  });

  it("lets requests through, and logs it, when the counter fails", async () => {
    const broken = { getByName: () => ({ admit: () => Promise.reject(new Error("object reset")) }) };
    world.deps = { ...world.deps, limiter: new RateGate(broken as unknown as RateLimiterNamespace) };
    expect((await withHeaders({})).status).toBe(200);
    expect(world.logs.join()).toContain("rate-limiter.failed");
  });

  it("42900: the counter is overloaded, and is left alone for a while", async () => {
    let asked = 0;
    const admit = async () => {
      asked += 1;
      throw Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), { overloaded: true });
    };
    const limiter = { getByName: () => ({ admit, send: admit }) } as unknown as RateLimiterNamespace;
    world.deps = { ...world.deps, limiter: new RateGate(limiter) };
    for (let request = 0; request < 10; request++) {
      const refused = await withHeaders({});
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(refused.headers.get("ratelimit")).toBe('"website";r=0;t=1');
      await expectError(refused, 42900);
    }
    expect(asked).toBe(1);
    expect(world.logs.join()).not.toContain("rate-limiter.failed");
    world.advance(2);
    await expectError(await withHeaders({}), 42900);
    expect(asked).toBe(2);
  });
});

describe("the body", () => {
  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", undefined])(
    "41500: Content-Type %s",
    async (type) => {
      const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
      const body = new TextEncoder().encode(JSON.stringify(BODY));
      const answer = await world.fetch(SEND_PATH, {
        method: "POST",
        headers: type === undefined ? headers : { ...headers, "content-type": type },
        body,
      });
      const told = type === undefined ? "the request has none" : `this request has "${type}"`;
      expect((await expectError(answer, 41500)).message).toBe(`The Content-Type must be application/json: ${told}.`);
    },
  );

  it("41500: two types of which one is another", async () => {
    await expectError(await withHeaders({ "content-type": "application/json, text/plain" }), 41500);
  });

  it.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/json, application/json;charset=utf-8"])(
    "may be of Content-Type %s",
    async (type) => {
      expect((await withHeaders({ "content-type": type })).status).toBe(200);
    },
  );

  it("41300: larger than the operation takes, with and without a declared length", async () => {
    const large = "x".repeat(128 * 1024 + 1);
    const { message } = await expectError(await world.post(SEND_PATH, client, large), 41300);
    expect(message).toBe("The body is larger than 128 KB, the most that this call accepts. Split it.");
    const stream = new Blob([large]).stream();
    const headers = {
      "x-client-id": client.clientId,
      "x-client-secret": client.clientSecret,
      "content-type": "application/json",
    };
    await expectError(await world.fetch(SEND_PATH, { method: "POST", headers, body: stream }), 41300);
    await expectError(await world.post("/text/subscription/status", client, "x".repeat(8 * 1024 * 1024 + 1)), 41300);
  });

  it.each(["", "{", "nope", '{"a":1}}', "\u00ff{}"])("40000: %j is not JSON", async (body) => {
    await expectError(await world.post(SEND_PATH, client, body), 40000);
  });

  it("40000: bytes that are not UTF-8", async () => {
    const headers = {
      "x-client-id": client.clientId,
      "x-client-secret": client.clientSecret,
      "content-type": "application/json",
    };
    const body = new Uint8Array([0x22, 0xff, 0xfe, 0x22]);
    await expectError(await world.fetch(SEND_PATH, { method: "POST", headers, body }), 40000);
  });

  it("40001: what is no object", async () => {
    for (const body of [[], "text", null, 5]) {
      const { details } = await expectError(await world.post(SEND_PATH, client, JSON.stringify(body)), 40001);
      expect([body, details]).toEqual([body, [{ field: "body", message: "must be a JSON object" }]]);
    }
  });
});

describe("a fault", () => {
  it("50000: shows nothing of itself, and is logged with the request id", async () => {
    world.deps = { ...world.deps, newId: () => sabotage() };
    const answer = await withHeaders({});
    const requestId = answer.headers.get("x-request-id");
    const body = await expectError(answer, 50000);
    expect(JSON.stringify(body)).not.toContain("secret detail");
    expect(body.message).toContain("may be stored, so repeat the request only with the same Idempotency-Key");
    const logged = world.logs.find((line) => line.includes("request.failed"));
    expect(logged).toContain("secret detail");
    expect(logged).toContain(requestId);
  });

  function sabotage(): never {
    throw new Error("secret detail");
  }

  it("50000: a wrong setting is logged by its name, and not shown", async () => {
    const request = new Request("http://localhost/operator/websites");
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    const answer = await handleRequest(request, () =>
      makeDeps({ ...env, SUBMIT_WITHIN_HOURS: "soon" }, createExecutionContext()),
    );
    expect(JSON.stringify(await expectError(answer, 50000))).not.toContain("SUBMIT");
    expect(printed.mock.calls.join()).toContain("SUBMIT_WITHIN_HOURS");
    printed.mockRestore();
  });

  it("50000: there is no file of the document", async () => {
    const assets = { fetch: async () => new Response(null, { status: 404 }) };
    world.deps = { ...world.deps, assets: assets as unknown as Fetcher };
    await expectError(await world.fetch("/openapi.json"), 50000);
  });

  it.each(["GET", "POST"])("40400: %s to a host that is none, whatever the settings", async (method) => {
    const request = Object.defineProperty(new Request("http://localhost/health", { method }), "url", {
      value: "http://127.0.0.999/health",
    });
    await expectError(await handleRequest(request, sabotage), 40400);
  });

  it("50300: D1 does not answer", async () => {
    world.deps = { ...world.deps, db: failingDatabase(world.deps.db, Number.POSITIVE_INFINITY) };
    const answer = await withHeaders({});
    expect(answer.headers.get("retry-after")).toBe("3");
    await expectError(answer, 50300);
  });

  // Both are our own mistakes: asked again, D1 answers the same.
  it.each(["string or blob too big: SQLITE_TOOBIG", "statement too long: SQLITE_TOOBIG"])(
    "50000: D1 finds that what we ask is %s, and is not asked again",
    async (error) => {
      const batch = vi.fn(async (_: { statement: string }[]) => Promise.reject(new Error(`D1_ERROR: ${error}`)));
      const { db } = world.deps;
      world.deps = { ...world.deps, db: { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database };
      await expectError(await withHeaders({}), 50000);
      const sends = batch.mock.calls.filter(([all]) =>
        all.some(({ statement }) => statement.includes("INTO messages")),
      );
      expect(sends).toHaveLength(1);
    },
  );

  it("50300: KV does not answer", async () => {
    const broken = { get: () => Promise.reject(new Error("KV GET failed: 500")) };
    world.deps = { ...world.deps, credentials: new CredentialStore(broken as unknown as KVNamespace) };
    await expectError(await withHeaders({}), 50300);
  });
});

describe("the header Link", () => {
  it("leads to the section of the code, on the page that has it", async () => {
    const refused = await world.fetch("/nowhere");
    expect(refused.headers.get("link")).toBe('</docs#40400>; rel="help"');
    expect(docsOf(ERROR_CODES["viewer-denied"])).toBe("/docs/operator#40304");
  });
});

describe("the operator's side", () => {
  it("is not there without OPERATOR_TOKEN", async () => {
    world.deps = { ...world.deps, config: { ...world.deps.config, operatorToken: undefined } };
    for (const [method, path] of [
      ["GET", "/websites"],
      ["DELETE", "/websites/brand"],
      ["GET", "/nope"],
    ] as const) {
      await expectError(await world.operator(method, path), 40400);
    }
  });

  it.each([undefined, "Bearer ", "Basic abc", OPERATOR_TOKEN])("40100: Authorization %s", async (authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    await expectError(await world.fetch("/operator/websites", { headers }), 40100);
  });

  it("40101: a wrong token", async () => {
    const headers = { authorization: "Bearer wrong" };
    await expectError(await world.fetch("/operator/websites", { headers }), 40101);
  });
});
