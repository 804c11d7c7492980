import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failingDatabase } from "../faults.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const UNKNOWN = "+12125550177";

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

let world: World;
let client: TestClient;
let posts: Post[];
/** What each endpoint answers, by host. */
let answers: Record<string, (signal: AbortSignal) => Promise<Response> | Response>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  posts = [];
  answers = {};
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = String(input);
    expect(init?.redirect).toBe("manual");
    posts.push({ url, headers: Object.fromEntries(new Headers(init?.headers)), body: String(init?.body) });
    return (answers[new URL(url).host] ?? (() => new Response("thanks")))(init?.signal as AbortSignal);
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const callbacks = async () =>
  world.rows(
    "SELECT event, attempted_at, outcome, http_status, response FROM events WHERE callback_due = 1 ORDER BY 1",
  );
const deliver = (...eventIds: string[]) => world.deliver("textgate-callbacks", eventIds);

describe("a callback", () => {
  it("says what happened, with callbackData byte for byte", async () => {
    const callbackData = '{ "profileId":"01H" ,"x":"\\u00e9"}\n';
    const messageId = await world.send(client, { phone: ADA, callbackData, sendPurpose: "Flow Name" });
    await world.runQueues();
    expect(posts.map(({ url }) => url)).toEqual(new Array(2).fill("https://brand.example.com/callbacks"));
    expect(posts.map(({ body }) => JSON.parse(body))).toEqual(
      ["SENDING", "DELIVERED"].map((status) => ({
        eventId: `${messageId}_${status}`,
        eventType: "message.status",
        messageId,
        status,
        occurredAt: "2026-11-21T12:00:00.000Z",
        phone: ADA,
        sendPurpose: "Flow Name",
        callbackData,
      })),
    );
  });

  it("has a null phone when no number was found", async () => {
    await world.send(client, { email: "nobody@example.com" });
    await world.runQueues();
    expect(JSON.parse(posts[0]?.body ?? "")).toMatchObject({ status: "FAILED_TO_MATCH", phone: null });
  });

  it("is signed as Standard Webhooks says, and an altered one is found out", async () => {
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    await world.send(client, { phone: UNKNOWN });
    await world.runQueues();
    const [post] = posts as [Post];
    const webhook = new Webhook(client.callbackSecret);
    expect(post.headers["content-type"]).toBe("application/json");
    expect(webhook.verify(post.body, post.headers)).toMatchObject({ eventId: post.headers["webhook-id"] });
    expect(() => webhook.verify(post.body.replace("NOT_FOUND", "DELIVERED"), post.headers)).toThrow();
  });

  it("is signed with both secrets while one is being replaced, and with one after", async () => {
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    const rotated = await world.operator("POST", `/clients/${client.clientId}/rotate`, { graceSeconds: 60 });
    const { callbackSecret } = (await rotated.json()) as TestClient;
    const verify = (secret: string, post: Post | undefined) =>
      new Webhook(secret).verify(post?.body ?? "", post?.headers ?? {});
    await world.send(client, { phone: UNKNOWN });
    await world.runQueues();
    for (const secret of [client.callbackSecret, callbackSecret]) expect(() => verify(secret, posts[0])).not.toThrow();
    world.advance(61);
    vi.setSystemTime(world.now);
    const { clientSecret } = (await (
      await world.operator("POST", `/clients/${client.clientId}/rotate`, { graceSeconds: 0 })
    ).json()) as TestClient;
    await world.send({ ...client, clientSecret }, { phone: UNKNOWN });
    await world.runQueues();
    expect(posts[1]?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    expect(() => verify(client.callbackSecret, posts[1])).toThrow();
  });

  it("is posted once, however often its job comes, and whatever came back", async () => {
    answers["brand.example.com"] = () => new Response("broken", { status: 500 });
    const messageId = await world.send(client, { phone: UNKNOWN });
    await world.runQueues();
    await Promise.all([1, 2, 3].map(() => deliver(`${messageId}_NOT_FOUND`, `${messageId}_NOT_FOUND`)));
    world.advance(3600);
    await world.sweep();
    await world.runQueues();
    expect(posts).toHaveLength(1);
    expect(await callbacks()).toMatchObject([{ outcome: "answered", http_status: 500, response: "broken" }]);
  });

  it("whose job is lost is found by the sweep, and posted once", async () => {
    await world.send(client, { phone: UNKNOWN });
    world.callbacks.length = 0;
    world.advance(61);
    await world.sweep();
    await world.sweep();
    await world.runQueues();
    expect(posts).toHaveLength(1);
  });

  it.each(["before", "after"] as const)(
    "is posted once when the store fails %s the claim took effect",
    async (when) => {
      const messageId = await world.send(client, { phone: UNKNOWN });
      world.callbacks.length = 0;
      const whole = world.deps;
      world.deps = { ...whole, db: failingDatabase(whole.db, 1, when) };
      await deliver(`${messageId}_NOT_FOUND`);
      world.deps = whole;
      await deliver(`${messageId}_NOT_FOUND`);
      expect(posts).toHaveLength(1);
    },
  );

  it("goes out unsigned never: with a secret that cannot be read, it is not posted, and says why", async () => {
    world.deps = { ...world.deps, config: { ...world.deps.config, serviceKey: "another key" } };
    const messageId = await world.send(client, { phone: UNKNOWN });
    await world.runQueues();
    expect(posts).toEqual([]);
    expect(await (await world.operator("GET", `/messages/${messageId}`)).json()).toMatchObject({
      callbacks: [{ outcome: "not-posted", response: expect.stringContaining("SERVICE_KEY") }],
    });
  });

  it("to nonsense is ignored", async () => {
    expect(await world.deliver("textgate-callbacks", [null, 5, "nope", "a_b", ""])).toMatchObject({ retried: 0 });
    expect(posts).toEqual([]);
  });
});

describe("what comes back", () => {
  const endless = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(500))),
    });

  it.each<[string, () => Response | Promise<Response>, object]>([
    [
      "a redirect",
      () => new Response(null, { status: 302, headers: { location: "https://10.0.0.1/" } }),
      { outcome: "answered", http_status: 302 },
    ],
    [
      "a body without end",
      () => new Response(endless()),
      { outcome: "answered", http_status: 200, response: "x".repeat(1024) },
    ],
    [
      "no connection",
      () => Promise.reject(new Error("Network connection lost.")),
      { outcome: "unreachable", http_status: null },
    ],
    ["nothing", () => new Response(null, { status: 204 }), { outcome: "answered", http_status: 204, response: "" }],
    ["bytes that are no text", () => new Response(new Uint8Array([0xff, 0xfe, 0])), { outcome: "answered" }],
  ])("%s is kept for the operator, and the post is not repeated", async (_, answer, kept) => {
    answers["brand.example.com"] = answer;
    const messageId = await world.send(client, { phone: UNKNOWN });
    await world.runQueues();
    await deliver(`${messageId}_NOT_FOUND`);
    expect(posts).toHaveLength(1);
    expect(await callbacks()).toMatchObject([kept]);
    const seen = await (await world.operator("GET", `/messages/${messageId}`)).json();
    expect(seen).toMatchObject({
      callbacks: [{ eventId: `${messageId}_NOT_FOUND`, attemptedAt: "2026-11-21T12:00:00.000Z" }],
    });
  });
});

