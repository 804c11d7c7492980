/** The messages of all websites, the newest first, over several databases. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../src/domain/databases/home.ts";
import { LOOKED_THROUGH } from "../../../src/store/messages/find-messages.ts";
import { countingDatabase } from "../../counting-database.ts";
import { bindDatabases, boundDatabase, useDatabases } from "../../databases.ts";
import { failingDatabase } from "../../failing-database.ts";
import { World } from "../../world.ts";

const DATABASES = ["DB", "DB_2", "DB_3"];
const DAYS = 12 * 86_400_000;

let world: World;

beforeEach(async () => {
  world = await World.create();
});

interface Message {
  messageId: string;
  websiteId: string;
  acceptedAt: number;
  status?: string;
}

/** @param database the binding */
async function store(database: string, messages: Message[]): Promise<void> {
  const rows = JSON.stringify(
    messages.map((it) => [it.messageId, it.websiteId, it.acceptedAt, it.status ?? "SENDING"]),
  );
  await boundDatabase(database)
    .prepare(
      `INSERT INTO messages (message_id, website_id, client_id, text, callback_data, send_purpose, status, accepted_at, updated_at)
       SELECT value ->> 0, value ->> 1, 'c', 'Hello', '', 'sale', value ->> 3, value ->> 2, value ->> 2 FROM json_each(?1)`,
    )
    .bind(rows)
    .run();
}

const arriving = (database: string, websiteId: string, state: number) =>
  boundDatabase(database)
    .prepare("INSERT INTO moving (home, website_id, id_part, state, run, turn) VALUES (?1, ?2, ?2, ?3, 0, 0)")
    .bind(Number(websiteId.slice(1)), websiteId, state)
    .run();

interface Page {
  messages: { messageId: string; acceptedAt: string }[];
  next: string | null;
  unavailableDatabases?: string[];
}

