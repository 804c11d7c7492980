import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { checkService } from "../../../scripts/deploy-check/service.ts";
import { ROOT } from "../../../scripts/wrangler.ts";
import { close, listen } from "../harness/loopback.ts";

const DOCUMENT = readFileSync(join(ROOT, "public/openapi.json"), "utf8");
const TOKEN = "token";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const json =
  (body: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const health = (...failing: string[]): Answer => {
  const names = ["configuration", "database", "credentials", "limiter"];
  const checks = names.map((name) => [name, { status: failing.includes(name) ? "failing" : "ok", milliseconds: 1 }]);
  return json({ status: "", checks: Object.fromEntries(checks) }, failing.length > 0 ? 503 : 200);
};

const problems =
  (...names: string[]): Answer =>
  (response, request) => {
    const isOperator = request.headers.authorization === `Bearer ${TOKEN}`;
    json(
      isOperator ? { problems: names } : { code: 40101, message: "This is not the operator's token." },
      isOperator ? 200 : 401,
    )(response, request);
  };

const FINE: Record<string, Answer> = {
  "/health": health(),
  "/openapi.json": (response) => response.end(DOCUMENT),
  "/operator/health": problems(),
  "/operator/accounts": json({ accounts: [] }),
};

const servers: ReturnType<typeof createServer>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await close(server);
});

async function start(answers: Record<string, Answer> = {}): Promise<string> {
  const all = { ...FINE, ...answers };
  const server = createServer((request, response) => {
    const answer = all[request.url ?? ""] ?? json({}, 404);
    answer(response, request);
  });
  servers.push(server);
  return (await listen(server)).origin;
}

async function find(answers: Record<string, Answer> = {}, token: string | undefined = TOKEN) {
  return checkService({ url: await start(answers), token, document: DOCUMENT });
}

const whats = async (...args: Parameters<typeof find>) => (await find(...args)).map(({ what }) => what);

describe("a running service", () => {
  test("has nothing to fix when every check is ok and there are no problems", async () => {
    expect(await find()).toEqual([]);
  });

  test("is reported with each account that its texts wait for", async () => {
    const account = { isReadable: true, webhooks: {} };
    const accounts = [
      { ...account, name: "good" },
      { ...account, name: "sealed", isReadable: false },
      { ...account, name: "nowhere", webhooks: null },
    ];
    expect(await whats({ "/operator/accounts": json({ accounts }) })).toEqual([
      "The secrets of the account sealed are encrypted with another SERVICE_KEY.",
      "The account nowhere has no webhooks, because PUBLIC_ORIGIN is not set.",
    ]);
  });

  test("is reported with each failing check, and the operator's words for each problem", async () => {
    expect(await whats({ "/health": health("configuration", "credentials") })).toEqual([
      "The check configuration of GET /health fails.",
      "The check credentials of GET /health fails.",
    ]);
    const [sandbox, unknown] = await find({ "/operator/health": problems("sandbox-in-use", "of-tomorrow") });
    expect(sandbox).toEqual({
      what: "The service reports the problem sandbox-in-use.",
      why: expect.stringContaining("nobody receives them"),
      fix: expect.stringContaining("put-website <websiteId> --carrier"),
    });
    expect(unknown?.why).toContain("of a later version");
  });

  test.each<[string, Answer, string | undefined, string]>([
    ["D1 answers", problems(), TOKEN, "Migrations are pending."],
    ["a statement is wrong", json({ code: 50000, message: "unexpected" }, 500), TOKEN, "Migrations are pending."],
    ["D1 is away", json({ code: 50300, message: "store" }, 503), TOKEN, "The check database of GET /health fails."],
    ["nobody may ask", problems(), undefined, "The check database of GET /health fails."],
  ])("tells pending migrations from a database that is away: %s", async (_, operator, token, what) => {
    const found = await checkService({
      url: await start({ "/health": health("database"), "/operator/health": operator }),
      token,
      document: DOCUMENT,
    });
    expect(found[0]?.what).toBe(what);
  });

  test("is told from what stands before it", async () => {
    const page: Answer = (response) =>
      response.writeHead(403, { "content-type": "text/html" }).end("<!DOCTYPE html>\n<title>Just a moment</title>");
    const [finding, ...others] = await find({ "/health": page });
    expect(finding?.what).toMatch(/^Something else than the service answers at .*: HTTP 403, <!DOCTYPE html>$/);
    expect(finding?.fix).toContain("Browser Integrity Check");
    expect(others).toEqual([]);
    expect(await whats({ "/health": json({ checks: null }) })).toHaveLength(1);
  });

  test("is asked under no browser's name", async () => {
    const agents: unknown[] = [];
    const asked: Answer = (response, request) => {
      agents.push(request.headers["user-agent"]);
      health()(response, request);
    };
    await find({ "/health": asked });
    expect(agents).toEqual(["textgate-deploy-check"]);
  });

  test("does not answer", async () => {
    const url = await start();
    await close(servers.pop() as ReturnType<typeof createServer>);
    const [finding, ...others] = await checkService({ url, token: TOKEN, document: DOCUMENT });
    expect(finding?.what).toMatch(/^Nothing answers at http:.*: .*ECONNREFUSED/);
    expect(others).toEqual([]);
  });

  test.each<[number, string[]]>([
    [200, ["The service answers at http://sms.textgate.test."]],
    [301, []],
  ])("answers over plain http with %i", async (status, found) => {
    const local = await start();
    const { fetch } = globalThis;
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const { protocol, pathname } = new URL(String(input));
      return protocol === "https:" ? fetch(local + pathname, init) : new Response("", { status });
    });
    const service = { url: "https://sms.textgate.test", token: TOKEN, document: DOCUMENT };
    expect((await checkService(service)).map(({ what }) => what)).toEqual(found);
    spy.mockRestore();
  });

  test("is of another version", async () => {
    const what = "The service is of another version than this checkout: its /openapi.json differs.";
    expect(await whats({ "/openapi.json": json({ info: { version: "0.0.1" } }) })).toEqual([what]);
    expect(await whats({ "/openapi.json": json({}, 404) })).toEqual([what]);
  });

  test("refuses the operator", async () => {
    expect(await whats({}, "wrong")).toEqual(["GET /operator/health is refused: This is not the operator's token."]);
    expect(await whats({ "/operator/health": json({ code: 40400, message: "no such path" }, 404) })).toEqual([
      "The service has no OPERATOR_TOKEN.",
    ]);
    expect(await whats({}, undefined)).toEqual([]);
  });
});
