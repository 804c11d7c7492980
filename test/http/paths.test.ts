/** Paths that are nearly right: those that a slash too many makes are answered, the others name what may have been meant. */
import { beforeEach, describe, expect, it } from "vitest";
import { OWN_TEST_SECONDS } from "../../src/flows/callbacks/post-test-event.ts";
import { RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";
import { routes } from "../../src/router.ts";
import { OPERATOR_TOKEN, SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

/** Each route, with ids that nothing has. */
const CALLS = routes.map(([method, , , path]) => ({ method, path: path.replaceAll(/:(\w+)/g, "x") }));

const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const answer = await world.fetch(path, { method, headers });
  const body = await answer.text();
  return { status: answer.status, allow: answer.headers.get("allow"), body: body.replace(/"requestId":"[^"]*"/, "") };
};

const withoutOperators = () => {
  const { operatorToken: _, ...config } = world.deps.config;
  world.deps = { ...world.deps, config: config as typeof world.deps.config };
};

describe("a path with several slashes in front", () => {
  it("sends, asks and opens as the same path with one does", async () => {
    for (const slashes of ["//", "///", "////////"]) {
      const answer = await world.post(`${slashes}text/message/send`, client, { ...SEND, phone: ADA });
      expect(answer.status).toBe(200);
      const { messageId } = (await answer.json()) as { messageId: string };
      expect(await world.rows("SELECT status FROM messages WHERE message_id = ?1", messageId)).toEqual([
        { status: "PENDING_TO_SEND" },
      ]);
      expect((await ask("GET", `${slashes}health`)).status).toBe(200);
      expect((await world.post(`${slashes}text/subscription/status/`, client, { phone_numbers: [ADA] })).status).toBe(
        200,
      );
    }
  });

  it("follows a link, and the click is counted", async () => {
    const messageId = await world.send(client, { phone: ADA, clickUrl: "https://example.com/" });
    const [{ code }] = (await world.rows("SELECT code FROM links")) as [{ code: string }];
    const answer = await world.fetch(`//l/${code}.`, { headers: { "user-agent": "Mozilla/5.0 (iPhone)" } });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://example.com/"]);
    expect(await world.rows("SELECT message_id FROM clicks")).toEqual([{ message_id: messageId }]);
  });

  it.each([
    ["no credentials", {}],
    ["a client's", "client"],
    ["an operator's", { authorization: `Bearer ${OPERATOR_TOKEN}` }],
    ["a wrong token", { authorization: "Bearer wrong" }],
  ] as const)("is guarded as the same path with one is: %s", async (_, given) => {
    const headers =
      given === "client" ? { "x-client-id": client.clientId, "x-client-secret": client.clientSecret } : { ...given };
    for (const { method, path } of CALLS.filter(
      (call) => call.method === "GET" && !/health|metrics|\/$/.test(call.path),
    )) {
      expect([path, await ask(method, `/${path}`, headers)]).toEqual([path, await ask(method, path, headers)]);
    }
    for (const { method, path } of CALLS.filter((call) => !/GET|HEAD/.test(call.method))) {
      const { status } = await ask(method, `//${path}`, headers);
      // A client gets one test event in so long.
      world.advance(OWN_TEST_SECONDS);
      expect([method, path, status]).toEqual([method, path, (await ask(method, path, headers)).status]);
    }
  });

  it("counts against the limit of the website, and is refused over it", async () => {
    const ask = () => world.post("//text/message/send", client, {});
    const left = [await ask(), await ask()].map(({ headers }) => /r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    expect(left).toEqual(["299", "298"]);
    const admit = () => Promise.reject(Object.assign(new Error("overloaded"), { overloaded: true }));
    const limiter = { getByName: () => ({ admit, send: admit }) } as unknown as RateLimiterNamespace;
    world.deps = { ...world.deps, limiter: new RateGate(limiter) };
    expect((await ask()).status).toBe(429);
  });

  it("has the name of its route in the log, and is counted with it", async () => {
    world.logs.length = 0;
    world.logEachRequest();
    await ask("GET", "//text/message/status");
    await ask("GET", "//operator/websites/x");
    expect(world.logs.map((line) => JSON.parse(line).route)).toEqual([
      "/text/message/status",
      "/operator/websites/:websiteId",
    ]);
  });

  it("is hidden with the operator's side, whatever the method", async () => {
    withoutOperators();
    for (const { path } of CALLS.filter((call) => call.path.startsWith("/operator"))) {
      for (const method of ["GET", "POST", "PUT", "DELETE"]) {
        for (const slashes of ["", "/", "//"]) {
          const { status, allow, body } = await ask(method, slashes + path);
          expect([method, path, status, allow]).toEqual([method, path, 404, null]);
          expect(body).toContain('"code":40400');
        }
      }
    }
  });

  it("is no other path where the slashes are elsewhere", async () => {
    for (const path of ["/text//message/send", "/operator//websites", "//operator//websites", "//x//health"]) {
      expect([path, (await ask("GET", path)).status]).toEqual([path, 404]);
    }
  });
});

describe("a path that there is not", () => {
  it.each([
    ["/message/send", "/text/message/send"],
    ["/v1/text/message/send", "/text/message/send"],
    ["/Text/Message/Send", "/text/message/send"],
    ["/text//message/send", "/text/message/send"],
    ["/text/subscribers", "/text/subscribe"],
    ["/bulk/message/send", "/text/bulk/message/send"],
    ["/unsubscribe?x=1", "/text/unsubscribe"],
    ["/HEALTH", "/health"],
    ["/v1/openapi.json", "/openapi.json"],
  ])("names the nearest: %s, %s", async (path, nearest) => {
    for (const method of ["GET", "POST"]) {
      const { status, body } = await ask(method, path);
      expect(status).toBe(404);
      expect(JSON.parse(body.replace(",}", "}"))).toMatchObject({
        code: 40400,
        message: `There is no such path. Did you mean ${nearest}?`,
      });
    }
  });

  it.each([
    "/index.php",
    "/text/sms/cancel",
    "/oprator/websites",
    "/operator/website",
    "/websites",
    "/carriers/nobody/receipts",
    "/carrier/kannel/inbound",
    "/l",
    "/%00",
    "/text",
  ])("points to the docs where none is near, and never to the operator's: %s", async (path) => {
    for (const headers of [{}, { authorization: `Bearer ${OPERATOR_TOKEN}` }] as Record<string, string>[]) {
      const { status, body } = await ask("GET", path, headers);
      expect(status).toBe(404);
      expect(body).toContain('"message":"There is no such path. /docs has all of them."');
    }
  });

  it("says the same of a hidden path as of any that ends so, whatever the method", async () => {
    withoutOperators();
    for (const method of ["GET", "POST", "DELETE"]) {
      for (const [hidden, like] of [
        ["/operator/health", "/opxrator/health"],
        ["/operator/websites", "/opxrator/websites"],
      ] as const) {
        expect(await ask(method, hidden)).toEqual(await ask(method, like));
      }
    }
  });
});

describe("a path with another method", () => {
  it("says to a GET in place of a POST what may have made it one", async () => {
    for (const path of ["/text/message/send", "//text/subscribe"]) {
      const { status, allow, body } = await ask("GET", path);
      expect([status, allow]).toEqual([405, "POST"]);
      expect(body).toContain(
        '"message":"This path takes POST (a redirect from http to https turns a POST into a GET)."',
      );
    }
  });

  it("says no more to any other", async () => {
    expect((await ask("DELETE", "/text/message/send")).body).toContain('"message":"This path takes POST."');
    expect((await ask("POST", "/text/message/status")).body).toContain('"message":"This path takes GET, HEAD."');
  });
});