async function read(query: Record<string, string> = {}): Promise<Page> {
  const answer = await world.operator("GET", `/messages?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

/** All of them, page by page. */
async function readAll(query: Record<string, string> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = "", pages = 0; cursor !== null; pages++) {
    const page: Page = await read(cursor === "" ? query : { ...query, cursor });
    ids.push(...page.messages.map(({ messageId }) => messageId));
    expect(page.messages.length).toBeLessThanOrEqual(100);
    expect(pages).toBeLessThan(30);
    cursor = page.next;
  }
  return ids;
}

const make = (websiteId: string, at: number, status?: string): Message => ({
  messageId: newId(Number(websiteId.slice(1)), at, crypto.randomUUID()),
  ...{ websiteId, acceptedAt: at },
  ...(status && { status }),
});

const timeIn = (id: string) => Number.parseInt(id.replace("-", "").slice(0, 12), 16);

describe("the newest messages of all websites", () => {
  it("are one list over all databases, and each is in it once", async () => {
    await bindDatabases(world, DATABASES.length);
    // A few milliseconds, so that many messages share one; and a website that arrives in, or has left, a database.
    const message = fc.record({
      ...{ place: fc.nat(2), website: fc.integer({ min: 1, max: 4 }), at: fc.nat(40), isSent: fc.boolean() },
      // A scheduled text is accepted days after it was asked for.
      ...{ late: fc.constantFrom(0, 0, 0, 30, -1, DAYS) },
    });
    const time = fc.tuple(fc.nat(40), fc.constantFrom(0, 0, DAYS)).map(([at, days]) => at + days);
    const world3 = fc.record({
      messages: fc.oneof(fc.array(message), fc.array(message, { minLength: 250, maxLength: 500 })),
      hidden: fc.array(fc.record({ place: fc.nat(2), state: fc.constantFrom(0, 1, 2, 3) }), { maxLength: 4 }),
      query: fc.record({ from: fc.option(time), until: fc.option(time), isSent: fc.option(fc.boolean()) }),
    });
    await fc.assert(
      fc.asyncProperty(world3, async ({ messages, hidden, query }) => {
        for (const database of DATABASES)
          await boundDatabase(database).batch(
            ["messages", "moving"].map((table) => boundDatabase(database).prepare(`DELETE FROM ${table}`)),
          );
        const states = hidden.map(({ place, state }, index) => ({ place, state, website: index + 1 }));
        for (const { place, state, website } of states)
          await arriving(DATABASES[place] as string, `w${website}`, state);
        const made = messages.map(({ place, website, at, isSent, late }) => ({
          ...make(`w${website}`, world.now + at, isSent ? "DELIVERED" : "FAILED_TO_DELIVERY"),
          ...{ place, website, acceptedAt: world.now + at + late },
        }));
        for (const [place, database] of DATABASES.entries())
          await store(
            database,
            made.filter((it) => it.place === place),
          );

        const { from, until, isSent } = query;
        const expected = made
          .filter(({ place, website }) =>
            states.every((it) => it.place !== place || it.website !== website || it.state < 2),
          )
          .filter(({ acceptedAt }) => from === null || acceptedAt >= world.now + from)
          .filter(({ acceptedAt }) => until === null || acceptedAt < world.now + until)
          .filter(({ status }) => isSent === null || (status === "DELIVERED") === isSent)
          .map(({ messageId }) => messageId);
        const iso = (after: number) => new Date(world.now + after).toISOString();
        const found = await readAll({
          ...(from !== null && { from: iso(from) }),
          ...(until !== null && { until: iso(until) }),
          ...(isSent !== null && { status: isSent ? "DELIVERED" : "FAILED_TO_DELIVERY" }),
        });
        expect(found.toSorted()).toEqual(expected.toSorted());
        const times = found.map(timeIn);
        expect(times).toEqual(times.toSorted((a, b) => b - a));
      }),
      { numRuns: 15, endOnFailure: true },
    );
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
    expect((await readAll({ from })).toSorted()).toEqual(expected.toSorted());
  });

  it("stay in their place when their website moves", async () => {
    await bindDatabases(world, 2);
    const [old, newer, newest] = [make("w1", world.now - 5000), make("w2", world.now - 3000), make("w1", world.now)];
    await store("DB", [newer]);
    // The rows of a website that arrives are the latest that a database has stored.
    await store("DB_2", [newest, old]);
    expect(await readAll()).toEqual([newest, newer, old].map(({ messageId }) => messageId));
  });

  it("cost some hundred rows a page, and at most 10,000 where hardly any is meant", async () => {
    const many = Array.from({ length: LOOKED_THROUGH + 50 }, (_, index) => {
      return make("w1", world.now - index, index > LOOKED_THROUGH + 20 ? "DELIVERED" : "SENDING");
    });
    for (let at = 0; at < many.length; at += 5000) await store("DB", many.slice(at, at + 5000));
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const first = await read();
    expect(first.messages.length).toBe(100);
    expect(take().rowsRead).toBeLessThan(700);
    const deep = await read({ cursor: many[9000]?.messageId ?? "" });
    expect(deep.messages[0]?.messageId).toBe(many[9001]?.messageId);
    expect(take().rowsRead).toBeLessThan(700);
    const rare = await read({ status: "DELIVERED" });
    expect(rare).toMatchObject({ messages: [], next: many[LOOKED_THROUGH - 1]?.messageId });
    expect(take().rowsRead).toBeLessThan(LOOKED_THROUGH * 4);
    expect(await read({ status: "DELIVERED", cursor: rare.next ?? "" })).toMatchObject({
      messages: { length: 29 },
      next: null,
    });
    take();
    // A time long ago is found by the key: what is newer is not read.
    const until = new Date(world.now - 3 * 86_400_000).toISOString();
    expect(await read({ until })).toEqual({ messages: [], next: null });
    expect(take().rowsRead).toBeLessThan(10);
  });

  it("that are rare in one database wait for the newer ones of another", async () => {
    await bindDatabases(world, 2);
    const busy = Array.from({ length: LOOKED_THROUGH + 2 }, (_, index) => make("w1", world.now - index * 10));
    const [early, late] = [make("w2", world.now - 200_000, "DELIVERED"), make("w2", world.now - 500, "DELIVERED")];
    for (const message of busy.slice(-2)) message.status = "DELIVERED";
    for (let at = 0; at < busy.length; at += 5000) await store("DB", busy.slice(at, at + 5000));
    await store("DB_2", [early, late]);
    expect((await read({ status: "DELIVERED" })).messages.map(({ messageId }) => messageId)).toEqual([late.messageId]);
    const rare = busy.slice(-2).map(({ messageId }) => messageId);
    expect(await readAll({ status: "DELIVERED" })).toEqual([late.messageId, ...rare, early.messageId]);
  });

  it("have those of the other databases where one is away", async () => {
    await bindDatabases(world, 2);
    const here = make("w1", world.now);
    await store("DB", [here]);
    await store("DB_2", [make("w2", world.now)]);
    useDatabases(world, (name) => failingDatabase(boundDatabase(name), 1000));
    const page = await read();
    expect(page).toMatchObject({ messages: [{ messageId: here.messageId }], unavailableDatabases: ["DB_2"] });
  });

  it("have a cursor of their own", async () => {
    for (const cursor of ["1764000000000-1", "'; DROP TABLE messages"])
      expect([cursor, (await world.operator("GET", `/messages?cursor=${cursor}`)).status]).toEqual([cursor, 400]);
  });
});
