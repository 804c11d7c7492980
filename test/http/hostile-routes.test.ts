import { beforeEach, describe, expect, it, vi } from "vitest";
import { CALLS } from "../../src/calls.ts";
import { makeCarriers } from "../../src/carriers/index.ts";
import { limitRate, refuseEarly } from "../../src/http/guards.ts";
import { requireOperator } from "../../src/http/require-operator.ts";
import { answerSandboxError } from "../../src/http/sandbox-error.ts";
import { routes } from "../../src/router.ts";
import settings from "../../wrangler.toml?raw";
import { documentOfApi } from "../docs/conformance.ts";
import { dumpStores } from "../stores.ts";
import { OPERATOR_TOKEN, type TestClient, World } from "../world.ts";

/** The routes that anyone may call. One more is a decision, to be taken here. */
const OPEN = [
  "GET /l/:code",
  "HEAD /l/:code",
  "GET /",
  "GET /openapi.json",
  "GET /.well-known/security.txt",
  "GET /health",
  "POST /console/session",
  "GET /console/session",
  "DELETE /console/session",
];

/** Those that a carrier's signature or key guards: test/carriers/signatures.test.ts has what is forged. */
const OF_CARRIERS = /^\/carriers\/:carrier\/(:account\/)?(receipts|inbound)$/;

type Access = "open" | "carrier" | "operator" | "client";

interface Route {
  name: string;
  method: string;
  path: string;
  access: Access;
}

const TABLE: Route[] = routes.map(([method, , handlers, path = ""]) => {
  const [guard, second, third] = handlers as unknown[];
  const name = `${method} ${path}`;
  const access = () => {
    if (OPEN.includes(name)) return "open";
    if (OF_CARRIERS.test(path)) return "carrier";
    if (guard === requireOperator) return "operator";
    // Without a client, limitRate throws: requireClient is before it.
    // A send is counted by the object that stores it.
    const isLimited = second === limitRate || (second === refuseEarly && name === "POST /text/message/send");
    if (isLimited && third === answerSandboxError && handlers.length === 4) return "client";
    throw new Error(`${name} has no guard, and is not on the list of open routes`);
  };
  return { name, method, path, access: access() };
});

const of = (...access: Access[]) => TABLE.filter((route) => access.includes(route.access));

let world: World;
let one: TestClient;
let other: TestClient;
let params: Record<string, string>;

/** Website `one` with a subscriber and a message on its way, and website `other` with none. */
beforeEach(async () => {
  world = await World.create();
  const vars = { ...world.deps.config.carriers, PUBLIC_ORIGIN: "https://sms.example.com" };
  Object.assign(vars, { KANNEL_SENDSMS_URL: "https://kannel.example.com/", KANNEL_USERNAME: "u" });
  Object.assign(vars, { KANNEL_PASSWORD: "p", KANNEL_WEBHOOK_KEY: "k" });
  const config = { ...world.deps.config, carriers: vars };
  world.deps = { ...world.deps, config, carriers: makeCarriers(config) };
  const account = {
    carrier: "kannel",
    sendsmsUrl: "https://gw.example.com/",
    username: "u",
    password: "p",
    webhookKey: "k",
  };
  await world.operator("PUT", "/accounts/brand-a", account);
  one = await world.brand(["+12125550100,ada@example.com"], "one");
  other = await world.brand([], "other");
  const messageId = await world.send(one, { phone: "+12125550100" });
  world.jobs.length = 0;
  params = {
    websiteId: "one",
    clientId: one.clientId,
    phone: "+12125550100",
    carrier: "kannel",
    account: "brand-a",
    messageId,
    code: "x",
  };
});

interface Content {
  examples?: Record<string, { value: unknown }>;
}

/** A request that would do something if it were let in: with the document's own example of a body. */
function call({ method, path }: Route, headers: Record<string, string>): Promise<Response> {
  const documented = documentOfApi.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
  const { content = {} } = (documented?.requestBody ?? {}) as { content?: Record<string, Content> };
  const [[type, { examples = {} }] = ["", {}]] = Object.entries(content) as [string, Content][];
  const [example] = Object.values(examples);
  const url = path.replaceAll(/:(\w+)/g, (_, name) => params[name] ?? "x");
  const query = path.endsWith("/status") ? `?messageId=${params.messageId}` : "";
  const body = typeof example?.value === "string" ? example.value : JSON.stringify(example?.value ?? {});
  return world.fetch(url + query, {
    method,
    headers: { ...(type ? { "content-type": type } : {}), ...headers },
    ...(type ? { body } : {}),
  });
}

const asClient = ({ clientId, clientSecret }: TestClient) => ({
  "x-client-id": clientId,
  "x-client-secret": clientSecret,
});
const asOperator = (token: string) => ({ authorization: `Bearer ${token}` });

