import { beforeEach, describe, expect, it, vi } from "vitest";
import { Meetings } from "../../src/flows/store-together.ts";
import { RateGate, type RateLimiterNamespace, type StoredTogether } from "../../src/platform/rate-limiter.ts";
import type { Send } from "../../src/platform/store/sends.ts";
import { bindDatabases } from "../databases.ts";
import { objectsOn } from "../objects.ts";
import { silent } from "../silence.ts";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const WEBSITES = ["a", "b", "c", "d", "e"] as const;
type Name = (typeof WEBSITES)[number];

let world: World;
let clients: Record<Name, TestClient>;
/** Of the objects of databases, what was called. Without sends: whether the website is alone. */
let asked: { object: string; websiteId: string; sends: Send[] }[];
/** What each call came to. */
let calls: Promise<unknown>[];
/** In place of what such an object does. */
let answer: (whole: () => Promise<StoredTogether>) => Promise<StoredTogether>;
/** The websites of each transaction that stored messages in the first database. */
let writes: string[][];
let onWrite: () => Promise<unknown> | undefined;

const isStoring = (messageId: string) =>
  objectsOn(() => world.deps)
    .getByName("database:DB")
    .isStoring(messageId);

function watchObjects(): void {
  const objects = objectsOn(() => world.deps);
  const getByName = (name: string) => {
    const object = objects.getByName(name);
    const storeTogether = (sends: Send[], websiteId: string) => {
      asked.push({ object: name, websiteId, sends });
      return answer(async () => (await object.storeTogether(sends, websiteId)) as unknown as StoredTogether);
    };
    return { ...object, storeTogether };
  };
  const gate = new RateGate({ getByName } as unknown as RateLimiterNamespace);
  const call = gate.storeTogether.bind(gate);
  gate.storeTogether = (...given) => {
    const answering = call(...given);
    calls.push(answering);
    return answering;
  };
  world.deps.limiter = gate;
}

