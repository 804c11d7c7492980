/** A job claims its callbacks, posts each of them once, and stores what came back. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chunk } from "../../../src/domain/chunk.ts";
import { CALLBACKS_A_JOB } from "../../../src/flows/messages/queue-jobs.ts";
import { takeCallbacks } from "../../callback-endpoint.ts";
import { outcomesOf } from "../../counted.ts";
import { countingDatabase } from "../../counting-database.ts";
import { PATIENCE_MILLISECONDS } from "../../told-carrier.ts";
import { CALLBACK_JOBS_A_BATCH, type TestClient, World } from "../../world.ts";

const QUEUE = "textgate-callbacks";
const UNKNOWN = "+12125550177";

let world: World;
let posts: string[];

beforeEach(async () => {
  world = await World.create();
  posts = takeCallbacks();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** @returns the ids of their events, which are due */
async function cause(client: TestClient, count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => world.send(client, { phone: UNKNOWN })));
  world.callbacks.length = 0;
  return ids.map((id) => `${id}_NOT_FOUND`);
}

const outcomes = async () =>
  Object.fromEntries(
    (await world.rows(`SELECT coalesce(outcome, 'none') AS outcome, count(*) AS n FROM events GROUP BY 1`)).map(
      ({ outcome, n }) => [outcome, n],
    ),
  );
/** Callbacks of which nobody would know, were the run cut off now. */
const inDoubt = async () =>
  Number(
    (await world.rows(`SELECT count(*) AS n FROM events WHERE attempted_at IS NOT NULL AND outcome IS NULL`))[0]?.n,
  );
/** From now on the store refuses this change of an event. */
const poison = (eventId: string | undefined, column: string) =>
  world.rows(
    `CREATE TRIGGER poison BEFORE UPDATE ON events
     WHEN NEW.message_id || '_' || NEW.event = '${eventId}' AND NEW.${column} IS NOT NULL
     BEGIN SELECT RAISE(ABORT, 'constraint failed: poisoned'); END`,
  );

describe("jobs of callbacks", () => {
  it("asks D1 twice for one of them", async () => {
    const ids = await cause(await world.brand(), 1);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await world.deliver(QUEUE, ids);
    expect(take().calls).toBe(2);
    expect(await outcomesOf(world, "callback")).toMatchObject([{ outcome: "accepted", count: 1 }]);
  });

  it("ask D1 twice for four of them, and leave no more than 96 in doubt", async () => {
    const ids = [
      ...(await cause(await world.brand(), 50)),
      ...(await cause(await world.brand([], "other"), 49)),
      ...(await cause(await world.brand([], "third"), 1)),
    ];
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const doubts: number[] = [];
    vi.mocked(fetch).mockImplementation(async (_, init) => {
      posts.push(new Headers(init?.headers).get("webhook-id") ?? "");
      doubts.push(await inDoubt());
      return new Response("thanks");
    });
    const batches = chunk(chunk(ids, CALLBACKS_A_JOB), CALLBACK_JOBS_A_BATCH);
    expect(batches).toHaveLength(2);
    for (const batch of batches) await world.deliver(QUEUE, batch);
    expect(take().calls).toBe(2 * batches.length);
    expect(posts.toSorted()).toEqual(ids.toSorted());
    expect(await outcomes()).toEqual({ answered: 100 });
    expect(Math.max(...doubts)).toBe(96);
  });

  it("of which one cannot be recorded records and posts the others", async () => {
    const ids = await cause(await world.brand(), 40);
    await poison(ids[3], "outcome");
    await world.deliver(QUEUE, ids);
    expect(posts.toSorted()).toEqual(ids.toSorted());
    expect((await outcomes()).answered).toBeGreaterThanOrEqual(28);
    expect(world.logs.join()).toContain("callbacks.not-recorded");
    expect(await outcomes()).toEqual({ answered: 40 - (await inDoubt()), none: await inDoubt() });
  });

  it("of which one cannot be claimed records what was posted, and leaves the rest to the sweep", async () => {
    const ids = await cause(await world.brand(), 40);
    await poison(ids[20], "claim");
    await world.deliver(QUEUE, ids);
    expect(await inDoubt()).toBe(0);
    expect(posts.length).toBeGreaterThanOrEqual(12);
    await world.rows("DROP TRIGGER poison");
    for (let minute = 0; minute < 3; minute++) {
      world.advance(61);
      await world.sweep();
      await world.runQueues();
    }
    expect(posts.toSorted()).toEqual(ids.toSorted());
    expect(await outcomes()).toEqual({ answered: 40 });
  });
});

describe("a claimed callback of a message", () => {
  /** @returns its id, and the run whose post has no answer yet */
  async function postWithoutAnswer(late: Promise<Response>) {
    const [id = ""] = await cause(await world.brand(), 1);
    vi.mocked(fetch).mockImplementationOnce(async () => {
      posts.push(id);
      return late;
    });
    const running = world.deliver(QUEUE, [id]);
    await expect.poll(() => posts, { timeout: PATIENCE_MILLISECONDS }).toEqual([id]);
    return { id, running };
  }

  it("is never posted again while its post has no answer, however often its job comes", async () => {
    const late = Promise.withResolvers<Response>();
    const { id, running } = await postWithoutAnswer(late.promise);
    const isolate = await World.another(world);
    await world.deliver(QUEUE, [id]);
    await isolate.deliver(QUEUE, [id, id]);
    expect(posts).toEqual([id]);
    late.resolve(new Response("thanks"));
    await running;
    await isolate.deliver(QUEUE, [id]);
    expect(posts).toEqual([id]);
    expect(await outcomes()).toEqual({ answered: 1 });
  });

  it("is never posted again when nobody knows what became of its post", async () => {
    const { id } = await postWithoutAnswer(new Promise(() => {}));
    const isolate = await World.another(world);
    for (let hour = 0; hour < 3; hour++) {
      isolate.advance(3600);
      await isolate.sweep();
      await isolate.deliver(QUEUE, [id]);
      await isolate.runQueues();
    }
    expect(posts).toEqual([id]);
  });
});
