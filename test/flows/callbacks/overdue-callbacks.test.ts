/** Callbacks whose job was lost, and callbacks that a job has given back: the sweep queues them again. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countLedgers } from "../../../src/flows/operations/count-ledgers.ts";
import { releaseCallbacks } from "../../../src/store/callbacks/callbacks.ts";
import { takeCallbacks } from "../../callback-endpoint.ts";
import { countingDatabase } from "../../counting-database.ts";
import { type TestClient, World } from "../../world.ts";

const UNKNOWN = "+12125550177";
const DAY = 24 * 3600;

let world: World;
let client: TestClient;
let posts: string[];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand();
  posts = takeCallbacks();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** @returns the ids of events whose jobs are lost */
async function lose(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent++) ids.push(`${await world.send(client, { phone: UNKNOWN })}_NOT_FOUND`);
  world.callbacks.length = 0;
  return ids;
}

/** @returns what a sweep queues after so many seconds */
async function sweepAfter(seconds: number): Promise<string[]> {
  world.advance(seconds);
  await world.sweep();
  return world.callbacks.splice(0).map(({ body }) => body);
}

const minute = () => sweepAfter(61);

const deliver = (ids: unknown[]) => world.deliver("textgate-callbacks", [ids]);
const callbacksOf = async () =>
  ((await (await world.operator("GET", "/health")).json()) as { callbacks: unknown }).callbacks;

/** What the sweep of a minute asks D1 for callbacks alone. */
/** What a sweep costs that has nothing to count. */
async function usageOfSweep() {
  await countLedgers(world.deps, world.now);
  const { deps } = world;
  const { db, take } = countingDatabase(deps.db);
  world.deps = { ...deps, db };
  await world.sweep();
  world.deps = deps;
  return take();
}

const claim = (id: string, name: string) =>
  world.rows(
    "UPDATE events SET claim = ?2, attempted_at = ?3 WHERE message_id || '_' || event = ?1",
    id,
    name,
    world.now,
  );

describe("a lost callback", () => {
  it("is queued again a minute later, and each minute until it is posted", async () => {
    const ids = await lose(3);
    expect(await sweepAfter(59)).toEqual([]);
    expect((await sweepAfter(2)).sort()).toEqual(ids.toSorted());
    expect((await minute()).sort()).toEqual(ids.toSorted());
    await deliver(ids);
    expect(await minute()).toEqual([]);
    expect(posts.sort()).toEqual(ids.toSorted());
  });

  it("among those of many steps is found by one sweep", async () => {
    const [id = ""] = await lose(1);
    await world.rows(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       INSERT INTO events (website_id, client_id, message_id, event, occurred_at, due_at)
       SELECT 'brand', 'c', 'm' || i, 'SENDING', ?1, ?1 FROM n`,
      world.now - 1,
    );
    const found = await minute();
    expect(found).toHaveLength(2501);
    expect(found).toContain(id);
  });

  it("that was claimed is not queued again; one whose claim is released later is", async () => {
    const [claimed = "", released = ""] = await lose(2);
    await claim(claimed, "cut off");
    await claim(released, "not made");
    expect([await minute(), await minute()]).toEqual([[], []]);
    expect(await callbacksOf()).toMatchObject({ due: { count: 0 }, claimed: { count: 2 } });
    const both = { eventIds: [claimed, released], dueAt: world.now };
    await world.invoke("queue", () => releaseCallbacks(world.deps.db, "not made", both));
    expect(await minute()).toEqual([released]);
    expect(await callbacksOf()).toMatchObject({ due: { count: 1 }, claimed: { count: 1 } });
  });

  it("whose message is purged is forgotten", async () => {
    await lose(2);
    await minute();
    world.advance(31 * DAY);
    await world.sweep();
    expect(await world.rows("SELECT * FROM events")).toEqual([]);
    expect(await callbacksOf()).toMatchObject({ due: { count: 0 }, claimed: { count: 0 } });
  });
});

it("a sweep reads open callbacks alone, and writes nothing where none is overdue", async () => {
  // A new client is written down by another job of the sweep until then.
  await deliver(await lose(1));
  for (let minutes = 0; minutes < 5; minutes++) await minute();
  const idle = await usageOfSweep();
  await deliver(await lose(20));
  world.advance(61);
  const after = await usageOfSweep();
  expect([idle.rowsWritten, after.rowsWritten]).toEqual([2, 2]);
  // A row of each callback that is over would be 20.
  expect(after.rowsRead).toBeLessThan(idle.rowsRead + 20);
});

it("callbacks that wait for their first job are counted", async () => {
  const [posted = ""] = await lose(3);
  await deliver([posted]);
  expect(await callbacksOf()).toMatchObject({ due: { count: 2 }, claimed: { count: 0 } });
});
