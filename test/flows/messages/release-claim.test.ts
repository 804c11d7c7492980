/** A claim that may have been made all the same is released by what it names. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { seed } from "../../seed.ts";
import { ACCEPTED, PATIENCE_MILLISECONDS, ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

const UNKNOWN = "+12125550177";
const ADA = "+12125550100";
const OTHERS = 20_000;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

/** Messages and callbacks that other runs have claimed. */
async function seedClaimed(): Promise<void> {
  const now = `${world.now}`;
  await seed(world, "messages", OTHERS, {
    message_id: "'m' || i",
    website_id: "'other'",
    client_id: "''",
    text: "''",
    callback_data: "''",
    send_purpose: "''",
    status: "'PENDING_TO_SEND'",
    accepted_at: now,
    updated_at: now,
    due_at: now,
    claimed_at: now,
    claim: "'other'",
    attempts: "1",
  });
  await seed(world, "events", OTHERS, {
    message_id: "'m' || i",
    event: "'DELIVERED'",
    occurred_at: now,
    due_at: now,
    attempted_at: now,
    claim: "'other'",
  });
}

/** Delivers with a store that makes the claim and fails: a job is to release it. */
async function loseClaim(queue: string, bodies: unknown[]): Promise<unknown> {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const { deps } = world;
  world.deps = { ...deps, db: failingDatabase(deps.db, 4, "after", undefined, "batches") };
  await world.deliver(queue, bodies);
  world.deps = deps;
  return world.jobs.map(({ body }) => body).find(({ kind }) => kind.startsWith("release"));
}

/** @returns the rows that the job has read */
async function run(job: unknown): Promise<number> {
  const { deps } = world;
  const { db, take } = countingDatabase(deps.db);
  world.deps = { ...deps, db };
  await world.deliver("textgate-messages", [job]);
  world.deps = deps;
  return take().rowsRead;
}

const claims = async (table: "messages" | "events") =>
  (await world.rows(`SELECT claim FROM ${table} WHERE claim IS NOT NULL GROUP BY claim`)).length;

