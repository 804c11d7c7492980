/** GET /text/requests: what a client was refused, and what was posted to its endpoint, for its own eyes. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { purgeOutcomes } from "../../src/store/messages/retention.ts";
import { seed } from "../seed.ts";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";

interface Answer {
  refused: Record<string, unknown>[];
  lastCredentialsRefused: unknown;
  callbacks: Record<string, unknown>[];
}

let world: World;
let client: TestClient;
let endpoint: () => Response;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  endpoint = () => new Response("thanks", { status: 202 });
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => endpoint());
});

afterEach(() => {
  vi.restoreAllMocks();
});

const ask = (query = "", of = client) =>
  world.fetch(`/text/requests${query}`, {
    headers: { "x-client-id": of.clientId, "x-client-secret": of.clientSecret },
  });

async function look(query = "", of = client): Promise<Answer> {
  await world.afterAnswer();
  const answer = await ask(query, of);
  expect(answer.status).toBe(200);
  return answer.json();
}

const send = (fields: object, of = client) => world.post("/text/message/send", of, { ...SEND, ...fields });

it("has the latest posts first, also where an older event is posted after a newer one", async () => {
  const column = {
    client_id: `'${client.clientId}'`,
    message_id: "'m' || i",
    event: "'DELIVERED'",
    outcome: "'answered'",
  };
  const times = { occurred_at: `${world.now}`, attempted_at: `${world.now} - i` };
  await seed(world, "events", 5, { ...column, ...times, http_status: "500", response: "'no ' || i", duration_ms: "1" });
  const { callbacks } = await look("?limit=3");
  expect(callbacks.map(({ eventId }) => eventId)).toEqual(["m0_DELIVERED", "m1_DELIVERED", "m2_DELIVERED"]);
  const page = await world.operator("GET", `/clients/${client.clientId}`);
  expect(await page.json()).toMatchObject({ posts: { lastFailure: { response: "no 0" } } });
});

describe("the refused requests of a client", () => {
  it("are told as they were answered, the newest first", async () => {
    const first = await send({ phone: "12" });
    world.advance(1);
    const second = await world.post("/text/unsubscribe", client, []);
    const answers = [await second.json<Record<string, unknown>>(), await first.json<Record<string, unknown>>()];
    const { refused } = await look();
    expect(refused.map(({ at: _, method: _2, path: _3, status: _4, ...told }) => told)).toEqual(answers);
    expect(refused.map(({ method, path, status }) => [method, path, status])).toEqual([
      ["POST", "/text/unsubscribe", second.status],
      ["POST", "/text/message/send", 400],
    ]);
    expect(refused.map(({ at }) => Date.parse(String(at)))).toEqual([world.now, world.now - 1000]);
  });

  it("are kept once in ten seconds where path and code are the same, and each code by itself", async () => {
    for (let second = 0; second < 21; second++) {
      await send({ phone: "12" });
      await world.post("/text/message/send", client, "{");
      world.advance(1);
    }
    const { refused } = await look();
    expect(refused.map(({ code }) => code).sort()).toEqual([40000, 40000, 40000, 40001, 40001, 40001]);
  });

  it("are no other's, not even of the same website, and a taken request is none", async () => {
    const other = await world.client("brand");
    await send({ phone: "12" });
    expect((await send({ phone: ADA })).status).toBe(200);
    expect((await look("", other)).refused).toEqual([]);
    expect((await look()).refused.length).toBe(1);
  });

  it("quote no number of a person", async () => {
    await world.post("/text/message/send", client, `{"+12125550100": x}`);
    const { refused } = await look();
    expect(String(refused[0]?.message)).toMatch(/^The body is not JSON: .*/);
    expect(JSON.stringify(await world.rows("SELECT * FROM refused_requests"))).not.toContain("12125550100");
  });

  it("are at most a hundred, for a week", async () => {
    for (let count = 0; count < 105; count++) {
      await send({ phone: "12" });
      world.advance(11);
    }
    await world.afterAnswer();
    const { refused } = await look("?limit=100");
    expect(refused.length).toBe(100);
    expect(new Date(String(refused[99]?.at)).getTime()).toBe(world.now - 100 * 11_000);
    const ofClient = await world.rows("SELECT count(*) AS count FROM refused_requests");
    expect(ofClient).toEqual([{ count: 100 }]);
    world.advance(7 * 86_400 - 50 * 11 - 1);
    await purgeOutcomes(world.deps.db, world.now);
    expect((await look("?limit=100")).refused.length).toBe(50);
  });

  it("keep nothing where the store is away, and answer as ever", async () => {
    const { deps } = world;
    world.deps = {
      ...deps,
      db: {
        prepare: () => {
          throw new Error("away");
        },
        batch: () => {
          throw new Error("away");
        },
      } as unknown as D1Database,
    };
    expect((await send({ phone: "12" })).status).toBe(400);
    await world.afterAnswer();
    world.deps = deps;
    expect((await look()).refused).toEqual([]);
  });
});

describe("refused credentials", () => {
  it("are told by their cause, and list no request", async () => {
    const wrong = { ...client, clientSecret: "0".repeat(64) };
    expect((await send({ phone: ADA }, wrong)).status).toBe(401);
    const { refused, lastCredentialsRefused } = await look();
    expect(refused).toEqual([]);
    expect(lastCredentialsRefused).toMatchObject({ cause: "secret-wrong" });
  });

  it("do not open the list, and a client without the operation is refused", async () => {
    expect((await ask("", { ...client, clientSecret: "0".repeat(64) })).status).toBe(401);
    const sender = await world.client("brand", { operations: ["send"] });
    expect((await ask("", sender)).status).toBe(403);
  });
});

describe("the posts to a client's endpoint", () => {
  it("are told with what the endpoint answered, the newest first", async () => {
    const taken = await world.send(client, { phone: ADA });
    await world.runQueues();
    world.advance(1);
    endpoint = () => new Response("upstream connect error", { status: 500 });
    const failed = await world.send(client, { phone: ADA });
    await world.runQueues();
    const { callbacks } = await look();
    const failing = { outcome: "answered", httpStatus: 500, response: "upstream connect error" };
    expect(callbacks).toMatchObject([
      { eventId: `${failed}_DELIVERED`, ...failing },
      { eventId: `${failed}_SENDING`, ...failing },
      { eventId: `${taken}_DELIVERED`, outcome: "answered", httpStatus: 202 },
      { eventId: `${taken}_SENDING`, outcome: "answered", httpStatus: 202 },
    ]);
    expect((await look("?limit=1")).callbacks.length).toBe(1);
    const other = await world.client("brand");
    expect((await look("", other)).callbacks).toEqual([]);
  });
});

it.each(["0", "101", "x", "-1", "1.5"])("takes no limit of %s", async (limit) => {
  const answer = await ask(`?limit=${limit}`);
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 40001, details: [{ field: "limit" }] }]);
});
