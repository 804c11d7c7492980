/** The sweep looks at each batch of events once, and keeps the callbacks that are open then. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { releaseClaim } from "../../src/platform/store/messages.ts";
import { KEEP_EVENTS, PLACES, SET_CLAIM } from "../all-events.ts";
import { takeCallbacks } from "../callback-endpoint.ts";
import { countingDatabase } from "../counting-database.ts";
import { type TestClient, World } from "../world.ts";

const UNKNOWN = "+12125550177";
const DAY = 24 * 3600;

let world: World;
let client: TestClient;
let posts: string[];
/** Whether the events have no rows. */
let isKept = false;

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
  if (isKept) for (const statement of KEEP_EVENTS) await world.rows(statement);
  return ids;
}

async function minute(): Promise<string[]> {
  world.advance(61);
  await world.sweep();
  return world.callbacks.splice(0).map(({ body }) => body);
}

const kept = () => world.rows("SELECT message_id || '_' || event AS id, queued_at FROM open_callbacks");
const deliver = (ids: unknown[]) => world.deliver("textgate-callbacks", [ids]);
const callbacksOf = async () =>
  ((await (await world.operator("GET", "/health")).json()) as { callbacks: unknown }).callbacks;

/** What the sweep of a minute asks D1 for callbacks alone. */
async function usageOfSweep() {
  const { deps } = world;
  const { db, take } = countingDatabase(deps.db);
  world.deps = { ...deps, db };
  await world.sweep();
  world.deps = deps;
  return take();
}

const claim = async (id: string, name: string, at = world.now) => {
  for (const statement of SET_CLAIM) await world.rows(statement, id, name, at);
};

describe.each(PLACES)("a lost callback of an event %s", (place) => {
  beforeEach(() => {
    isKept = place === "that its message keeps";
  });

  afterEach(() => {
    isKept = false;
  });

  it("is queued again a minute later, and each minute until it is posted", async () => {
    const ids = await lose(3);
    await world.sweep();
    expect(world.callbacks).toEqual([]);
    expect((await minute()).sort()).toEqual(ids.toSorted());
    expect((await minute()).sort()).toEqual(ids.toSorted());
    await deliver(ids);
    expect(await minute()).toEqual([]);
    expect([await kept(), posts.sort()]).toEqual([[], ids.toSorted()]);
  });

  it("among those of many steps is found by one sweep", async () => {
    await world.rows(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       INSERT INTO event_batches (client_id, stored_at, event_ids) SELECT 'c', ?1, json_array('m' || i || '_SENDING') FROM n`,
      world.now,
    );
    const ids = await lose(1);
    expect(await minute()).toEqual(ids);
  });

  it("that was claimed is not queued again; one whose claim is released later is", async () => {
    const [claimed = "", released = ""] = await lose(2);
    await claim(claimed, "cut off");
    await claim(released, "not made");
    expect([await minute(), await minute()]).toEqual([[], []]);
    expect((await kept()).map(({ queued_at }) => queued_at)).toEqual([null, null]);
    expect(await callbacksOf()).toMatchObject({ due: { count: 0 }, claimed: { count: 2 } });
    const ofMessages = [claimed, released].map((id) => id.split("_")[0] ?? "");
    await world.invoke("queue", () => releaseClaim(world.deps.db, "not made", ofMessages));
    expect(await minute()).toEqual([released]);
    expect(await callbacksOf()).toMatchObject({ due: { count: 1 }, claimed: { count: 1 } });
  });

  it("whose message is purged is forgotten", async () => {
    await lose(2);
    await minute();
    expect(await kept()).toHaveLength(2);
    world.advance(31 * DAY);
    await world.sweep();
    expect(await kept()).toEqual([]);
  });
});

const batches = async () =>
  (await world.rows("SELECT event_ids FROM event_batches ORDER BY seq")).map(({ event_ids }) =>
    JSON.parse(String(event_ids)),
  );

describe("a batch", () => {
  it("takes the later events of its client until the sweep has looked at it", async () => {
    const [first = "", second = ""] = await lose(2);
    world.advance(40);
    const [young = ""] = await lose(1);
    expect(await batches()).toEqual([[first, second, young]]);
    world.advance(21);
    await world.sweep();
    expect(world.callbacks.splice(0).map(({ body }) => body)).toEqual([first, second]);
    const [late = ""] = await lose(1);
    expect(await batches()).toEqual([[first, second, young], [late]]);
    expect((await minute()).sort()).toEqual([first, second, young, late].sort());
  });

  it("is that of one client, and takes as much as is cheap to write anew", async () => {
    const own = client;
    const other = await world.client("brand", { callbackUrl: "https://other.example.com/callbacks" });
    const ids: string[][] = [[], []];
    for (let sent = 0; sent < 60; sent++) {
      client = sent % 2 ? other : own;
      ids[sent % 2]?.push(...(await lose(1)));
    }
    const rows = await world.rows(
      "SELECT client_id, event_ids, length(event_ids) AS length FROM event_batches ORDER BY seq",
    );
    expect(rows.map(({ length }) => Number(length)).filter((length) => length > 1700)).toEqual([]);
    expect(rows).toHaveLength(2);
    for (const [index, { clientId }] of [own, other].entries()) {
      const of = rows.filter(({ client_id }) => client_id === clientId);
      expect(of.flatMap(({ event_ids }) => JSON.parse(String(event_ids)))).toEqual(ids[index]);
    }
    client = own;
    const more = await lose(30);
    const [, , next] = await batches();
    expect(more).toEqual(expect.arrayContaining(next));
    expect((await minute()).sort()).toEqual([...ids.flat(), ...more].sort());
  });
});

describe("a sweep", () => {
  it("reads a batch once, and writes nothing where nothing is new", async () => {
    // Until then the client is new, which another job writes down, and no sweep has looked at anything.
    await deliver(await lose(1));
    for (let minutes = 0; minutes < 5; minutes++) await minute();
    const ids = await lose(20);
    await deliver(ids);
    const idle = await usageOfSweep();
    world.advance(61);
    const looking = await usageOfSweep();
    const next = await usageOfSweep();
    const after = await usageOfSweep();
    expect(looking.rowsRead - idle.rowsRead).toBeGreaterThan(20);
    expect(after.rowsRead).toBeLessThanOrEqual(idle.rowsRead);
    // Of batches and of messages, how far it has looked is written; of messages once more, when there is no further one.
    expect([idle, looking, next, after].map(({ rowsWritten }) => rowsWritten)).toEqual([1, 3, 2, 1]);
  });

  it("purges all batches but the last, from which the next is counted on", async () => {
    for (let batches = 0; batches < 3; batches++) {
      await lose(1);
      await minute();
    }
    const seqs = async () => (await world.rows("SELECT seq FROM event_batches ORDER BY seq")).map(({ seq }) => seq);
    expect(await seqs()).toEqual([1, 2, 3]);
    world.advance(31 * DAY);
    await world.sweep();
    expect(await seqs()).toEqual([3]);
    await lose(1);
    expect(await seqs()).toEqual([3, 4]);
    world.advance(31 * DAY);
    await world.sweep();
    expect(await seqs()).toEqual([4]);
  });
});

it("callbacks that the sweep has not looked at yet are counted", async () => {
  const [posted = ""] = await lose(3);
  await deliver([posted]);
  expect(await callbacksOf()).toMatchObject({ due: { count: 2 }, claimed: { count: 0 } });
});
