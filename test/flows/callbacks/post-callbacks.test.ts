import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chunk } from "../../../src/domain/chunk.ts";
import { CALLBACKS_A_JOB } from "../../../src/flows/messages/queue-jobs.ts";
import { failingDatabase } from "../../failing-database.ts";
import { type TestClient, World } from "../../world.ts";

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
    `SELECT event, attempted_at, outcome, http_status, response FROM events WHERE (due_at IS NOT NULL OR outcome IS NOT NULL) ORDER BY 1`,
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
        reason: null,
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
    expect(post.headers["user-agent"]).toBe("Textgate/1");
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

  it("is posted once, be its id alone in a job, or with others, or in both", async () => {
    const ids = await Promise.all([1, 2, 3].map(() => world.send(client, { phone: UNKNOWN })));
    world.callbacks.length = 0;
    const [one = "", two = "", three = ""] = ids.map((id) => `${id}_NOT_FOUND`);
    await world.deliver("textgate-callbacks", [one, [two, three], [three, one], []]);
    expect(posts.map(({ headers }) => headers["webhook-id"]).toSorted()).toEqual([one, two, three].toSorted());
  });

  it("to nonsense is ignored", async () => {
    const nonsense = [null, 5, "nope", "a_b", "", [null, 5, "nope", ["a_b"]], {}];
    expect(await world.deliver("textgate-callbacks", nonsense)).toMatchObject({ retried: 0 });
    expect(posts).toEqual([]);
  });
});

