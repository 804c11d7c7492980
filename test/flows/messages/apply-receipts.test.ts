/** Receipts come from their queue: many at once, in any order, and each stands for itself. */

import { beforeEach, describe, expect, it } from "vitest";
import { chunk } from "../../../src/domain/chunk.ts";
import type { Job } from "../../../src/domain/messages/job.ts";
import type { Receipt } from "../../../src/domain/messages/receipt.ts";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { type TestClient, World } from "../../world.ts";

const QUEUE = "textgate-receipts";
const PEOPLE = Array.from({ length: 100 }, (_, index) => `+1212555${1000 + index}`);

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PEOPLE);
});

/** Messages that the carrier has, and that have called back SENDING. */
async function sendMany(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (const phone of PEOPLE.slice(0, count)) ids.push(await world.send(client, { phone }));
  await world.rows(
    `UPDATE messages SET status = 'SENDING', due_at = NULL, carrier = 'sandbox', claimed_at = ?1 WHERE status = 'PENDING_TO_SEND'`,
    world.now,
  );
  await world.rows(
    `INSERT INTO events (website_id, client_id, message_id, event, occurred_at)
     SELECT website_id, client_id, message_id, 'SENDING', ?1 FROM messages`,
    world.now,
  );
  world.jobs.length = 0;
  return ids;
}

const receipt = (messageId: string, fields: Partial<Receipt> = {}): Receipt => ({
  ...{ messageId, status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: false },
  ...fields,
});
const job = (...receipts: Receipt[]): Job => ({ kind: "receipts", carrier: "sandbox", receipts });
const statuses = (ids: string[]) => Promise.all(ids.map((id) => world.statusOf(id)));
const eventsOf = async (messageId: string) =>
  (
    await world.rows(
      `SELECT event FROM events WHERE message_id = ?1 ORDER BY occurred_at, event = 'SENDING' DESC`,
      messageId,
    )
  ).map(({ event }) => event);
const jobLines = () =>
  world.logs.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ event }) => event === "job");

