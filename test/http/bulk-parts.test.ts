/** The parts of a bulk request with an Idempotency-Key: each is stored once, whoever brings it, and whatever answers are lost. */
import { describe, expect, it } from "vitest";
import { failingDatabase } from "../failing-database.ts";
import { World } from "../world.ts";
import { type Answer, accept, bulk, client, countStored, idsOf, keyed, many, PATH, prepare, world } from "./bulk.ts";

prepare();

const queued = () =>
  world.jobs
    .flatMap(({ body }) => (body.kind === "deliver" ? body.messageIds : []))
    .toSorted((a, b) => (a < b ? -1 : 1));
const parts = async () => (await world.rows("SELECT count(*) AS n FROM bulk_parts"))[0]?.n;

describe("requests with one key and one body that come at once", () => {
  it("store each part once and answer the same ids, in isolates of their own", async () => {
    const items = many(501);
    const worlds = [world, await World.another(world), await World.another(world), world];
    const answers = await Promise.all(
      worlds.map(async (one) => {
        const answer = await one.post(PATH, client, { messages: items }, keyed("k"));
        expect(answer.status).toBe(200);
        return idsOf((await answer.json()) as Answer);
      }),
    );
    expect(new Set(answers.map((ids) => ids.join())).size).toBe(1);
    // Two parts, and the end.
    expect([await countStored(), await parts()]).toEqual([501, 3]);
  });

  it("have one that is stored where their bodies differ", async () => {
    const bodies = [many(2), many(2, () => ({ text: "other" })), many(3), many(1)];
    const answers = await Promise.all(bodies.map((items) => bulk(items, keyed("k"))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(3);
    const won = bodies[statuses.indexOf(200)];
    expect([await countStored(), await parts()]).toEqual([won?.length, 2]);
  });
});

it("a body that goes on where the end of another is stored is refused", async () => {
  await accept(many(500), keyed("k"));
  expect((await bulk(many(501), keyed("k"))).status).toBe(409);
  expect(await countStored()).toBe(500);
});

describe("an answer of the store that is lost", () => {
  it.each([
    ["the first part", 2],
    ["the second part", 3],
    ["the end", 4],
  ])("of %s: the messages are stored once, and queued at once", async (_, nth) => {
    const whole = world.deps;
    let batches = 0;
    const batch = (statements: D1PreparedStatement[]) =>
      failingDatabase(whole.db, ++batches === nth ? 1 : 0, "after").batch(statements);
    world.deps = { ...whole, db: { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database };
    const first = await accept(many(501), keyed("k"));
    expect(batches).toBeGreaterThan(nth);
    world.deps = whole;
    expect(await countStored()).toBe(501);
    expect(queued()).toEqual(idsOf(first).toSorted((a, b) => (a < b ? -1 : 1)));
    expect(await accept(many(501), keyed("k"))).toEqual(first);
  });

  it("leaves scheduled texts and duplicates unqueued, and counts what may go towards the daily limit", async () => {
    await world.website("brand", { duplicateWindowHours: 1, dailyLimit: 100 });
    const sendAt = new Date(world.now + 24 * 3_600_000).toISOString();
    const items = many(5, (index) => [{}, { text: "no 0" }, { sendAt }, {}, { phone: "no number" }][index] ?? {});
    const whole = world.deps;
    let batches = 0;
    const batch = (statements: D1PreparedStatement[]) =>
      failingDatabase(whole.db, ++batches === 2 ? 1 : 0, "after").batch(statements);
    world.deps = { ...whole, db: { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database };
    const { successSent, failedSent } = await accept(items, keyed("k"));
    world.deps = whole;
    const ids = successSent.map(({ messageId }) => messageId);
    expect([ids.length, failedSent.length, ids[1]]).toEqual([4, 1, ids[0]]);
    expect(queued()).toEqual([ids[0], ids[3]].toSorted());
    expect(await world.deps.limiter.textsUsed("brand")).toBe(3);
  });
});

describe("a request that ended before its end", () => {
  it.each([
    ["longer", 520, 409],
    ["as long", 501, 200],
    ["shorter", 500, 409],
  ])("and a %s body under its key", async (_, length, status) => {
    const whole = world.deps;
    let batches = 0;
    const batch = (statements: D1PreparedStatement[]) =>
      failingDatabase(whole.db, ++batches > 3 ? 1 : 0, "before", "D1_ERROR: D1 DB is overloaded").batch(statements);
    world.deps = { ...whole, db: { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database };
    // Both parts are stored, and the end is not.
    expect((await bulk(many(501), keyed("k"))).status).toBe(503);
    world.deps = whole;
    expect(await parts()).toBe(2);
    expect((await bulk(many(length), keyed("k"))).status).toBe(status);
    expect(await countStored()).toBe(501);
  });
});