describe("an endpoint that hangs", () => {
  const hang = (signal: AbortSignal) =>
    new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  it("gets each of its posts once, ten seconds for one, and does not hold up another endpoint", async () => {
    answers["slow.example.com"] = hang;
    const slow = await world.client("brand", { callbackUrl: "https://slow.example.com/" });
    const slowIds = await Promise.all(Array.from({ length: 20 }, () => world.send(slow, { phone: UNKNOWN })));
    const fastIds = await Promise.all(Array.from({ length: 20 }, () => world.send(client, { phone: UNKNOWN })));
    const ids = [...slowIds, ...fastIds].map((id) => `${id}_NOT_FOUND`);
    world.callbacks.length = 0;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const delivered = deliver(...ids);
    const count = (host: string) => posts.filter(({ url }) => url.includes(host)).length;
    await vi.waitFor(() => expect(count("brand.example.com")).toBe(20), { timeout: 5000 });
    expect(count("slow.example.com")).toBe(3);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await delivered;
    expect(count("slow.example.com")).toBe(3);
    const rows = await callbacks();
    expect(rows.filter(({ outcome }) => outcome === "timed-out")).toHaveLength(3);
    expect(rows.filter(({ attempted_at }) => attempted_at === null)).toHaveLength(17);
    expect(world.callbacks.map(({ at }) => at)).toEqual(new Array(17).fill(world.now + 60_000));
  });

  it("gets the rest when it has recovered", async () => {
    answers["brand.example.com"] = hang;
    const ids = await Promise.all(Array.from({ length: 8 }, () => world.send(client, { phone: UNKNOWN })));
    world.callbacks.length = 0;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const delivered = deliver(...ids.map((id) => `${id}_NOT_FOUND`));
    await vi.waitFor(() => expect(posts).toHaveLength(3), { timeout: 5000 });
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await delivered;
    answers = {};
    world.advance(60);
    await world.runQueues();
    expect(posts).toHaveLength(8);
    expect(new Set(posts.map(({ headers }) => headers["webhook-id"])).size).toBe(8);
  });
});
