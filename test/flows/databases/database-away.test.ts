import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JOB_TRIES, STORE_TRY_MILLISECONDS } from "../../../src/domain/messages/retry-policy.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { limits } from "../../../src/platform/time-limit.ts";
import { consume } from "../../../src/queue.ts";
import {
  ADA,
  type Brand,
  bindDatabases,
  boundDatabase,
  makeBrand,
  otherNames,
  rowsOf,
  useDatabases,
} from "../../databases.ts";
import { failingDatabase } from "../../failing-database.ts";
import { strictDatabase } from "../../strict/database.ts";
import { PATIENCE_MILLISECONDS } from "../../told-carrier.ts";
import { World } from "../../world.ts";

const PERSON = { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)" };

let world: World;
/** Where callbacks were posted. */
let posts: string[];

beforeEach(async () => {
  world = await World.create();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
    posts.push(String(url));
    return new Response("thanks");
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A database that a test breaks and repairs. */
class Breakable {
  isAway = false;
  isSilent = false;
  readonly db: D1Database;

  constructor(db: D1Database) {
    const ask = async <T>(run: () => Promise<T>): Promise<T> => {
      if (this.isSilent) return new Promise(() => {});
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
    posts = [];
    await bindDatabases(world, 3);
    databases = new Map(otherNames(world).map((name) => [name, new Breakable(strictDatabase(boundDatabase(name)))]));
    databases.set("DB", new Breakable(world.deps.db));
    useDatabases(world, (name) => databases.get(name)?.db as D1Database);
    world.deps = { ...world.deps, db: databases.get("DB")?.db as D1Database };
    brands = new Map();
    for (let index = 0; index < 3; index++) {
      const brand = await makeBrand(world, index);
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

  it.each(["DB", "DB_3"])(
    "keeps a STOP from no other website of its sender, and it comes again for its own: %s",
    async (away) => {
      const [here, there] = [brands.get("DB_2"), brands.get(away)] as [Brand, Brand];
      const { websiteId, sender } = here;
      await world.operator("PUT", `/websites/${there.websiteId}`, { name: "There", carrier: "sandbox", sender });
      await world.send(there.client, { phone: ADA });
      await world.runQueues();
      const said = async (words: string, of: World) => {
        const inbound = { from: ADA, to: [sender], text: words, keyword: null, answeredByCarrier: false };
        return of.invoke("fetch", () =>
          receiveInbound(of.deps, "sandbox", { ...inbound, carrierMessageId: `in ${words}` }),
        );
      };
      const states = async () =>
        Promise.all(
          [here, there].map(async (brand) => {
            const of = `website_id = '${brand.websiteId}' AND phone = ${ADA.slice(1)}`;
            return (await rowsOf(brand.database, `SELECT subscribed FROM subscriptions WHERE ${of}`))[0]?.subscribed;
          }),
        );
      const replies = async () =>
        (
          await Promise.all(["DB_2", away].map((name) => rowsOf(name, "SELECT 1 FROM messages WHERE is_reply = 1")))
        ).flat();
      setAway(away, true);
      const isolate = await World.another(world);
      isolate.deps = { ...isolate.deps, db: world.deps.db, others: world.deps.others };
      await expect(said("hello", isolate)).rejects.toThrow("store-unavailable");
      await expect(said("STOP", isolate)).rejects.toThrow("store-unavailable");
      expect([await states(), (await replies()).length]).toEqual([[0, 1], 1]);
      expect(await rowsOf("DB_2", "SELECT website_id, text FROM inbound_texts")).toEqual([
        { website_id: websiteId, text: "STOP" },
      ]);

      setAway(away, false);
      const back = await World.another(world);
      back.deps = { ...back.deps, db: world.deps.db, others: world.deps.others };
      await said("STOP", back);
      expect([await states(), (await replies()).length]).toEqual([[0, 0], 1]);
    },
  );

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
      expect(new Set(posts)).toEqual(new Set(others.map(({ websiteId }) => `https://${websiteId}.example.com/`)));
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

  it("is found out in seconds when it is silent, and asked again by one batch at a time", async () => {
    const sent = new Map<string, string>();
    for (const [database, { client, phone }] of brands) sent.set(database, await world.send(client, { phone }));
    const jobs = world.jobs.splice(0).map(({ body }) => body);
    const ofSilent = jobs.filter((job) => JSON.stringify(job).includes(sent.get("DB_2") as string));
    const soon = <T>(find: () => T) => vi.waitUntil(find, { interval: 1, timeout: PATIENCE_MILLISECONDS });
    const running: { milliseconds: number; onOver(): void }[] = [];
    vi.spyOn(limits, "start").mockImplementation((milliseconds, onOver) => {
      const limit = { milliseconds, onOver };
      running.push(limit);
      return () => void running.splice(running.indexOf(limit), 1);
    });
    const end = async (milliseconds: number) => {
      const found = await soon(() => running.find((limit) => limit.milliseconds === milliseconds));
      found.onOver();
    };
    const untilOver = async <T>(work: Promise<T>) => {
      let isOver = false;
      void work.finally(() => {
        isOver = true;
      });
      await soon(() => {
        running.find(({ milliseconds }) => milliseconds === STORE_TRY_MILLISECONDS)?.onOver();
        return isOver;
      });
      return work;
    };
    const deliver = (some: unknown[]) => world.deliver("textgate-messages", some);
    const silent = databases.get("DB_2") as Breakable;
    silent.isSilent = true;
    const first = deliver(ofSilent);
    await end(2000);
    await end(5000);
    await soon(() => (world.deps.others.get("DB_2")?.pause.until ?? 0) > 0);
    expect(await deliver(jobs)).toEqual({ acknowledged: 2, retried: 1 });
    expect(await untilOver(first)).toEqual({ acknowledged: 0, retried: 1 });
    world.advance(15);
    const asking = deliver(ofSilent);
    await soon(() => running.some((limit) => limit.milliseconds === STORE_TRY_MILLISECONDS));
    expect(await deliver(ofSilent)).toEqual({ acknowledged: 0, retried: 1 });
    silent.isSilent = false;
    expect(await untilOver(asking)).toEqual({ acknowledged: 1, retried: 0 });
    expect(await deliver(jobs)).toEqual({ acknowledged: 3, retried: 0 });
    expect(running).toEqual([]);
  });

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

  it("lets no job of its websites die, however often it is tried: it is done once the database is back", async () => {
    const { client, phone } = brands.get("DB_2") as Brand;
    const messageId = await world.send(client, { phone });
    const jobs = world.jobs.splice(0).map(({ body }) => body);
    setAway("DB_2", true);
    for (let attempts = 1; attempts <= JOB_TRIES + 1; attempts++) {
      expect(await world.deliver("textgate-messages", jobs, attempts)).toEqual({ acknowledged: 0, retried: 1 });
      // For a while, the isolate leaves the database alone.
      world.advance(20);
    }
    setAway("DB_2", false);
    expect(await (await world.operator("GET", "/dead-jobs")).json()).toMatchObject({ deadJobs: [] });
    expect(await world.deliver("textgate-messages", jobs, JOB_TRIES + 2)).toEqual({ acknowledged: 1, retried: 0 });
    await world.runQueues();
    expect(await statusOf({ ...(brands.get("DB_2") as Brand), messageId })).toBe("DELIVERED");
  });

  it("has what its clients were told is not stored cancelled once it is back", async () => {
    const { client, phone } = brands.get("DB_2") as Brand;
    const { db } = databases.get("DB_2") as Breakable;
    const lost = failingDatabase(db, Number.POSITIVE_INFINITY, "after", undefined, "batches");
    useDatabases(world, (name) => (name === "DB_2" ? lost : (databases.get(name)?.db as D1Database)));
    const body = { phone, text: "Hi", callbackData: "", sendPurpose: "x" };
    expect((await world.post("/text/message/send", client, body)).status).toBe(503);
    useDatabases(world, (name) => databases.get(name)?.db as D1Database);
    const pending = "SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND'";
    expect(await rowsOf("DB_2", pending)).toHaveLength(1);
    await world.runQueues();
    expect(await rowsOf("DB_2", pending)).toEqual([]);
  });

  it("has its jobs come again by the pauses of each: a delivery backs off, and what only the queue has comes within a minute", async () => {
    const { client, phone } = brands.get("DB_2") as Brand;
    const messageId = await world.send(client, { phone });
    const release = { kind: "release", claim: "c", messageIds: [messageId] };
    const ends: number[] = [];
    const retry = ({ delaySeconds }: { delaySeconds: number }) => ends.push(delaySeconds);
    const batch = [release, { kind: "deliver", messageIds: [messageId] }].map((body) => ({
      body,
      attempts: 12,
      retry,
    }));
    setAway("DB_2", true);
    const consumeBatch = () =>
      consume({ queue: "textgate-messages", messages: batch } as unknown as MessageBatch, world.deps);
    await world.invoke("queue", consumeBatch);
    // The isolate leaves the database alone now.
    await world.invoke("queue", consumeBatch);
    expect(ends.map((seconds) => seconds > 60)).toEqual([false, true, false, true]);
    setAway("DB_2", false);
  });
});