/** All but when and why a client was last refused, which is kept for its own page. */
const storedNow = async () =>
  (await dumpStores(world)).replace(/"refused_at":\d+,"refusal":"[a-z-]+"/g, '"refused_at":null,"refusal":null');

/** Calls the routes, and sees that each is refused like this and that nothing in the stores or queues is another. */
async function expectRefused(some: Route[], headers: Record<string, string>, ...codes: number[]): Promise<void> {
  const before = await storedNow();
  expect(some.length).toBeGreaterThan(1);
  for (const route of some) {
    const answer = await call(route, headers);
    const { code } = (await answer.json()) as { code: number };
    expect([route.name, codes.includes(code), code, answer.status]).toEqual([route.name, true, code, ~~(code / 100)]);
  }
  expect(await storedNow()).toBe(before);
  expect([world.jobs, world.callbacks]).toEqual([[], []]);
}

describe("the table of routes", () => {
  it("answers each call of a client, and each that names a website, a client or a message, in its own database", () => {
    const own = CALLS.filter(({ path }) => /^\/text\/|:(websiteId|clientId|messageId)/.test(path));
    // The router calls something else than the handler alone: what looks for the database.
    const isOwn = ({ method, path, database, run }: (typeof CALLS)[number]) =>
      database === (path.startsWith("/text/") ? "client" : "named") &&
      routes.find((route) => route[0] === method && route[3] === path)?.[2].at(-1) !== run;
    // A website is put into a database that the handler itself finds.
    expect(own.filter((call) => !isOwn(call)).map(({ method, path }) => `${method} ${path}`)).toEqual([
      "PUT /operator/websites/:websiteId",
    ]);
    expect(own.length).toBeGreaterThan(20);
  });

  it("has a guard for each, or the route is on the list of open ones", () => {
    expect(TABLE.filter(({ access }) => access === "open").map(({ name }) => name)).toEqual(OPEN);
    expect(of("client").length).toBeGreaterThanOrEqual(6);
    expect(of("operator").every(({ path }) => path.startsWith("/operator/"))).toBe(true);
    expect(TABLE.filter(({ path }) => path.startsWith("/operator")).every(({ access }) => access === "operator")).toBe(
      true,
    );
  });

  it("is asked before any file of the docs page and the console", () => {
    const [, list = ""] = /run_worker_first = \[([^\]]*)\]/.exec(settings) ?? [];
    const patterns = [...list.matchAll(/"([^"]+)"/g)].map(([, pattern]) => pattern ?? "");
    expect(patterns[0]).toBe("/*");
    // Each of the others is one file of a page, and none is a pattern: what is no file is answered by the Worker.
    for (const pattern of patterns.slice(1))
      expect(pattern).toMatch(/^!\/((docs|console)(\.html|\/|\/[\w./-]+)?|llms\.txt)$/);
    expect(patterns).not.toContain("!/console/session");
  });
});

describe("a call that changes nothing and learns nothing", () => {
  it("has no credentials", async () => {
    await expectRefused(of("client", "operator"), {}, 40100);
    await expectRefused(of("carrier"), {}, 40302);
  });

  it("has an unknown client, or the secret of another", async () => {
    await expectRefused(of("client"), asClient({ ...one, clientId: "0".repeat(32) }), 40101);
    await expectRefused(of("client"), asClient({ ...one, clientSecret: other.clientSecret }), 40101);
    await expectRefused(of("client"), asClient({ ...one, clientSecret: one.clientId.repeat(2) }), 40101);
  });

  it("has the operator's token wrong, cut short, ended, or a client's secret in its place", async () => {
    const { token } = (await (await world.operator("POST", "/tokens", { name: "ada" })).json()) as { token: string };
    await world.operator("DELETE", "/tokens/ada");
    const tokens = ["wrong", OPERATOR_TOKEN.slice(0, -1), `${OPERATOR_TOKEN}x`, one.clientSecret, token];
    for (const token of tokens) await expectRefused(of("operator"), asOperator(token), 40101);
  });

  it("has credentials of the other side", async () => {
    await expectRefused(of("operator"), asClient(one), 40100);
    await expectRefused(of("client"), asOperator(OPERATOR_TOKEN), 40100);
    await expectRefused(of("carrier"), { ...asOperator(OPERATOR_TOKEN), ...asClient(one) }, 40302);
  });

  it("is of a client that may do nothing, or is suspended", async () => {
    const idle = await world.client("one", { operations: [] });
    await expectRefused(of("client"), asClient(idle), 40301);
    await world.operator("PATCH", `/clients/${one.clientId}`, { suspended: true });
    await expectRefused(of("client"), asClient(one), 40300);
  });

  it("knocks at every path with every other method", async () => {
    const before = await dumpStores(world);
    for (const { path } of TABLE) {
      const own = TABLE.filter((route) => route.path === path);
      const reads = own.some(({ method, access }) => method === "GET" && access !== "carrier");
      const known = [...own.map(({ method }) => method), ...(reads ? ["HEAD"] : [])];
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (known.includes(method)) continue;
        const url = path.replaceAll(/:(\w+)/g, (_, name) => params[name] ?? "x");
        const answer = await world.fetch(url, { method, headers: { ...asClient(one), ...asOperator(OPERATOR_TOKEN) } });
        expect([method, path, answer.status]).toEqual([method, path, 405]);
      }
    }
    expect(await dumpStores(world)).toBe(before);
  });

  it.each([
    "/OPERATOR/websites",
    "//operator/websites",
    "/operator//websites",
    "/operator/websites//",
    "/operator/websites/?x=/openapi.json",
    "/operator/%77ebsites",
    "/operator%2fwebsites",
    "/operator%5cwebsites",
    "/operator\\websites",
    "/text/../operator/websites",
    "/l/../operator/websites",
    "/l/%2e%2e/operator/websites",
    "/openapi.json/../operator/websites",
    "/openapi.json/..;/operator/websites",
    "/operator/websites;.json",
    "/operator/websites.json",
    "/operator/websites%00",
    "/operator/websites%0a",
    "/carriers/sandbox/../../operator/websites",
  ])("comes by a way round: %s", async (path) => {
    const names = ["x-original-url", "x-rewrite-url", "x-http-method-override", "x-forwarded-host"];
    const headers = Object.fromEntries(names.map((name) => [name, "/operator/websites"]));
    for (const method of ["GET", "POST"]) {
      const answer = await world.fetch(path, { method, headers });
      expect([401, 404, 405]).toContain(answer.status);
      expect(await answer.text()).not.toContain("websiteId");
    }
  });
});

