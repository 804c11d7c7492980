/** POST /text/test-event: a client tries its own endpoint. What the post itself is, test/operator/test-event.test.ts shows too. */
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bindDatabases, makeBrand } from "../databases.ts";
import { type TestClient, World } from "../world.ts";

const URL_OF_BRAND = "https://brand.example.com/callbacks";

let world: World;
let client: TestClient;
let posts: { url: string; init: RequestInit }[];
let endpoint: (signal: AbortSignal) => Response | Promise<Response>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([]);
  posts = [];
  endpoint = () => new Response("thanks", { status: 202 });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init = {}) => {
    posts.push({ url: String(url), init });
    return endpoint(init.signal as AbortSignal);
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const ask = (of = client, headers: Record<string, string> = {}) =>
  world.fetch("/text/test-event", {
    method: "POST",
    headers: { "x-client-id": of.clientId, "x-client-secret": of.clientSecret, ...headers },
  });

async function press(of = client): Promise<Record<string, unknown>> {
  const answer = await ask(of);
  expect(answer.status).toBe(200);
  return answer.json();
}

describe("a test event that a client asks for", () => {
  it("is posted once to its own endpoint, signed, about nobody, and stored nowhere", async () => {
    const told = await press();
    expect(told).toEqual({
      eventId: expect.stringMatching(/^test_[0-9a-f-]{36}$/),
      ...{ attemptedAt: "2026-11-21T12:00:00.000Z", outcome: "answered", httpStatus: 202 },
      ...{ response: "thanks", milliseconds: 0 },
    });
    expect(posts.map(({ url }) => url)).toEqual([URL_OF_BRAND]);
    const { init = {} } = posts[0] ?? {};
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    const headers = Object.fromEntries(new Headers(init.headers));
    const event = new Webhook(client.callbackSecret).verify(String(init.body), headers);
    expect(event).toEqual({ eventId: told.eventId, eventType: "test", occurredAt: told.attemptedAt });
    expect(await world.rows("SELECT * FROM events")).toEqual([]);
    expect(await world.rows("SELECT * FROM audit_log WHERE action = 'test-event'")).toEqual([]);
  });

  it("goes to the endpoint of no other client, not even of the same website", async () => {
    const other = await world.client("brand", { callbackUrl: "https://other.example.com/" });
    await press(other);
    expect(posts.map(({ url }) => url)).toEqual(["https://other.example.com/"]);
  });

  it("goes to the clients of each database", async () => {
    await bindDatabases(world, 2);
    const brands = [await makeBrand(world, 1), await makeBrand(world, 2)];
    for (const brand of brands) await press(brand.client);
    expect(posts).toHaveLength(2);
  });
});

describe("an endpoint that", () => {
  it.each<[string, typeof endpoint, object]>([
    [
      "answers 401",
      () => new Response("bad signature", { status: 401 }),
      { httpStatus: 401, response: "bad signature" },
    ],
    [
      "redirects to a private address is not followed",
      () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }),
      { outcome: "answered", httpStatus: 302 },
    ],
    [
      "refuses the connection",
      () => Promise.reject(new Error("Network connection lost.")),
      { outcome: "unreachable", httpStatus: null, response: expect.stringContaining("connection lost") },
    ],
    ["says a lot", () => new Response("x".repeat(100_000)), { outcome: "answered", response: "x".repeat(1024) }],
  ])("%s", async (_, answer, told) => {
    endpoint = answer;
    expect(await press()).toMatchObject(told);
    expect(posts).toHaveLength(1);
  });

  it("hangs is cut off after ten seconds, and meanwhile no other test event of the client is posted", async () => {
    let isPosted = () => {};
    const posted = new Promise<void>((resolve) => {
      isPosted = resolve;
    });
    endpoint = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        isPosted();
      });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const pressed = press();
    await posted;
    world.advance(10);
    expect((await ask()).status).toBe(429);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await pressed).toMatchObject({
      ...{ outcome: "timed-out", httpStatus: null, response: "no whole answer in 10 s", milliseconds: 10_000 },
    });
    expect(posts).toHaveLength(1);
  });

  it("has no URL, or one that the rule of callbacks refuses, gets nothing, and the client is told why", async () => {
    await world.rows("UPDATE clients SET callback_url = 'https://10.0.0.1/' WHERE client_id = ?1", client.clientId);
    expect(await press()).toMatchObject({
      ...{ outcome: "not-posted", httpStatus: null, response: expect.stringContaining("IP address") },
    });
    const silent = await world.client("brand");
    expect(await press(silent)).toMatchObject({ outcome: "not-posted", response: "the client has no callback URL" });
    expect(posts).toEqual([]);
  });
});

describe("whoever asks too often", () => {
  it("is refused for 12 seconds, and nothing is posted", async () => {
    await press();
    for (const [seconds, retryAfter] of [
      [0, "12"],
      [5, "7"],
      [6.5, "1"],
    ] as const) {
      world.advance(seconds);
      const refused = await ask();
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, retryAfter]);
      expect(await refused.json()).toMatchObject({ code: 42902 });
    }
    expect(posts).toHaveLength(1);
    world.advance(0.5);
    await press();
    expect(posts).toHaveLength(2);
  });

  it("gets one of many that are asked for at once, and leaves the other clients theirs", async () => {
    const other = await world.client("brand", { callbackUrl: "https://other.example.com/" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(19);
    await press(other);
    expect(posts).toHaveLength(2);
  });

  it("is counted against the limit of the website as ever", async () => {
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    expect((await ask()).headers.get("ratelimit")).toBe('"website";r=299;t=1');
    expect((await ask()).headers.get("ratelimit")).toBe('"website";r=298;t=1');
  });
});

it("is refused without credentials, to a suspended client, and without the grant", async () => {
  expect((await world.fetch("/text/test-event", { method: "POST" })).status).toBe(401);
  expect((await ask({ ...client, clientSecret: "0".repeat(64) })).status).toBe(401);
  const denied = await world.client("brand", { callbackUrl: URL_OF_BRAND, operations: ["send"] });
  expect((await ask(denied)).status).toBe(403);
  await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
  expect((await ask()).status).toBe(403);
  expect(posts).toEqual([]);
});

it("answers the error of the header Sandbox-Error, and posts nothing", async () => {
  expect((await ask(client, { "sandbox-error": "50300" })).status).toBe(503);
  expect(posts).toEqual([]);
});
