import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { homeOf, newId } from "../../src/domain/home.ts";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { bindDatabases, boundDatabase, otherNames, rowsOf, useDatabases } from "../databases.ts";
import { failingDatabase } from "../failing-database.ts";
import { strictDatabase } from "../strict/database.ts";
import { platform } from "../strict/platform.ts";
import { type TestClient, World } from "../world.ts";

/** A subscriber of every website. */
const ADA = "+12125550100";
const PERSON = { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)" };
const DATABASES = 8;
const WEBSITES = inject("websitesOverDatabases");

interface Brand {
  websiteId: string;
  database: string;
  client: TestClient;
  sender: string;
  phone: string;
  messageId: string;
  link: string;
}

let world: World;
let posts: { url: string; messageId: string }[];

beforeEach(async () => {
  world = await World.create();
  posts = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    posts.push({ url: String(url), messageId: JSON.parse(String(init?.body)).messageId });
    return new Response("thanks");
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function makeBrand(index: number): Promise<Brand> {
  const websiteId = `w${index}`;
  const sender = `+1646555${String(index).padStart(4, "0")}`;
  const put = await world.operator("PUT", `/websites/${websiteId}`, { name: websiteId, carrier: "sandbox", sender });
  const { database } = (await put.json()) as { database: string };
  const phone = `+171855${52_000 + index}`;
  await world.subscribers(websiteId, [`${phone},p${index}@example.com`, `${ADA},ada@example.com`]);
  const client = await world.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/` });
  const messageId = await world.send(client, { phone, clickUrl: `https://shop.example.com/${websiteId}` });
  const [row] = await rowsOf(database, `SELECT code FROM links WHERE message_id = '${messageId}'`);
  return { websiteId, database, client, sender, phone, messageId, link: `/l/${row?.code}` };
}

const text = (brand: Brand, words: string, from: string, id: string) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ carrierMessageId: id, from, to: [brand.sender], text: words, keyword: null, answeredByCarrier: false },
    }),
  );

