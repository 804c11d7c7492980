/** Stores that are silent, rather than broken: nothing waits for them longer than it must, and nothing is lost or sent twice. */

import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { limits } from "../../src/platform/time-limit.ts";
import { ADA, BODY, client, prepare, world } from "../one-subscriber.ts";
import { countLimits, silent, waited } from "../silence.ts";
import { World } from "../world.ts";
import { type Binding, type Fault, Injector } from "./injector.ts";

prepare();

/** Every call of a binding is silent, and takes effect or not, while work is done in another isolate. */
async function whileSilent<T>(binding: Binding, work: () => Promise<T>, when: Fault["when"] = "silent"): Promise<T> {
  const { deps } = world;
  const elsewhere = await World.another(world);
  const draw = (called: Binding) => (called === binding ? when : undefined);
  const { messages, bulk, callbacks, now, log, random, carriers, storedUses } = deps;
  world.deps = new Injector(undefined, draw).wrap({
    ...elsewhere.deps,
    messages,
    bulk,
    callbacks,
    now,
    log,
    random,
    carriers,
    storedUses,
  });
  waited.length = 0;
  try {
    return await work();
  } finally {
    world.deps = deps;
  }
}

const seconds = () => waited.reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000;
const send = (headers: Record<string, string> = {}) => world.post("/text/message/send", client, BODY, headers);
const ask = (path: string) =>
  world.fetch(path, { headers: { "x-client-id": client.clientId, "x-client-secret": client.clientSecret } });

describe("a silent limiter", () => {
  it("holds a request up for half a second, and it goes on", async () => {
    const answer = await whileSilent("limiter", send);
    expect(answer.status).toBe(200);
    expect(answer.headers.has("ratelimit")).toBe(false);
    expect(seconds()).toBe(0.5);
    expect(world.logs.join()).toContain('"event":"rate-limiter.failed"');
  });

  it("holds an operator up for five seconds, who is told that the change takes longer", async () => {
    const path = `/clients/${client.clientId}`;
    const answer = await whileSilent("limiter", () => world.operator("PATCH", path, { suspended: true }));
    expect(await answer.json()).toMatchObject({ suspended: true, takesEffect: "within-minutes" });
    expect(waited).toEqual([5000]);
  });
});

describe("a silent KV", () => {
  it("has a request answered 503, safe to repeat, after some seconds", async () => {
    const answer = await whileSilent("KV", send);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("3");
    expect(seconds()).toBe(5);
    expect((await send()).status).toBe(200);
  });

  it("does not hold up a client that the isolate knows", async () => {
    await send();
    const { deps } = world;
    const draw = (called: Binding) => (called === "KV" ? ("silent" as const) : undefined);
    world.deps = { ...new Injector(undefined, draw).wrap(deps), credentials: deps.credentials };
    waited.length = 0;
    expect((await send()).status).toBe(200);
    expect(waited).toEqual([]);
  });

  it("fails no change of an operator, and the sweep copies it", async () => {
    const path = `/clients/${client.clientId}`;
    const answer = await whileSilent("KV", () => world.operator("PATCH", path, { suspended: true }));
    expect(await answer.json()).toMatchObject({ suspended: true, takesEffect: "at-once" });
    expect(seconds()).toBe(5);
    world.advance(1);
    await world.sweep();
    expect(await env.CREDENTIALS.get(`client:${client.clientId}`, "json")).toMatchObject({ suspended: true });
  });

  it("keeps the sweep from no other job, and from trying each of many clients", async () => {
    for (let count = 0; count < 10; count++) await world.client();
    await world.rows("UPDATE clients SET copied_at = NULL");
    await whileSilent("KV", () => world.sweep());
    expect(seconds()).toBe(15);
    const [row] = await world.rows("SELECT failed_jobs FROM last_sweep");
    expect(row?.failed_jobs).toBe('["copy-credentials"]');
  });
});

it("silent D1 and queues have a request answered 500: nothing cancels what may be stored", async () => {
  await send();
  const { deps } = world;
  const draw = (called: Binding) => (["D1", "messages"].includes(called) ? ("silent" as const) : undefined);
  world.deps = { ...new Injector(undefined, draw).wrap(deps), credentials: deps.credentials };
  waited.length = 0;
  const answer = await send();
  expect([answer.status, await answer.json()]).toEqual([
    500,
    expect.objectContaining({
      code: 50000,
      details: [{ field: "body", message: "may be stored", messageId: expect.any(String) }],
    }),
  ]);
  expect(seconds()).toBeLessThanOrEqual(30);
});

