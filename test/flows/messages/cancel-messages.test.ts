import { beforeEach, describe, expect, it } from "vitest";
import type { Deps } from "../../../src/deps.ts";
import type { Job } from "../../../src/domain/messages/job.ts";
import { RECOVERY_MILLISECONDS, recoverySeconds } from "../../../src/domain/messages/retry-policy.ts";
import { failingDatabase } from "../../failing-database.ts";
import { ToldCarrier } from "../../told-carrier.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;
let whole: Deps;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`]);
  whole = world.deps;
});

const send = () => world.post("/text/message/send", client, { ...SEND, phone: ADA });
interface ErrorAnswer {
  code: number;
  message: string;
  details: { field: string; message: string; messageId: string }[];
}

const codeOf = async (answer: Response) => ((await answer.json()) as { code: number }).code;
const messages = () => world.rows("SELECT message_id, status FROM messages");

/** A queue that takes nothing. */
const closed = {
  sendBatch: async () => Promise.reject(new Error("Queue sendBatch failed")),
} as unknown as Deps["messages"];

/** D1 that holds back the first transaction that stores: its caller hears of a failure, and it commits when told to. */
function lateDatabase(): { db: D1Database; commit: () => Promise<unknown> } {
  let commit: (() => Promise<unknown>) | undefined;
  const batch = async (statements: D1PreparedStatement[]) => {
    commit ??= () => whole.db.batch(statements);
    throw new Error("D1_ERROR: Network connection lost.");
  };
  const db = { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database;
  return { db, commit: async () => commit?.() };
}

describe("a transaction that commits after its message was cancelled", () => {
  it.each([[null], [24]])(
    "stores nothing, and suppresses nothing (duplicates: %s hours)",
    async (duplicateWindowHours) => {
      await world.website("brand", { duplicateWindowHours });
      const late = lateDatabase();
      world.deps = { ...whole, db: late.db };
      expect(await codeOf(await send())).toBe(50300);
      world.deps = whole;
      await world.runQueues();
      await late.commit();
      expect(await messages()).toEqual([]);

      const messageId = await world.send(client, { phone: ADA });
      world.advance(600);
      await world.sweep();
      world.advance(600);
      await world.runQueues();
      expect(await messages()).toEqual([{ message_id: messageId, status: "DELIVERED" }]);
    },
  );

  it("is remembered for a day", async () => {
    world.deps = { ...whole, db: lateDatabase().db };
    await send();
    world.deps = whole;
    await world.runQueues();
    expect(await world.rows("SELECT message_id FROM cancelled_messages")).toHaveLength(1);
    world.advance(24 * 3600 + 1);
    await world.sweep();
    expect(await world.rows("SELECT message_id FROM cancelled_messages")).toEqual([]);
  });
});

describe("a store and a queue that fail together", () => {
  const outage = (when: "before" | "after"): Deps => ({
    ...whole,
    db: failingDatabase(whole.db, 4, when),
    messages: closed,
  });

  it.each([
    ["took effect", "after", 1],
    ["had no effect", "before", 0],
  ] as const)(
    "have a send answered 50000 with its id, under which it is found if the transaction %s",
    async (_, when, stored) => {
      world.deps = outage(when);
      const answer = await send();
      const { code, message, details } = await answer.json<ErrorAnswer>();
      expect([answer.status, code]).toEqual([500, 50000]);
      expect(message).toMatch(
        /unknown whether the message in details is stored\. Wait a minute, and ask for the status/,
      );
      expect(details).toEqual([{ field: "body", message: "may be stored", messageId: expect.any(String) }]);
      expect(world.logs.some((line) => line.includes('"event":"request.failed"'))).toBe(true);
      world.deps = whole;
      world.advance(60);
      const asked = { messageIds: details.map(({ messageId }) => messageId) };
      const found = await world.post("/text/message/statuses", client, asked);
      expect((await found.json<{ messages: unknown[] }>()).messages).toHaveLength(stored);
      await world.pass(10);
      expect((await messages()).map(({ status }) => status)).toEqual(new Array(stored).fill("DELIVERED"));
    },
  );

  it("have a send with a key answered 503: with the key, it is safe to repeat", async () => {
    const keyed = () => world.post("/text/message/send", client, { ...SEND, phone: ADA }, { "idempotency-key": "k" });
    world.deps = outage("after");
    expect(await codeOf(await keyed())).toBe(50300);
    world.deps = whole;
    expect((await keyed()).status).toBe(200);
    await world.pass(10);
    expect((await messages()).map(({ status }) => status)).toEqual(["DELIVERED"]);
  });

  it("may have cancelled a message that was found at first: two minutes later, it is not found any more", async () => {
    world.deps = outage("after");
    // The queue has taken the job, and its answer is lost.
    const sendBatch = async (batch: MessageSendRequest<Job>[]) => {
      await whole.messages.sendBatch(batch.map((one) => ({ ...one, delaySeconds: RECOVERY_MILLISECONDS / 1000 })));
      throw new Error("Queue sendBatch failed");
    };
    world.deps.messages = { sendBatch } as unknown as Deps["messages"];
    expect(await codeOf(await send())).toBe(50000);
    world.deps = whole;
    expect(await messages()).toHaveLength(1);
    await world.pass(2);
    expect(await messages()).toEqual([]);
  });

  it.each([
    ["the first", 600, 0],
    ["the second", 600, 500],
  ])("in %s part of a bulk request, which tells each message that may be stored", async (_, count, stored) => {
    const items = Array.from({ length: count }, (_, index) => ({ ...SEND, phone: ADA, text: `no ${index}` }));
    let batches = 0;
    const batch = (statements: D1PreparedStatement[]) =>
      batches++ < stored / 500
        ? whole.db.batch(statements)
        : Promise.reject(new Error("D1_ERROR: Network connection lost."));
    const db = { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database;
    world.deps = { ...whole, db, messages: closed };
    // The second item breaks a rule, so it is not stored.
    const wrong = stored === 0 ? [1] : [];
    for (const index of wrong) Object.assign(items[index] ?? {}, { phone: "1" });
    const answer = await world.post("/text/bulk/message/send", client, { messages: items });
    const { code, message, details } = await answer.json<ErrorAnswer>();
    expect([answer.status, code]).toEqual([500, 50000]);
    expect(message).toContain("Send at once what details does not name: it is not stored.");
    const named = (from: number, to: number, what: string) =>
      Array.from({ length: to - from }, (_, offset) => from + offset)
        .filter((index) => !wrong.includes(index))
        .map((index) => [`messages[${index}]`, what]);
    const wanted = [...named(stored, Math.min(count, stored + 500), "may be stored"), ...named(0, stored, "is stored")];
    expect(details.map(({ field, message: what }) => [field, what])).toEqual(wanted);
    expect(new Set(details.map(({ messageId }) => messageId)).size).toBe(wanted.length);
  });
});

describe("a cancellation", () => {
  it("leaves neither the message, nor its link, nor its event", async () => {
    world.deps = { ...whole, db: failingDatabase(whole.db, Number.POSITIVE_INFINITY, "after") };
    for (const phone of [ADA, "+12125550177"]) {
      const body = { ...SEND, phone, clickUrl: "https://shop.example.com" };
      expect(await codeOf(await world.post("/text/message/send", client, body))).toBe(50300);
    }
    world.deps = whole;
    const counted = async () =>
      Promise.all(
        ["messages", "links", "events"].map(async (table) => (await world.rows(`SELECT * FROM ${table}`)).length),
      );
    expect(await counted()).toEqual([2, 2, 1]);
    await world.runQueues();
    expect(await counted()).toEqual([0, 0, 0]);
  });

  it.each([5, 7, 12, 40])(
    "that has failed %i times comes before the sweep delivers, though the sweep finds the message as soon as the store is back",
    async (tries) => {
      const carrier = new ToldCarrier(world);
      world.deps = { ...whole, carriers: world.deps.carriers, db: failingDatabase(whole.db, 4, "after") };
      expect(await codeOf(await send())).toBe(50300);
      world.deps = { ...whole, carriers: world.deps.carriers };
      const pauses = Array.from({ length: tries }, (_, index) => recoverySeconds(index + 1));
      // The store is back just after a try that failed: it comes again after the whole next pause.
      const [job] = world.jobs.splice(0);
      world.advance(pauses.reduce((sum, pause) => sum + pause, 1));
      world.jobs.push({ ...(job as (typeof world.jobs)[number]), at: world.now + recoverySeconds(tries + 1) * 1000 });
      await world.sweep();
      expect(world.jobs).toHaveLength(2);
      while (world.jobs.length > 0) {
        world.now = Math.min(...world.jobs.map(({ at }) => at));
        await world.runQueues();
      }
      expect([carrier.submitted, await messages()]).toEqual([[], []]);
    },
  );

  it("holds through the sweeps of an hour against a transaction that commits after them", async () => {
    const late = lateDatabase();
    world.deps = { ...whole, db: late.db };
    expect(await codeOf(await send())).toBe(50300);
    world.deps = whole;
    await world.runQueues();
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      world.advance(29 * 60);
      await world.sweep();
    }
    await late.commit();
    expect(await messages()).toEqual([]);
    world.advance(600);
    await world.sweep();
    await world.runQueues();
    expect(await messages()).toEqual([]);
  });

  it("that comes too late leaves a message that its carrier was asked to take: it goes out, once", async () => {
    const carrier = new ToldCarrier(world);
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY, "after") };
    expect(await codeOf(await send())).toBe(50300);
    world.deps = deps;
    const cancellations = world.jobs.splice(0).map(({ body }) => body);
    expect(cancellations).toMatchObject([{ kind: "cancel" }]);
    carrier.answer = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 300 });
    for (let minute = 0; minute < 3; minute++) {
      world.advance(61);
      await world.sweep();
      await world.runQueues();
    }
    expect(carrier.submitted).toHaveLength(1);
    await world.deliver("textgate-messages", cancellations);
    const [message] = await messages();
    expect(message).toMatchObject({ message_id: carrier.submitted[0], status: "PENDING_TO_SEND" });
    carrier.answer = () => ({ kind: "accepted", carrierMessageId: "c-1" });
    world.advance(301);
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(2);
    expect(await messages()).toMatchObject([{ status: "SENDING" }]);
  });
});
