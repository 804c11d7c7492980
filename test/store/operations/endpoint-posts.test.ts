/** What a client's endpoint made of the posts of a day. */
import { afterEach, expect, it, vi } from "vitest";
import { World } from "../../world.ts";

const ADA = "+12125550100";

afterEach(() => {
  vi.restoreAllMocks();
});

interface Posts {
  slots: { at: string; taken: number; failed: number }[];
  meanMilliseconds: number | null;
  slowestMilliseconds: number | null;
}

it("is counted by 20 minutes, once, whatever transaction runs twice, and is forgotten after a day", async () => {
  const world = await World.create();
  const client = await world.brand([ADA]);
  const look = async () =>
    ((await (await world.operator("GET", `/clients/${client.clientId}`)).json()) as { posts: Posts }).posts;
  expect(await look()).toMatchObject({ meanMilliseconds: null, slowestMilliseconds: null });
  const { deps } = world;
  const twice: D1Database["batch"] = async (statements) => {
    await deps.db.batch(statements);
    return (await deps.db.batch(statements)) as never;
  };
  const get = (target: D1Database, name: keyof D1Database) =>
    name === "batch" ? twice : (target[name] as () => unknown).bind(target);
  const posts = (status: number, milliseconds: number) =>
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      world.now += milliseconds;
      return new Response("", { status });
    });
  // Two callbacks: the sandbox gives a receipt with its answer.
  const send = async () => {
    await world.send(client, { phone: ADA });
    await world.deliver(
      "textgate-messages",
      world.jobs.splice(0).map(({ body }) => body),
    );
    world.deps = { ...deps, db: new Proxy(deps.db, { get } as ProxyHandler<D1Database>) };
    await world.deliver(
      "textgate-callbacks",
      world.callbacks.splice(0).map(({ body }) => body),
    );
    world.deps = deps;
  };
  posts(200, 100);
  await send();
  await send();
  world.advance(20 * 60);
  posts(500, 400);
  await send();
  const { slots, ...times } = await look();
  expect(slots).toHaveLength(72);
  expect(slots.slice(-2)).toEqual([
    { at: "2026-11-21T12:00:00.000Z", taken: 4, failed: 0 },
    { at: "2026-11-21T12:20:00.000Z", taken: 0, failed: 2 },
  ]);
  expect(slots[0]?.at).toBe("2026-11-20T12:40:00.000Z");
  expect(times).toEqual({
    meanMilliseconds: 200,
    slowestMilliseconds: 400,
    failing: { failures: 2, since: expect.any(String) },
    lastFailure: { at: expect.any(String), outcome: "answered", httpStatus: 500, response: expect.any(String) },
  });
  world.advance(25 * 3600);
  expect((await look()).slowestMilliseconds).toBeNull();
  await world.sweep();
  expect(await world.rows("SELECT * FROM counts WHERE span = 'slot'")).toEqual([]);
});