describe("what comes back", () => {
  const endless = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(500))),
    });

  /** As workerd says it of a body that is not in the encoding that its header names. */
  const unreadable = () =>
    new ReadableStream({ pull: (controller) => controller.error(new TypeError("Decompression failed.")) });

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
    [
      "a body that cannot be read",
      () => new Response(unreadable()),
      { outcome: "answered", http_status: 200, response: null },
    ],
    [
      "a refusal with a body that cannot be read",
      () => new Response(unreadable(), { status: 503 }),
      { outcome: "answered", http_status: 503, response: null },
    ],
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
    expect(count("slow.example.com")).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await delivered;
    expect(count("slow.example.com")).toBe(1);
    const rows = await callbacks();
    expect(rows.filter(({ outcome }) => outcome === "timed-out")).toHaveLength(1);
    expect(rows.filter(({ attempted_at }) => attempted_at === null)).toHaveLength(19);
    expect(world.callbacks.map(({ at }) => at)).toEqual(new Array(19).fill(world.now + 60_000));
  });

  it("leaves connections to the others, though three more hang in the same batch", async () => {
    const hanging = ["one", "two", "three", "four"];
    const ids: string[] = [];
    for (const name of hanging) {
      answers[`${name}.example.com`] = hang;
      const slow = await world.client("brand", { callbackUrl: `https://${name}.example.com/` });
      for (let count = 0; count < 5; count++) ids.push(await world.send(slow, { phone: UNKNOWN }));
    }
    for (let count = 0; count < 20; count++) ids.push(await world.send(client, { phone: UNKNOWN }));
    world.callbacks.length = 0;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const delivered = deliver(...ids.map((id) => `${id}_NOT_FOUND`));
    const count = (host: string) => posts.filter(({ url }) => url.includes(host)).length;
    await vi.waitFor(() => expect(count("brand.example.com")).toBe(20), { timeout: 5000 });
    expect(hanging.map((name) => count(`/${name}.`))).toEqual([1, 1, 1, 1]);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await delivered;
  });

  it("has at most three posts at a time once it has answered, and each of them once", async () => {
    let [underWay, most] = [0, 0];
    answers["brand.example.com"] = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay--;
      return new Response("thanks");
    };
    const ids = await Promise.all(Array.from({ length: 60 }, () => world.send(client, { phone: UNKNOWN })));
    await world.runQueues();
    expect(most).toBe(3);
    expect(posts.map(({ headers }) => headers["webhook-id"]).toSorted()).toEqual(
      ids.map((id) => `${id}_NOT_FOUND`).toSorted(),
    );
  });

  it("gets the rest when it has recovered", async () => {
    answers["brand.example.com"] = hang;
    const ids = await Promise.all(Array.from({ length: 8 }, () => world.send(client, { phone: UNKNOWN })));
    world.callbacks.length = 0;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const delivered = deliver(...ids.map((id) => `${id}_NOT_FOUND`));
    await vi.waitFor(() => expect(posts).toHaveLength(1), { timeout: 5000 });
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

describe("a client whose callback URL is taken away", () => {
  const GONE = { outcome: "not-posted", http_status: null, response: "the client has no callback URL any more" };
  let other: TestClient;

  beforeEach(async () => {
    other = await world.brand([], "other");
  });

  const setUrl = (callbackUrl: string, { clientId } = client) => {
    world.advance(1);
    return world.operator("PATCH", `/clients/${clientId}`, { callbackUrl });
  };
  const sendMany = (count: number, from: TestClient) =>
    Promise.all(Array.from({ length: count }, () => world.send(from, { phone: UNKNOWN })));
  const takeJobs = () => world.callbacks.splice(0).map(({ body }) => body);

  it("has what is due ended, in the same batch in which the others' are posted", async () => {
    await sendMany(2, client);
    await sendMany(10, other);
    await setUrl("");
    await world.runQueues();
    expect(posts.map(({ url }) => url)).toEqual(new Array(10).fill("https://other.example.com/callbacks"));
    const rows = await callbacks();
    expect(rows.filter(({ outcome }) => outcome === "not-posted")).toMatchObject([GONE, GONE]);
    expect(rows.filter(({ attempted_at }) => attempted_at === null)).toEqual([]);
    expect(world.logs.join()).not.toContain("callbacks.failed");
  });

  it("shows the operator why they were not posted, and has none late", async () => {
    const messageId = await world.send(client, { phone: UNKNOWN });
    takeJobs();
    await setUrl("");
    await world.pass(6);
    expect(await (await world.operator("GET", `/messages/${messageId}`)).json()).toMatchObject({
      callbacks: [{ outcome: "not-posted", response: GONE.response }],
    });
    expect(await (await world.operator("GET", "/health")).json()).toMatchObject({
      problems: [],
      callbacks: { due: { count: 0 } },
    });
  });

  it("and is given another gets none of them at that, however often their jobs come", async () => {
    await sendMany(3, client);
    const jobs = takeJobs();
    await setUrl("");
    await deliver(...jobs);
    await setUrl("https://new.example.com/");
    await deliver(...jobs);
    world.advance(3600);
    await world.sweep();
    await world.runQueues();
    expect(posts).toEqual([]);
    expect(await callbacks()).toMatchObject([GONE, GONE, GONE]);
  });

  it("and is given another before their jobs come gets each of them there, once", async () => {
    await sendMany(3, client);
    await setUrl("");
    await setUrl("https://new.example.com/");
    const jobs = takeJobs();
    await deliver(...jobs);
    await deliver(...jobs);
    expect(posts.map(({ url }) => url)).toEqual(new Array(3).fill("https://new.example.com/"));
  });

  it("while a run posts gets no more, and what the run had found is ended", async () => {
    await sendMany(40, client);
    let taken: Promise<unknown> | undefined;
    answers["brand.example.com"] = async () => {
      taken ??= world.rows("UPDATE clients SET callback_url = NULL WHERE client_id = ?1", client.clientId);
      await taken;
      return new Response("thanks");
    };
    for (const job of chunk(takeJobs(), CALLBACKS_A_JOB)) await deliver(...job);
    // What is claimed has its URL already.
    expect(posts.length).toBe(CALLBACKS_A_JOB);
    const rows = await callbacks();
    expect(rows.filter(({ outcome }) => outcome === "answered")).toHaveLength(posts.length);
    expect(rows.filter(({ outcome }) => outcome === "not-posted")).toHaveLength(40 - posts.length);
  });
});

describe("a callback that cannot even be made", () => {
  it.each<[what: string, sql: string, response: RegExp]>([
    [
      "its URL is none",
      "UPDATE clients SET callback_url = 'not a URL' WHERE client_id = ?1",
      /the callback URL must be/,
    ],
    ["its secret is none", "UPDATE clients SET callback_secret = 'AAAA' WHERE client_id = ?1", /cannot be decrypted/],
    [
      "its time is none",
      "UPDATE events SET occurred_at = 9e15 WHERE message_id IN (SELECT message_id FROM messages WHERE client_id = ?1)",
      /RangeError/,
    ],
  ])("as %s fails alone, and says why", async (_, sql, response) => {
    const other = await world.brand([], "other");
    const bad = await world.send(client, { phone: UNKNOWN });
    await world.rows(sql, client.clientId);
    for (let count = 0; count < 5; count++) await world.send(other, { phone: UNKNOWN });
    await world.runQueues();
    expect(posts.map(({ url }) => url)).toEqual(new Array(5).fill("https://other.example.com/callbacks"));
    expect(await world.rows("SELECT outcome, response FROM events WHERE message_id = ?1", bad)).toEqual([
      { outcome: "not-posted", response: expect.stringMatching(response) },
    ]);
  });
});