describe("a job that releases a claim", () => {
  it("reads the messages that were to be claimed, and takes back their attempt", async () => {
    const messageId = await world.send(client, { phone: ADA });
    world.jobs.length = 0;
    const job = await loseClaim("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    expect(job).toMatchObject({ kind: "release", messageIds: [messageId] });
    await seedClaimed();
    expect(await claims("messages")).toBe(2);
    expect(await run(job)).toBeLessThan(30);
    expect(await claims("messages")).toBe(1);
    const [released] = await world.rows("SELECT attempts FROM messages WHERE message_id = ?1", messageId);
    expect(released).toEqual({ attempts: 0 });
  });

  it("reads the callbacks that were to be claimed", async () => {
    const messageId = await world.send(client, { phone: UNKNOWN });
    expect(world.callbacks.length).toBeGreaterThan(0);
    const job = await loseClaim(
      "textgate-callbacks",
      world.callbacks.map(({ body }) => body),
    );
    expect(job).toMatchObject({ kind: "release-callbacks", eventIds: [`${messageId}_NOT_FOUND`] });
    await seedClaimed();
    expect(await claims("events")).toBe(2);
    expect(await run(job)).toBeLessThan(30);
    expect(await claims("events")).toBe(1);
  });
});

describe("while the store and the queue fail together", () => {
  const closed = { sendBatch: async () => Promise.reject(new Error("Queue sendBatch failed")) };

  /**
   * Delivers in a Worker whose queue takes nothing, and whose transactions are not heard from the nth on.
   * @param isLost they take no effect either
   */
  async function deliverUnheard(queue: string, bodies: unknown[], from: number, isLost = false): Promise<void> {
    const { deps } = world;
    let calls = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      calls += 1;
      const results = calls >= from && isLost ? null : await deps.db.batch(statements);
      if (calls >= from) throw new Error("D1_ERROR: Network connection lost.");
      return results;
    };
    const db = { prepare: (sql: string) => deps.db.prepare(sql), batch } as unknown as D1Database;
    const queues = { messages: closed, bulk: closed, callbacks: closed } as unknown as Partial<typeof deps>;
    world.deps = { ...deps, db, ...queues };
    await world.deliver(queue, bodies);
    await world.afterAnswer();
    world.deps = deps;
  }

  it.each([
    ["a claim that nothing releases", 1, false],
    ["the outcome of a submission that no job keeps", 2, true],
  ])("%s ends as unknown, and the text is not sent again", async (_, from, isLost) => {
    const messageId = await world.send(client, { phone: ADA });
    world.jobs.length = 0;
    const { sandbox } = world.deps.carriers.ready;
    const submit = vi.spyOn(sandbox as NonNullable<typeof sandbox>, "submit");
    await deliverUnheard("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }], from, isLost);
    expect(world.logs.some((line) => line.includes("recovery.lost"))).toBe(true);
    await world.pass(20);
    expect(submit).toHaveBeenCalledTimes(from - 1);
    const stored = await world.rows("SELECT status, reason_code FROM messages");
    expect(stored).toEqual([{ status: "SENDING", reason_code: "OUTCOME_UNKNOWN" }]);
  });
});

describe("callbacks that a run has claimed and not posted", () => {
  it("are released by a job when the store is away at the end of the run: each is posted, once", async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => world.send(client, { phone: UNKNOWN })));
    const posted: string[] = [];
    const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
      posted.push((JSON.parse(String(init?.body)) as { messageId: string }).messageId);
      // The run may begin no further post.
      world.advance(16);
      return new Response("thanks");
    });
    const { deps } = world;
    let calls = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      calls += 1;
      if (calls > 1) throw new Error("D1_ERROR: Network connection lost.");
      return deps.db.batch(statements);
    };
    world.deps = { ...deps, db: { prepare: (sql: string) => deps.db.prepare(sql), batch } as unknown as D1Database };
    const events = world.callbacks.splice(0).map(({ body }) => body);
    await world.deliver("textgate-callbacks", [events]);
    await world.afterAnswer();
    world.deps = deps;
    expect(posted.length).toBeLessThan(ids.length);
    fetching.mockImplementation(async (_url, init) => {
      posted.push((JSON.parse(String(init?.body)) as { messageId: string }).messageId);
      return new Response("thanks");
    });
    await world.pass(5);
    expect(posted.toSorted()).toEqual(ids.toSorted());
  });
});

describe("a job that releases a claim, and comes twice, leaves what another run has claimed since", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("of a message: its text goes out once", async () => {
    const isolate = await World.another(world);
    const carrier = new ToldCarrier(world, isolate);
    const messageId = await world.send(client, { phone: ADA });
    world.jobs.length = 0;
    const deliver = [{ kind: "deliver", messageIds: [messageId] }];
    const release = await loseClaim("textgate-messages", deliver);
    await world.deliver("textgate-messages", [release]);
    const { end } = carrier.hangOnce();
    const running = world.deliver("textgate-messages", deliver);
    await carrier.untilSubmitted(1);
    await isolate.deliver("textgate-messages", [release]);
    await isolate.deliver("textgate-messages", deliver);
    expect(carrier.submitted).toEqual([messageId]);
    end(ACCEPTED);
    await running;
    expect(await world.statusOf(messageId)).toBe("SENDING");
  });

  it("of a callback: it is posted once", async () => {
    const isolate = await World.another(world);
    await world.send(client, { phone: UNKNOWN });
    const due = world.callbacks.splice(0).map(({ body }) => body);
    const release = await loseClaim("textgate-callbacks", due);
    await world.deliver("textgate-messages", [release]);
    const late = Promise.withResolvers<Response>();
    const post = vi.spyOn(globalThis, "fetch").mockImplementation(() => late.promise);
    const running = world.deliver("textgate-callbacks", due);
    await expect.poll(() => post.mock.calls, { timeout: PATIENCE_MILLISECONDS }).toHaveLength(1);
    await isolate.deliver("textgate-messages", [release]);
    post.mockImplementation(async () => new Response("thanks"));
    await isolate.deliver("textgate-callbacks", due);
    expect(post).toHaveBeenCalledTimes(1);
    late.resolve(new Response("thanks"));
    await running;
  });
});