describe("a silent D1", () => {
  const REQUESTS: [what: string, ask: () => Promise<Response>][] = [
    ["a send request", send],
    ["a send request with a key", () => send({ "idempotency-key": "k" })],
    ["a bulk request", () => world.post("/text/bulk/message/send", client, { messages: [BODY, BODY] })],
    ["a look-up", () => world.post("/text/subscription/status", client, { phone_numbers: [ADA] })],
    ["a subscription", () => world.post("/text/subscribe", client, { phone_numbers: [ADA], sendPurpose: "a" })],
    ["an unsubscription", () => world.post("/text/unsubscribe", client, { phone_numbers: [ADA] })],
    ["a question about a message", () => ask(`/text/message/status?messageId=${crypto.randomUUID()}`)],
    [
      "a question about many",
      () => world.post("/text/message/statuses", client, { messageIds: [crypto.randomUUID()] }),
    ],
    ["a question about events", () => ask("/text/events")],
    ["an operator's question", () => world.operator("GET", "/websites/brand")],
    ["an operator's change", () => world.operator("PUT", "/websites/brand", { name: "x" })],
    ["an import", () => world.subscribers("brand", [ADA])],
    ["a click", () => world.fetch(`/l/${"a".repeat(10)}`)],
  ];

  it.each(REQUESTS)("has %s answered 503 after two tries", async (_, request) => {
    // The first request of a client stores, after its answer, that it was used.
    await ask("/text/events");
    const answer = await whileSilent("D1", request, "silent");
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("3");
    expect(seconds()).toBeLessThanOrEqual(20);
    expect(seconds()).toBeGreaterThanOrEqual(10);
  });

  it("that says nothing once is asked again, and the request is answered", async () => {
    const { deps } = world;
    for (let nth = 1; nth <= 4; nth++) {
      world.deps = new Injector({ nth, when: "silent", lasts: "once" }).wrap(deps);
      waited.length = 0;
      const answer = await send();
      expect(answer.status).toBe(nth === 1 ? 503 : 200);
    }
    world.deps = deps;
  });

  it("has an operator's look at the state answered as soon, which says that the database is away", async () => {
    const answer = await whileSilent("D1", () => world.operator("GET", "/health"));
    expect(await answer.json()).toMatchObject({ problems: ["database-away"] });
    expect(waited).toEqual(new Array(2).fill(10_000));
  });

  it("leaves /health its own limit", async () => {
    const answer = await whileSilent("D1", () => world.fetch("/health"));
    expect(answer.status).toBe(503);
    expect(waited).toEqual([1800]);
  });

  it("has a batch of a hundred jobs put back within minutes, however many of them run alone", async () => {
    const jobs = Array.from({ length: 100 }, () => ({
      kind: "release",
      claim: crypto.randomUUID(),
      messageIds: ["m"],
    }));
    const result = await whileSilent("D1", () => world.deliver("textgate-messages", jobs));
    expect(result).toEqual({ acknowledged: 0, retried: 100 });
    expect(seconds()).toBe(60);
    expect(await world.deliver("textgate-messages", jobs)).toEqual({ acknowledged: 100, retried: 0 });
  });

  it("ends the sweep within minutes", async () => {
    await whileSilent("D1", () => world.sweep());
    // 18 steps wait for 20 seconds each. The platform ends a scheduled run after 15 minutes.
    expect(seconds()).toBeLessThanOrEqual(18 * 20);
    expect(world.logs.join()).toContain('"event":"sweep"');
  });

  it("as messages are claimed loses none: what it may have claimed is given back later than it can still claim", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const jobs = world.jobs.splice(0).map(({ body }) => body);
    const { deps } = world;
    world.deps = new Injector({ nth: 1, when: "silent", lasts: "on its binding" }).wrap(deps);
    await world.deliver("textgate-messages", jobs);
    world.deps = deps;
    const [release] = world.jobs;
    expect(release?.body).toMatchObject({ kind: "release" });
    // A try lives for 15 seconds; the last one began 10 seconds ago.
    expect(Number(release?.at) - world.now).toBeGreaterThanOrEqual(5000);
    await world.pass(3);
    expect(await world.statusOf(messageId)).toBe("DELIVERED");
  });
});

it("no time limit outlives its call", async () => {
  const start = vi.mocked(limits.start);
  await send();
  await world.runQueues();
  await whileSilent("D1", send);
  await world.sweep();
  expect(start.mock.calls.length).toBeGreaterThan(10);
  expect(countLimits()).toBe(0);
});

describe("a silent queue", () => {
  it("holds up nobody who sends: the sweep finds messages that wait without a job", async () => {
    const { messages } = world.deps;
    vi.spyOn(messages, "sendBatch").mockImplementationOnce(() => silent());
    const messageId = await world.send(client, { phone: ADA });
    expect(seconds()).toBe(5);
    expect(world.logs.join()).toContain('"event":"queue.failed"');
    world.advance(300);
    await world.sweep();
    world.advance(300);
    await world.runQueues();
    expect(await world.statusOf(messageId)).toBe("DELIVERED");
  });

  it("has dead jobs that are put back wait on", async () => {
    const body = JSON.stringify({ kind: "deliver", messageIds: ["m"] });
    await world.rows("INSERT INTO dead_jobs (id, queue, body, died_at) VALUES ('a', 'textgate-messages', ?1, 1)", body);
    vi.spyOn(world.deps.messages, "send").mockImplementationOnce(() => silent());
    expect((await world.operator("POST", "/dead-jobs/put-back")).status).toBe(503);
    expect(await world.rows("SELECT 1 FROM dead_jobs WHERE put_back_at IS NULL")).toHaveLength(1);
  });
});

it("silent assets hold up the document no longer than some seconds", async () => {
  const assets = { fetch: () => silent() } as unknown as Fetcher;
  world.deps = { ...world.deps, assets };
  expect((await world.fetch("/openapi.json")).status).toBe(503);
});
