/** A run posts the first callbacks of what it stores: they need neither a job nor a claim of their own. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier } from "../../src/platform/carriers/carrier.ts";
import { sandbox } from "../../src/platform/carriers/sandbox.ts";
import { ALL_EVENTS } from "../all-events.ts";
import { takeCallbacks } from "../callback-endpoint.ts";
import { countingDatabase } from "../counting-database.ts";
import { failingDatabase } from "../failing-database.ts";
import { strictCarrier } from "../strict/bindings.ts";
import { type TestClient, World } from "../world.ts";

const PEOPLE = Array.from({ length: 10 }, (_, index) => `+1212555010${index}`);

let world: World;
let client: TestClient;
let posts: string[];
let answer: (signal: AbortSignal) => Response | Promise<Response>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PEOPLE);
  answer = () => new Response("thanks");
  posts = takeCallbacks((signal) => answer(signal));
  const submit: Carrier["submit"] = async () => ({ kind: "accepted", carrierMessageId: "c" });
  world.deps = { ...world.deps, carriers: { ready: { sandbox: strictCarrier({ ...sandbox, submit }) }, missing: {} } };
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Accepted, and not delivered yet. @returns their ids */
async function send(count: number): Promise<string[]> {
  const ids = await Promise.all(PEOPLE.slice(0, count).map((phone) => world.send(client, { phone })));
  world.jobs.length = 0;
  return ids;
}

const deliver = (messageIds: string[]) => world.deliver("textgate-messages", [{ kind: "deliver", messageIds }]);
const report = (messageId: string, status: string) => ({
  ...{ messageId, status, reason: null, carrierMessageId: null, optedOut: false },
});
const receive = (...receipts: object[]) =>
  world.deliver(
    "textgate-receipts",
    receipts.map((receipt) => ({ kind: "receipts", carrier: "sandbox", receipts: [receipt] })),
  );
const events = () =>
  world.rows(`SELECT event, outcome, attempted_at FROM ${ALL_EVENTS} ORDER BY occurred_at, event = 'SENDING' DESC`);
const eventIds = (ids: string[], status: string) => ids.map((id) => `${id}_${status}`);

describe("a text alone", () => {
  it("asks D1 seven times from its acceptance to its second callback, and no callback waits in the queue", async () => {
    const { db, take } = countingDatabase(world.deps.db);
    const ids = await send(1);
    world.deps = { ...world.deps, db };
    await deliver(ids);
    for (const status of ["SENDING", "DELIVERED"]) await receive(report(String(ids), status));
    // The send itself is one more.
    expect(take().calls).toBe(6);
    expect(posts).toEqual([...eventIds(ids, "SENDING"), ...eventIds(ids, "DELIVERED")]);
    expect(await events()).toMatchObject([
      { event: "SENDING", outcome: "answered" },
      { event: "DELIVERED", outcome: "answered" },
    ]);
    expect(world.callbacks).toEqual([]);
    expect(await world.rows("SELECT kind, outcome, count FROM outcome_counts ORDER BY kind")).toEqual([
      { kind: "callback", outcome: "accepted", count: 2 },
      { kind: "submission", outcome: "accepted", count: 1 },
    ]);
  });

  it("of which the carrier tells both in one batch, twice, is called back once for each, in order", async () => {
    const ids = await send(1);
    await world.rows("UPDATE messages SET claimed_at = 1, claim = 'cut off', carrier = 'sandbox'");
    const [id = ""] = ids;
    const both = [report(id, "SENDING"), report(id, "DELIVERED")];
    await receive(...both, ...both);
    await receive(...both);
    await world.runQueues();
    expect(posts).toEqual([`${id}_SENDING`, `${id}_DELIVERED`]);
  });

  it("whose first callback waits in the queue has its second one behind it", async () => {
    const ids = await send(1);
    world.queueCallbacks();
    await deliver(ids);
    world.deps.ownPosts.clear();
    await receive(report(String(ids), "DELIVERED"));
    expect(posts).toEqual([]);
    await world.runQueues();
    expect(posts).toEqual([...eventIds(ids, "SENDING"), ...eventIds(ids, "DELIVERED")]);
  });
});

describe("a store that fails for good", () => {
  it.each(["before", "after"] as const)("%s outcomes were stored: each callback is posted once", async (when) => {
    const ids = await send(3);
    const { deps } = world;
    const { db } = deps;
    const { ready } = deps.carriers;
    const submit: Carrier["submit"] = async () => {
      deps.db = failingDatabase(db, Number.POSITIVE_INFINITY, when);
      return { kind: "accepted", carrierMessageId: "c" };
    };
    deps.carriers = { ready: { sandbox: strictCarrier({ ...sandbox, submit }) }, missing: {} };
    await deliver(ids);
    deps.db = db;
    deps.carriers = { ready, missing: {} };
    expect(posts).toEqual([]);
    for (let minute = 0; minute < 5; minute++) {
      world.advance(60);
      await world.runQueues();
      await world.sweep();
    }
    expect(posts.sort()).toEqual(eventIds(ids, "SENDING").sort());
  });

  it("after a receipt was stored: its callback is posted once", async () => {
    const ids = await send(1);
    await deliver(ids);
    const { db } = world.deps;
    world.deps.db = failingDatabase(db, Number.POSITIVE_INFINITY, "after");
    await receive(report(String(ids), "DELIVERED"));
    world.deps.db = db;
    await receive(report(String(ids), "DELIVERED"));
    expect(posts).toEqual(eventIds(ids, "SENDING"));
    for (let minute = 0; minute < 5; minute++) {
      world.advance(60);
      await world.runQueues();
      await world.sweep();
    }
    expect(posts).toEqual([...eventIds(ids, "SENDING"), ...eventIds(ids, "DELIVERED")]);
  });
});

describe("an endpoint that hangs", () => {
  it("leaves the rest to the queue, which waits a minute", async () => {
    const ids = await send(10);
    answer = (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const delivered = deliver(ids);
    await vi.waitFor(() => expect(posts).toHaveLength(3), { timeout: 5000 });
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await delivered;
    expect(world.callbacks.map(({ at }) => at)).toEqual(new Array(7).fill(world.now + 60_000));
    answer = () => new Response("thanks");
    world.advance(60);
    await world.runQueues();
    expect(posts.sort()).toEqual(eventIds(ids, "SENDING").sort());
  });

  it("keeps so many runs of an isolate and no more: then callbacks go through the queue", async () => {
    const ids = await send(10);
    const answered = Promise.withResolvers<void>();
    answer = async () => {
      await answered.promise;
      return new Response("at last");
    };
    const delivered = ids.map((id) => deliver([id]));
    await vi.waitFor(() => expect(posts.length + world.callbacks.length).toBe(10), { timeout: 5000 });
    expect(posts).toHaveLength(8);
    answered.resolve();
    await Promise.all(delivered);
    await world.runQueues();
    expect(posts.sort()).toEqual(eventIds(ids, "SENDING").sort());
    expect(world.deps.ownPosts.size).toBe(0);
  });
});