function watchDatabase(): void {
  const { db } = world.deps;
  const batch = async (statements: D1PreparedStatement[]) => {
    const [insert] = (statements as unknown as { statement: string; params: string[] }[]).filter(({ statement }) =>
      statement.includes("INSERT INTO messages"),
    );
    if (insert) {
      const items = JSON.parse(insert.params[0] ?? "") as { websiteId: string }[];
      writes.push(items.map(({ websiteId }) => websiteId).sort());
      await onWrite();
    }
    return db.batch(statements);
  };
  world.deps = { ...world.deps, db: { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database };
}

async function makeWorld(databases = 1): Promise<void> {
  world = await World.create();
  if (databases > 1) await bindDatabases(world, databases);
  for (const websiteId of WEBSITES) {
    const settings = { name: websiteId, carrier: "sandbox", ...(databases > 1 ? { database: "DB" } : {}) };
    await world.operator("PUT", `/websites/${websiteId}`, settings);
    await world.subscribers(websiteId, [ADA]);
  }
  const made = WEBSITES.map(async (websiteId) => [websiteId, await world.client(websiteId)] as const);
  clients = Object.fromEntries(await Promise.all(made)) as typeof clients;
  [asked, calls, writes] = [[], [], []];
  answer = (whole) => whole();
  onWrite = () => undefined;
  watchDatabase();
  watchObjects();
}

const send = (name: Name, fields = {}) => world.send(clients[name], { phone: ADA, ...fields });
/** One after the other, and each with what the object of the database said of it. */
async function sendInTurn(...names: Name[]): Promise<void> {
  for (const name of names) {
    await send(name);
    await Promise.allSettled(calls);
  }
}
const stored = async () =>
  (await world.rows("SELECT message_id FROM messages ORDER BY message_id")).map((row) => row.message_id);
const failures = () => world.logs.filter((line) => line.includes("database-object.failed"));

/** Each has learned that it is not alone: but for the first that asks, within a transaction's time after another. */
async function meet(): Promise<void> {
  await sendInTurn(...WEBSITES);
  world.advance(1);
  await sendInTurn(...WEBSITES);
  asked.length = writes.length = 0;
}

/** Holds the first write until the sends of the others have come to the object. */
async function sendDuringWrite(first: Name, others: Name[], fields: (name: Name) => object = () => ({})) {
  const held = Promise.withResolvers<void>();
  onWrite = () => (writes.length === 1 ? held.promise : undefined);
  const answers = [send(first, fields(first))];
  await vi.waitFor(() => expect(writes).toEqual([[first]]));
  for (const other of others) answers.push(send(other, fields(other)));
  await vi.waitFor(async () => {
    const ids = asked.flatMap(({ sends }) => sends.map(({ message }) => message.messageId));
    expect(ids).toHaveLength(1 + others.length);
    for (const id of ids) expect(await isStoring(id)).toBe(true);
  });
  held.resolve();
  return answers;
}

describe("sends of several websites of a database", () => {
  beforeEach(() => makeWorld());

  it("that come during a write share the next, and each has its own outcome", async () => {
    await meet();
    await world.subscribers("c", [`${ADA},,0`]);
    const before = await stored();
    const ids = await Promise.all(await sendDuringWrite("a", ["b", "c", "d", "e"]));
    expect(writes).toEqual([["a"], ["b", "c", "d", "e"]]);
    expect((await stored()).filter((id) => !before.includes(id))).toEqual(ids.toSorted());
    const rows = await world.rows(
      `SELECT message_id, website_id, client_id, status FROM messages WHERE message_id IN (SELECT value FROM json_each(?1))`,
      JSON.stringify(ids),
    );
    for (const [index, name] of WEBSITES.entries()) {
      expect(rows.find(({ message_id }) => message_id === ids[index])).toMatchObject({
        website_id: name,
        client_id: clients[name].clientId,
        status: name === "c" ? "NOT_SUBSCRIBED" : "PENDING_TO_SEND",
      });
    }
  });

  it("are matched with the subscribers of their own website, and repeat nothing of another's", async () => {
    await world.subscribers("b", ["+12125550102,ada@example.com"]);
    await world.subscribers("c", ["+12125550103,ada@example.com"]);
    for (const name of ["b", "c", "d"] as const)
      await world.operator("PATCH", `/clients/${clients[name].clientId}`, { duplicateWindowHours: 1 });
    await meet();
    world.advance(7200);
    await meet();
    const to = (name: Name) => (name === "b" || name === "c" ? { phone: undefined, email: "ada@example.com" } : {});
    const ids = await Promise.all(
      await sendDuringWrite("a", ["b", "c", "d"], (name) => ({ ...to(name), text: "Brand: news" })),
    );
    const phones = await Promise.all(
      ids.map((id) => world.rows("SELECT website_id, phone FROM messages WHERE message_id = ?1", id)),
    );
    expect(phones.flat()).toEqual([
      { website_id: "a", phone: 12125550100 },
      { website_id: "b", phone: 12125550102 },
      { website_id: "c", phone: 12125550103 },
      { website_id: "d", phone: 12125550100 },
    ]);
    expect(writes).toEqual([["a"], ["b", "c", "d"]]);
  });

  it("do not wait for earlier ones of their own website, too", async () => {
    await meet();
    await Promise.all(await sendDuringWrite("a", ["a", "a", "b", "a"]));
    expect(asked).toHaveLength(5);
    expect(writes).toEqual([["a"], ["a", "a", "a", "b"]]);
  });

  it("go their own way while a website is alone, which asks once a second", async () => {
    for (let second = 0; second < 5; second++) {
      await sendInTurn("a", "a", "a", "a");
      world.advance(1);
    }
    expect(asked).toEqual(Array.from({ length: 5 }, () => ({ object: "database:DB", websiteId: "a", sends: [] })));
    expect(writes).toEqual(Array.from({ length: 20 }, () => ["a"]));
    // The other comes, at other times.
    asked.length = 0;
    await sendInTurn("b");
    world.advance(0.02);
    await sendInTurn("a", "b", "a");
    expect(asked).toMatchObject([
      { websiteId: "b", sends: [] },
      { websiteId: "a", sends: [] },
    ]);
    // They send at the same time: the second to ask learns of it, the first when it asks again.
    world.advance(1);
    asked.length = 0;
    await sendInTurn("b", "a", "b", "a");
    expect(asked.map(({ websiteId, sends }) => [websiteId, sends.length])).toEqual([
      ["b", 0],
      ["a", 0],
      ["a", 1],
    ]);
    world.advance(1);
    asked.length = 0;
    await sendInTurn("b", "b");
    expect(asked.map(({ websiteId, sends }) => [websiteId, sends.length])).toEqual([
      ["b", 0],
      ["b", 1],
    ]);
    // It has gone.
    world.advance(2);
    asked.length = 0;
    await sendInTurn("a", "a");
    expect(asked).toMatchObject([{ websiteId: "a", sends: [{}] }]);
  });

  it("of a website that is alone do not wait until it knows that it still is", async () => {
    answer = () => new Promise(() => {});
    const ids = [await send("a"), await send("a")];
    expect(asked).toMatchObject([{ websiteId: "a", sends: [] }]);
    expect(await stored()).toEqual(ids.toSorted());
  });

  it.each([
    ["fails before it has stored them", () => Promise.reject(new Error("Durable Object reset"))],
    [
      "fails once it has stored them",
      async (whole: () => Promise<unknown>) => {
        await whole();
        throw new Error("Durable Object reset");
      },
    ],
    ["is overloaded", () => Promise.reject(Object.assign(new Error("overloaded"), { overloaded: true }))],
    ["says nothing", () => silent()],
    ["has stored them, and says nothing", (whole: () => Promise<unknown>) => silent(whole())],
  ])("are stored once, and at once, where the object of the database %s", async (_, broken) => {
    await meet();
    const before = (await stored()).length;
    answer = broken as typeof answer;
    const ids = await Promise.all([send("a"), send("b"), send("a")]);
    expect((await stored()).length - before).toBe(3);
    expect(await stored()).toEqual(expect.arrayContaining(ids));
    expect(failures().length).toBeGreaterThanOrEqual(2);
    expect(failures()[0]).toContain('"database":"DB"');
    // Each is on its own for a second, and asks again then.
    asked.length = 0;
    await send("a");
    expect(asked).toHaveLength(0);
    world.advance(1);
    answer = (whole) => whole();
    await send("a");
    expect(asked).toMatchObject([{ websiteId: "a", sends: [] }]);
  });

  it("are refused where the store is away, and stored once it is back", async () => {
    await meet();
    onWrite = () => Promise.reject(new Error("D1_ERROR: D1 DB is overloaded. Too many requests queued."));
    const refused = await Promise.all(
      WEBSITES.map((name) => world.post("/text/message/send", clients[name], { ...SEND, phone: ADA })),
    );
    expect(refused.map(({ status }) => status)).toEqual(WEBSITES.map(() => 503));
    const before = (await stored()).length;
    onWrite = () => undefined;
    await send("a");
    expect((await stored()).length - before).toBe(1);
  });
});

describe("whether websites share transactions", () => {
  /** One comes by itself, one right after another, and one joins those who wait. */
  const [APART, RIGHT_AFTER, JOINING] = [
    { milliseconds: 20, isJoining: false },
    { milliseconds: 19, isJoining: false },
    { milliseconds: 0, isJoining: true },
  ] as const;
  let meetings: Meetings;
  let visits: number;
  let now: number;

  beforeEach(() => {
    meetings = new Meetings();
    visits = 0;
    now = 1_000_000;
  });

  function visit(websiteId: string, { milliseconds, isJoining }: { milliseconds: number; isJoining: boolean }): void {
    now += milliseconds;
    meetings.visit(websiteId, isJoining, now);
  }

  /** Of websites in turn. @returns after how many it changes; undefined: not within 1,000 */
  function visitsUntilItChanges(...kinds: (typeof APART | typeof RIGHT_AFTER | typeof JOINING)[]): number | undefined {
    const before = meetings.pay(now);
    for (let count = 1; count <= 1000; count++) {
      const kind = kinds[count % kinds.length] as (typeof kinds)[number];
      visit(visits++ % 2 === 0 ? "a" : "b", kind);
      if (meetings.pay(now) !== before) return count;
    }
    return undefined;
  }

  it("begins when two have met, and ends when they join nobody", () => {
    expect(visitsUntilItChanges(APART)).toBeUndefined();
    expect(visitsUntilItChanges(RIGHT_AFTER)).toBe(1);
    expect(visitsUntilItChanges(APART, APART, RIGHT_AFTER)).toBe(44);
    // It is tried again, and not at once.
    expect(visitsUntilItChanges(RIGHT_AFTER)).toBe(51);
    expect(visitsUntilItChanges(APART, RIGHT_AFTER)).toBe(44);
  });

  it("goes on while a third of them join others, and ends two seconds after the last have met", () => {
    visitsUntilItChanges(RIGHT_AFTER);
    expect(visitsUntilItChanges(APART, RIGHT_AFTER, JOINING)).toBeUndefined();
    visit(visits++ % 2 === 0 ? "a" : "b", RIGHT_AFTER);
    expect([1999, 2000].map((later) => meetings.pay(now + later))).toEqual([true, false]);
  });

  it("is nothing for a website that is alone", () => {
    for (let count = 0; count < 100; count++) visit("a", count === 0 ? APART : JOINING);
    expect(meetings.pay(now + 2000)).toBe(false);
  });
});