describe("a batch of receipts", () => {
  it("takes a call of D1 for each hundred messages, however many a job has", async () => {
    const [known = ""] = await sendMany(1);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const ids = Array.from({ length: 249 }, (_, index) => `unknown ${index}`);
    const receipts = [...ids, known].map((id) => receipt(id));
    const jobs = chunk(receipts, 50).map((some) => job(...some));
    expect(await world.deliver(QUEUE, jobs)).toEqual({ acknowledged: 5, retried: 0 });
    expect([take().calls, await world.statusOf(known)]).toEqual([3, "DELIVERED"]);
  });

  it("is applied in one call of D1, with a callback for each, and is one line of the log", async () => {
    const ids = await sendMany(100);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const jobs = ids.map((id, index) => job(receipt(id, { reason: `delivered ${index}` })));
    expect(await world.deliver(QUEUE, jobs)).toEqual({ acknowledged: 100, retried: 0 });
    expect(take().calls).toBe(1);
    expect(new Set(await statuses(ids))).toEqual(new Set(["DELIVERED"]));
    expect(await world.rows("SELECT reason FROM messages WHERE message_id = ?1", ids[42])).toEqual([
      { reason: "delivered 42" },
    ]);
    expect(world.callbacks.map(({ body }) => body).sort()).toEqual(ids.map((id) => `${id}_DELIVERED`).sort());
    expect(jobLines()).toMatchObject([{ kind: "receipts", count: 100, outcome: "done" }]);
  });

  it("changes a message as its receipts would one after the other", async () => {
    const [late = "", failed = "", early = ""] = await sendMany(3);
    await world.rows(
      "UPDATE messages SET status = 'PENDING_TO_SEND', due_at = accepted_at WHERE message_id = ?1",
      early,
    );
    await world.rows("DELETE FROM events WHERE message_id = ?1", early);
    await world.deliver(QUEUE, [
      job(receipt(late), receipt(failed, { status: "FAILED_TO_DELIVERY", reason: "absent" })),
      job(receipt(early, { status: "SENDING" })),
      job(receipt(late, { status: "SENDING" }), receipt(failed, { reason: "too late" }), receipt(early)),
      job(receipt(late, { status: "FAILED_TO_DELIVERY" })),
    ]);
    expect(await statuses([late, failed, early])).toEqual(["DELIVERED", "FAILED_TO_DELIVERY", "DELIVERED"]);
    expect(await world.rows("SELECT reason FROM messages WHERE message_id = ?1", failed)).toEqual([
      { reason: "absent" },
    ]);
    expect(await eventsOf(early)).toEqual(["SENDING", "DELIVERED"]);
    expect(await eventsOf(late)).toEqual(["SENDING", "DELIVERED"]);
  });

  it("that comes again changes nothing, and calls nobody back again", async () => {
    const ids = await sendMany(3);
    const jobs = ids.map((id) => job(receipt(id)));
    await world.deliver(QUEUE, jobs);
    world.callbacks.length = 0;
    const before = await world.rows("SELECT * FROM messages");
    world.advance(5);
    expect(await world.deliver(QUEUE, jobs)).toEqual({ acknowledged: 3, retried: 0 });
    expect(await world.rows("SELECT * FROM messages")).toEqual(before);
    expect(world.callbacks).toEqual([]);
  });

  it("of which one is bad, one of an unknown message and one of another carrier's changes the others", async () => {
    const [bad = "", good = "", foreign = ""] = await sendMany(3);
    await world.rows(
      `CREATE TRIGGER poison BEFORE UPDATE ON messages WHEN NEW.message_id = '${bad}'
       BEGIN SELECT RAISE(ABORT, 'constraint failed: poisoned'); END`,
    );
    const ofAnother: Job = { kind: "receipts", carrier: "kannel", receipts: [receipt(foreign)] };
    const jobs = [job(receipt(bad)), ofAnother, job(receipt("nobody's")), job(receipt(good))];
    expect(await world.deliver(QUEUE, jobs)).toEqual({ acknowledged: 3, retried: 1 });
    expect(await statuses([bad, good, foreign])).toEqual(["SENDING", "DELIVERED", "SENDING"]);
    expect(await world.deliver(QUEUE, [job(receipt(bad))])).toEqual({ acknowledged: 0, retried: 1 });
  });

  it("that waited while the store failed is applied in one call of D1, too", async () => {
    const ids = await sendMany(20);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const jobs = ids.map((id) => job(receipt(id)));
    expect(await world.deliver(QUEUE, jobs, 3)).toEqual({ acknowledged: 20, retried: 0 });
    expect(take().calls).toBe(1);
  });

  it("waits while the store fails, and comes back from the dead-letter queue", async () => {
    const [messageId = ""] = await sendMany(1);
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY) };
    expect(await world.deliver(QUEUE, [job(receipt(messageId))])).toEqual({ acknowledged: 0, retried: 1 });
    expect(await world.deliver("textgate-messages-dead", [job(receipt(messageId))])).toEqual({
      acknowledged: 1,
      retried: 0,
    });
    world.deps = deps;
    await world.runReceipts();
    expect(await statuses([messageId])).toEqual(["DELIVERED"]);
  });

  it("that keeps failing by its own fault is a dead job, which takes effect when it is put back", async () => {
    const [messageId = ""] = await sendMany(1);
    await world.rows(
      `CREATE TRIGGER poison BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'constraint failed: poisoned'); END`,
    );
    const said = { status: "FAILED_TO_DELIVERY", reason: "+1 212 555 1000 is absent" } as const;
    await world.deliver(QUEUE, [job(receipt(messageId, said))], 6);
    const { deadJobs } = (await (await world.operator("GET", "/dead-jobs")).json()) as {
      deadJobs: { queue: string; body: Job; error: string }[];
    };
    expect(deadJobs).toMatchObject([
      { queue: QUEUE, body: { kind: "receipts" }, error: expect.stringContaining("poisoned") },
    ]);
    expect(JSON.stringify(deadJobs)).not.toContain("212 555 1000");
    await world.rows("DROP TRIGGER poison");
    expect((await world.operator("POST", "/dead-jobs/put-back")).status).toBe(200);
    await world.runQueues();
    expect(await statuses([messageId])).toEqual(["FAILED_TO_DELIVERY"]);
  });
});