describe("websites over eight databases", () => {
  let brands: Brand[];

  beforeEach(async () => {
    await bindDatabases(world, DATABASES);
    brands = [];
    for (let index = 0; index < WEBSITES; index++) brands.push(await makeBrand(index));
    platform.keyWrites.clear();
  });

  const statuses = async (client: TestClient, messageIds: string[]) =>
    (await (await world.post("/text/message/statuses", client, { messageIds })).json()) as {
      messages: { messageId: string }[];
      unknownMessageIds: string[];
    };
  const of = (database: string) => brands.filter((brand) => brand.database === database);

  it("are spread, and each has all of its rows in its own", async () => {
    const counts = [...Map.groupBy(brands, ({ database }) => database).values()].map((some) => some.length);
    expect([counts.length, Math.max(...counts) - Math.min(...counts) <= 1]).toEqual([DATABASES, true]);
    await world.runQueues();
    await world.sweep();
    for (const database of ["DB", ...otherNames(world)]) {
      const own = of(database).map(({ websiteId }) => websiteId);
      for (const table of ["websites", "clients", "messages", "subscriptions", "subscription_changes"]) {
        const rows = await rowsOf(database, `SELECT DISTINCT website_id AS id FROM ${table}`);
        expect([table, rows.map(({ id }) => id).sort()]).toEqual([table, own.toSorted()]);
      }
    }
    const list = (await (await world.operator("GET", "/databases")).json()) as { databases: { websites: number }[] };
    expect(list.databases.reduce((sum, { websites }) => sum + websites, 0)).toBe(WEBSITES);
  });

  it("answer for their own ids, links, numbers and receipts, and for no other's", async () => {
    const ids = brands.map(({ messageId }) => messageId);
    await world.runQueues();
    for (const { websiteId, client, messageId, link, phone } of brands) {
      const found = await statuses(client, ids);
      expect(found.messages.map((message) => message.messageId)).toEqual([messageId]);
      expect(found.unknownMessageIds).toEqual(ids.filter((id) => id !== messageId));
      const message = await (await world.operator("GET", `/messages/${messageId}`)).json();
      expect(message).toMatchObject({ websiteId, phone, status: "DELIVERED" });
      const answer = await world.fetch(link, { headers: PERSON });
      expect(answer.headers.get("location")).toBe(`https://shop.example.com/${websiteId}`);
      const lookUp = await world.post("/text/subscription/status", client, {
        phone_numbers: brands.map((brand) => brand.phone),
      });
      const { phoneNumberStatuses } = (await lookUp.json()) as {
        phoneNumberStatuses: { phoneNumber: string; subscriptionStatus: boolean }[];
      };
      expect(phoneNumberStatuses.filter((it) => it.subscriptionStatus).map((it) => it.phoneNumber)).toEqual([phone]);
    }
    await world.runQueues();
    // SENDING, DELIVERED and a click of each, to the client whose message it is.
    const expected = brands.flatMap(({ websiteId, messageId }) =>
      [1, 2, 3].map(() => ({ url: `https://${websiteId}.example.com/`, messageId })),
    );
    const byUrl = (a: { url: string }, b: { url: string }) => a.url.localeCompare(b.url);
    expect(posts.sort(byUrl)).toEqual(expected.sort(byUrl));
  });

  it("refuse ids and links with another home, and those of nobody", async () => {
    const [one, two] = brands as [Brand, Brand];
    const forge = (id: string, home: number) => {
      const place = home.toString(16).padStart(5, "0");
      return `${id.slice(0, 15)}${place.slice(0, 3)}${id.slice(18, 20)}${place.slice(3)}${id.slice(22)}`;
    };
    const { messageId } = one;
    expect(forge(messageId, homeOf(messageId))).toBe(messageId);
    const homes = [0, homeOf(two.messageId), 4711, 2 ** 20 - 1];
    for (const id of [
      ...homes.map((home) => forge(messageId, home)),
      newId(homeOf(messageId), 0, crypto.randomUUID()),
    ]) {
      for (const { client } of [one, two]) expect((await statuses(client, [id])).messages).toEqual([]);
      expect((await world.operator("GET", `/messages/${id}`)).status).toBe(404);
    }
    const prefix = one.link.slice("/l/".length, -10);
    for (const other of ["", two.link.slice("/l/".length, -10), "9999"]) {
      expect(other).not.toBe(prefix);
      // Guesses are counted, and many in one second refused.
      world.advance(10);
      expect((await world.fetch(`/l/${other}${one.link.slice(-10)}`)).status).toBe(404);
    }
  });

  it("get the texts that people send to their senders, and one person's STOP ends one website", async () => {
    for (const [index, brand] of brands.entries()) {
      await text(brand, index % 2 === 0 ? "STOP" : "hello", ADA, `in-${index}`);
    }
    await world.runQueues();
    for (const [index, { websiteId, database, client }] of brands.entries()) {
      const isStopped = index % 2 === 0;
      const answer = await world.post("/text/subscription/status", client, { phone_numbers: [ADA] });
      expect(await answer.json()).toMatchObject({ phoneNumberStatuses: [{ subscriptionStatus: !isStopped }] });
      const inbound = await world.operator("GET", `/websites/${websiteId}/inbound`);
      expect(((await inbound.json()) as { texts: unknown[] }).texts).toHaveLength(1);
      const replies = await rowsOf(
        database,
        `SELECT status FROM messages WHERE website_id = '${websiteId}' AND is_reply = 1`,
      );
      expect(replies).toEqual(isStopped ? [{ status: "DELIVERED" }] : []);
    }
    expect(await rowsOf("DB", "SELECT * FROM inbound_texts WHERE website_id = ''")).toEqual([]);
  });

  it("find a former sender's website, and the last to text somebody through a sender of nobody", async () => {
    const brand = brands.find(({ database }) => database === "DB_3") as Brand;
    await world.operator("PUT", `/websites/${brand.websiteId}`, { sender: "+16465559999" });
    await text(brand, "STOP", brand.phone, "to the former");
    await world.runQueues();
    const stranger = { ...(brands[1] as Brand), sender: "+16460000000" };
    await text(stranger, "STOP", stranger.phone, "to nobody's");
    for (const { client, phone } of [brand, stranger]) {
      const answer = await world.post("/text/subscription/status", client, { phone_numbers: [phone] });
      expect(await answer.json()).toMatchObject({ phoneNumberStatuses: [{ subscriptionStatus: false }] });
    }
  });

  it("are one to the operator: lists, searches, people, and the audit log over several pages", async () => {
    const list = (await (await world.operator("GET", "/websites")).json()) as { websites: { websiteId: string }[] };
    expect(list.websites.map(({ websiteId }) => websiteId)).toEqual(
      brands.map(({ websiteId }) => websiteId).toSorted(),
    );
    for (const { client } of brands) await world.send(client, { phone: ADA });
    const found = (await (await world.operator("GET", `/messages?phone=${encodeURIComponent(ADA)}`)).json()) as {
      messages: { websiteId: string }[];
    };
    expect(new Set(found.messages.map(({ websiteId }) => websiteId)).size).toBe(WEBSITES);
    const person = (await (await world.operator("GET", `/people/${ADA}`)).json()) as { websites: unknown[] };
    expect(person.websites).toHaveLength(WEBSITES);
    for (const { client } of brands) {
      expect((await world.operator("GET", `/clients/${client.clientId}`)).status).toBe(200);
      world.advance(1);
      for (let change = 0; change < Math.ceil(120 / WEBSITES); change++) {
        await world.operator("PATCH", `/clients/${client.clientId}`, { operations: ["send", "status"] });
        platform.keyWrites.clear();
      }
    }
    const seen: { requestId: string; at: string }[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await world.operator("GET", `/audit?cursor=${encodeURIComponent(cursor)}`);
      const { entries, next } = (await page.json()) as { entries: typeof seen; next: string | null };
      expect(entries.length).toBeLessThanOrEqual(100);
      seen.push(...entries);
      cursor = next;
    }
    const stored = await Promise.all(
      ["DB", ...otherNames(world)].map((name) => rowsOf(name, "SELECT request_id AS id FROM audit_log")),
    );
    expect(new Set(seen.map(({ requestId }) => requestId)).size).toBe(seen.length);
    expect(seen.map(({ requestId }) => requestId).sort()).toEqual(
      stored
        .flat()
        .map(({ id }) => id)
        .sort(),
    );
    expect(seen.length).toBeGreaterThan(100);
    expect(seen.map(({ at }) => at)).toEqual(
      seen
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
  });
});

/** A database that a test breaks and repairs. */
class Breakable {
  isAway = false;
  readonly db: D1Database;

  constructor(db: D1Database) {
    const ask = async <T>(run: () => Promise<T>): Promise<T> => {
      if (this.isAway) throw new Error("D1_ERROR: Network connection lost.");
      return run();
    };
    const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
      new Proxy(statement, {
        get: (target, name) => {
          if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
          if (name === "all") return () => ask(() => target.all());
          return name === "original" ? target : Reflect.get(target, name);
        },
      });
    const batch = (statements: D1PreparedStatement[]) =>
      ask(() => db.batch(statements.map((it) => (it as unknown as { original: D1PreparedStatement }).original)));
    this.db = { prepare: (sql: string) => wrap(db.prepare(sql)), batch } as unknown as D1Database;
  }
}

describe("a database that is away", () => {
  let databases: Map<string, Breakable>;
  let brands: Map<string, Brand>;

  beforeEach(async () => {
    await bindDatabases(world, 3);
    databases = new Map(otherNames(world).map((name) => [name, new Breakable(strictDatabase(boundDatabase(name)))]));
    databases.set("DB", new Breakable(world.deps.db));
    useDatabases(world, (name) => databases.get(name)?.db as D1Database);
    world.deps = { ...world.deps, db: databases.get("DB")?.db as D1Database };
    brands = new Map();
    for (let index = 0; index < 3; index++) {
      const brand = await makeBrand(index);
      brands.set(brand.database, brand);
    }
    expect([...brands.keys()].sort()).toEqual(["DB", "DB_2", "DB_3"]);
    await world.runQueues();
    await world.sweep();
    posts = [];
  });

  const setAway = (database: string, isAway: boolean) => {
    (databases.get(database) as Breakable).isAway = isAway;
  };
  const statusOf = async ({ client, messageId }: Brand) =>
    (
      (await (await world.post("/text/message/statuses", client, { messageIds: [messageId] })).json()) as {
        messages: { status: string }[];
      }
    ).messages[0]?.status;

  it.each(["DB", "DB_2"])(
    "holds up no other: jobs of %s wait in a batch of all, and are done once it is back",
    async (away) => {
      const others = [...brands.values()].filter(({ database }) => database !== away);
      const sent = new Map<string, string>();
      for (const [database, { client, phone }] of brands) sent.set(database, await world.send(client, { phone }));
      const jobs = world.jobs.splice(0).map(({ body }) => body);
      expect(jobs.length).toBe(3);
      setAway(away, true);
      const isolate = await World.another(world);
      isolate.deps = { ...isolate.deps, db: world.deps.db, others: world.deps.others };
      expect(await isolate.deliver("textgate-messages", jobs)).toEqual({ acknowledged: 2, retried: 1 });
      world.callbacks.push(...isolate.callbacks);
      await world.runQueues();
      for (const brand of others) {
        expect(await statusOf({ ...brand, messageId: String(sent.get(brand.database)) })).toBe("DELIVERED");
        expect((await world.fetch(brand.link, { headers: PERSON })).status).toBe(302);
        await world.send(brand.client, { phone: brand.phone });
      }
      expect(new Set(posts.map(({ url }) => url))).toEqual(
        new Set(others.map(({ websiteId }) => `https://${websiteId}.example.com/`)),
      );
      const own = brands.get(away) as Brand;
      const refused = await world.post("/text/message/send", own.client, {
        ...{ phone: own.phone, text: "Hi", callbackData: "", sendPurpose: "x" },
      });
      expect(refused.status).toBe(503);

      setAway(away, false);
      // An isolate that has failed leaves the database alone for a while; of the first, it had not even found the place.
      const rests = away === "DB" ? { acknowledged: 3, retried: 0 } : { acknowledged: 2, retried: 1 };
      expect(await isolate.deliver("textgate-messages", jobs)).toEqual(rests);
      isolate.advance(15);
      expect(await isolate.deliver("textgate-messages", jobs)).toEqual({ acknowledged: 3, retried: 0 });
      expect(await statusOf({ ...own, messageId: String(sent.get(away)) })).toBe("DELIVERED");
    },
  );

  it("is left out of a sweep, and the others are swept", async () => {
    for (const { client, phone } of brands.values()) await world.send(client, { phone });
    world.jobs.length = 0;
    setAway("DB_2", true);
    world.advance(200);
    await world.sweep();
    const queued = world.jobs.map(({ body }) => JSON.stringify(body));
    for (const [database, { client }] of brands) {
      const rows = await rowsOf(
        database,
        `SELECT message_id AS id FROM messages WHERE client_id = '${client.clientId}'
        AND status = 'PENDING_TO_SEND'`,
      );
      expect([database, queued.some((job) => job.includes(String(rows[0]?.id)))]).toEqual([
        database,
        database !== "DB_2",
      ]);
    }
    const [one, , three] = await Promise.all(
      ["DB", "DB_2", "DB_3"].map((name) => rowsOf(name, "SELECT ended_at FROM last_sweep")),
    );
    expect([one, three]).toEqual([[{ ended_at: world.now }], [{ ended_at: world.now }]]);
    const list = (await (await world.operator("GET", "/websites")).json()) as {
      websites: unknown[];
      unavailableDatabases: string[];
    };
    expect([list.websites.length, list.unavailableDatabases]).toEqual([2, ["DB_2"]]);
  });

  it("has what its clients were told is not stored cancelled once it is back", async () => {
    const { client, phone } = brands.get("DB_2") as Brand;
    const { db } = databases.get("DB_2") as Breakable;
    const lost = failingDatabase(db, Number.POSITIVE_INFINITY, "after");
    useDatabases(world, (name) => (name === "DB_2" ? lost : (databases.get(name)?.db as D1Database)));
    const body = { phone, text: "Hi", callbackData: "", sendPurpose: "x" };
    const { messages } = world.deps;
    world.deps = { ...world.deps, messages: { ...messages, sendBatch: () => Promise.reject(new Error("away")) } };
    expect((await world.post("/text/message/send", client, body)).status).toBe(503);
    useDatabases(world, (name) => databases.get(name)?.db as D1Database);
    world.deps = { ...world.deps, messages };
    const pending = "SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND'";
    expect(await rowsOf("DB_2", pending)).toHaveLength(1);
    world.advance(1);
    await world.sweep();
    expect(await rowsOf("DB_2", pending)).toEqual([]);
  });
});
