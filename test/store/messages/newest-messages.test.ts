/** The messages of all websites, the newest first, over several databases. */
import { beforeEach, describe, expect, it } from "vitest";
import { LOOKED_THROUGH } from "../../../src/store/messages/find-messages.ts";
import { countingDatabase } from "../../counting-database.ts";
import { bindDatabases, boundDatabase, useDatabases } from "../../databases.ts";
import { failingDatabase } from "../../failing-database.ts";
import { World } from "../../world.ts";
import { DAYS, expectOneList, make, read, readAll, store } from "./drawn-lists.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

describe("the newest messages of all websites", () => {
  it("are one list over all databases, and each is in it once", async () => {
    expect.hasAssertions();
    await expectOneList(15);
  });

  it("have a scheduled text that was asked for long before the time that is asked for, page by page", async () => {
    const scheduled = Array.from({ length: 150 }, (_, index) => make("w1", world.now - DAYS - index));
    const sent = Array.from({ length: 150 }, (_, index) => make("w2", world.now - index));
    await store("DB", sent);
    await store(
      "DB",
      scheduled.map((message, index) => ({ ...message, acceptedAt: world.now - (index < 120 ? 0 : DAYS) })),
    );
    const from = new Date(world.now - 3_600_000).toISOString();
    const expected = [...sent, ...scheduled.slice(0, 120)].map(({ messageId }) => messageId);
    expect((await readAll(world, { from })).toSorted()).toEqual(expected.toSorted());
  });

  it("are in the order of their ids, in whatever order they were stored", async () => {
    await bindDatabases(world, 2);
    const [old, newer, newest] = [make("w1", world.now - 5000), make("w2", world.now - 3000), make("w1", world.now)];
    await store("DB", [newer]);
    await store("DB_2", [newest, old]);
    expect(await readAll(world)).toEqual([newest, newer, old].map(({ messageId }) => messageId));
  });

  it("cost some hundred rows a page, and at most 10,000 where hardly any is meant", async () => {
    const many = Array.from({ length: LOOKED_THROUGH + 50 }, (_, index) => {
      return make("w1", world.now - index, index > LOOKED_THROUGH + 20 ? "DELIVERED" : "SENDING");
    });
    for (let at = 0; at < many.length; at += 5000) await store("DB", many.slice(at, at + 5000));
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const first = await read(world);
    expect(first.messages.length).toBe(100);
    expect(take().rowsRead).toBeLessThan(700);
    const deep = await read(world, { cursor: many[9000]?.messageId ?? "" });
    expect(deep.messages[0]?.messageId).toBe(many[9001]?.messageId);
    expect(take().rowsRead).toBeLessThan(700);
    const rare = await read(world, { status: "DELIVERED" });
    expect(rare).toMatchObject({ messages: [], next: many[LOOKED_THROUGH - 1]?.messageId });
    expect(take().rowsRead).toBeLessThan(LOOKED_THROUGH * 4);
    expect(await read(world, { status: "DELIVERED", cursor: rare.next ?? "" })).toMatchObject({
      messages: { length: 29 },
      next: null,
    });
    take();
    // A time long ago is found by the key: what is newer is not read.
    const until = new Date(world.now - 3 * 86_400_000).toISOString();
    expect(await read(world, { until })).toEqual({ messages: [], next: null, lookedBackTo: null });
    expect(take().rowsRead).toBeLessThan(10);
  });

  it("that are rare in one database wait for the newer ones of another", async () => {
    await bindDatabases(world, 2);
    const busy = Array.from({ length: LOOKED_THROUGH + 2 }, (_, index) => make("w1", world.now - index * 10));
    const [early, late] = [make("w2", world.now - 200_000, "DELIVERED"), make("w2", world.now - 500, "DELIVERED")];
    for (const message of busy.slice(-2)) message.status = "DELIVERED";
    for (let at = 0; at < busy.length; at += 5000) await store("DB", busy.slice(at, at + 5000));
    await store("DB_2", [early, late]);
    expect((await read(world, { status: "DELIVERED" })).messages.map(({ messageId }) => messageId)).toEqual([
      late.messageId,
    ]);
    const rare = busy.slice(-2).map(({ messageId }) => messageId);
    expect(await readAll(world, { status: "DELIVERED" })).toEqual([late.messageId, ...rare, early.messageId]);
  });

  it("have those of the other databases where one is away", async () => {
    await bindDatabases(world, 2);
    const here = make("w1", world.now);
    await store("DB", [here]);
    await store("DB_2", [make("w2", world.now)]);
    useDatabases(world, (name) => failingDatabase(boundDatabase(name), 1000));
    const page = await read(world);
    expect(page).toMatchObject({ messages: [{ messageId: here.messageId }], unavailableDatabases: ["DB_2"] });
  });

  it("have a cursor of their own", async () => {
    for (const cursor of ["1764000000000-1", "'; DROP TABLE messages"])
      expect([cursor, (await world.operator("GET", `/messages?cursor=${cursor}`)).status]).toEqual([cursor, 400]);
  });
});
