import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { STORE_TRY_MILLISECONDS } from "../../../src/domain/messages/retry-policy.ts";
import { limits } from "../../../src/platform/time-limit.ts";
import { consume } from "../../../src/queue.ts";
import { type Brand, rowsOf, useDatabases } from "../../databases.ts";
import { failingDatabase } from "../../failing-database.ts";
import { PATIENCE_MILLISECONDS } from "../../told-carrier.ts";
import { type Breakable, begin, brands, databases, setAway, world } from "./database-away-stage.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a database that is away", () => {
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