describe("another tenant's client", () => {
  it("is let in, and neither sees nor changes what is not its own", async () => {
    const rowsOfOne = async () => {
      const tables = ["messages", "subscriptions", "subscription_changes", "websites"];
      return JSON.stringify(
        await Promise.all(tables.map((table) => world.rows(`SELECT * FROM ${table} WHERE website_id = 'one'`))),
      );
    };
    const before = await rowsOfOne();
    for (const route of of("client")) {
      const answer = await call(route, asClient(other));
      expect([route.name, route.path.endsWith("message/status") ? 404 : 200]).toEqual([route.name, answer.status]);
      expect(await answer.text()).not.toMatch(/ada@|"subscriptionStatus":true/);
    }
    expect(await rowsOfOne()).toBe(before);
  });
});

describe("the work behind a refusal", () => {
  it("is the same for an unknown client and a wrong secret, whether or not this isolate knows the client", async () => {
    const count = async (client: TestClient) => {
      const { credentials } = world.deps;
      const work = { reads: 0, hashes: 0, comparisons: 0 };
      const read = credentials.read.bind(credentials);
      const { digest, timingSafeEqual } = crypto.subtle;
      credentials.read = (clientId) => {
        work.reads += 1;
        return read(clientId);
      };
      crypto.subtle.digest = (...args) => {
        work.hashes += 1;
        return digest.apply(crypto.subtle, args);
      };
      crypto.subtle.timingSafeEqual = (...args) => {
        work.comparisons += 1;
        return timingSafeEqual.apply(crypto.subtle, args);
      };
      const answer = await world.post("/text/message/send", client, {});
      Object.assign(crypto.subtle, { digest, timingSafeEqual });
      credentials.read = read;
      return [answer.status, work];
    };
    const wrong = { ...one, clientSecret: "0".repeat(64) };
    const unknown = { ...wrong, clientId: "0".repeat(32) };
    const refused = [401, { reads: 1, hashes: 1, comparisons: 4 }];
    // This isolate has let the first in, and has not seen the other.
    expect(await count(wrong)).toEqual(refused);
    expect(await count({ ...wrong, clientId: other.clientId })).toEqual(refused);
    expect(await count(unknown)).toEqual(refused);
    expect((await count(one))[1]).toEqual({ reads: 0, hashes: 1, comparisons: 2 });
  });

  it.each(["an unknown client", "a wrong secret"])(
    "comes no sooner for %s than the time that both take",
    async (who) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wait = vi.spyOn(scheduler, "wait").mockClear().mockReturnValueOnce(promise);
      const clientId = who === "a wrong secret" ? one.clientId : "0".repeat(32);
      let isAnswered = false;
      const answer = world.post("/text/message/send", { ...one, clientId, clientSecret: "0".repeat(64) }, {});
      void answer.then(() => {
        isAnswered = true;
      });
      // Another request comes and is answered meanwhile.
      expect((await world.post("/text/message/send", one, {})).status).toBe(400);
      expect([isAnswered, wait.mock.calls]).toEqual([false, [[100]]]);
      resolve();
      expect((await answer).status).toBe(401);
      vi.restoreAllMocks();
    },
  );
});
