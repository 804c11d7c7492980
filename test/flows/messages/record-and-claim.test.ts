/** What one group of submissions has come to is stored with the claim of the next: in one call, and none fails by the other. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { outcomesOf } from "../../counted.ts";
import { countingDatabase } from "../../counting-database.ts";
import { ACCEPTED, ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

const PEOPLE = Array.from({ length: 30 }, (_, index) => `+1212555${1000 + index}`);
const QUEUE = "textgate-messages";

let world: World;
let client: TestClient;
let submitted: string[];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PEOPLE);
  submitted = [];
  const carrier: Carrier = {
    ...sandbox,
    submit: async ({ messageId }) => {
      submitted.push(messageId);
      return { kind: "accepted", carrierMessageId: `c-${messageId}` };
    },
  };
  world.deps = { ...world.deps, carriers: { ready: { sandbox: carrier }, missing: {} } };
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** @returns the job that submits them, in this order */
async function sendAll(): Promise<{ kind: "deliver"; messageIds: string[] }> {
  const messageIds: string[] = [];
  for (const phone of PEOPLE) messageIds.push(await world.send(client, { phone }));
  world.jobs.length = 0;
  return { kind: "deliver", messageIds };
}

/** From now on the store refuses this change of a message. */
const poison = (messageId: string | undefined, change: string, trigger = "poison") =>
  world.rows(
    `CREATE TRIGGER ${trigger} BEFORE UPDATE ON messages WHEN NEW.message_id = '${messageId}' AND ${change}
     BEGIN SELECT RAISE(ABORT, 'constraint failed: poisoned'); END`,
  );
const statuses = async () =>
  Object.fromEntries(
    (await world.rows("SELECT status, count(*) AS n FROM messages GROUP BY status")).map(({ status, n }) => [
      status,
      n,
    ]),
  );

describe("a run of thirty texts", () => {
  it("asks D1 four times: which wait, two claims with what the ones before came to, the last outcomes", async () => {
    const job = await sendAll();
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await world.deliver(QUEUE, [job]);
    expect(take().calls).toBe(4);
    expect(await statuses()).toEqual({ SENDING: 30 });
    expect(await outcomesOf(world, "submission")).toMatchObject([{ outcome: "accepted", count: 30 }]);
    const [row] = await world.rows("SELECT * FROM messages WHERE message_id = ?1", job.messageIds[0]);
    expect(row).toMatchObject({ claim: null, carrier_message_id: `c-${job.messageIds[0]}`, attempts: 1 });
  });

  it("of which one cannot be recorded records the others, and submits each once", async () => {
    const job = await sendAll();
    await poison(job.messageIds[3], "NEW.status = 'SENDING'");
    await world.deliver(QUEUE, [job]);
    // Those of its claim wait in a job, which goes on to fail by the one.
    expect(await statuses()).toEqual({ PENDING_TO_SEND: 10, SENDING: 20 });
    expect(world.jobs.map(({ body }) => body.kind)).toContain("record");
    await world.rows("DROP TRIGGER poison");
    world.advance(60);
    await world.runQueues();
    expect(await statuses()).toEqual({ SENDING: 30 });
    expect(submitted).toHaveLength(30);
    expect(new Set(submitted).size).toBe(30);
  });

  it("of which one in each claim cannot be recorded submits each once: no job releases what is submitted", async () => {
    const job = await sendAll();
    await poison(job.messageIds[3], "NEW.status = 'SENDING'");
    await poison(job.messageIds[13], "NEW.status = 'SENDING'", "poisoned_too");
    await world.deliver(QUEUE, [job]);
    expect(world.jobs.map(({ body }) => body.kind)).not.toContain("release");
    world.advance(60);
    await world.runQueues();
    await world.sweep();
    await world.runQueues();
    expect(submitted).toHaveLength(30);
    expect(new Set(submitted).size).toBe(30);
  });

  it("of which one cannot be claimed records those that were submitted before it", async () => {
    const job = await sendAll();
    await poison(job.messageIds[13], "NEW.claim IS NOT NULL");
    expect(await world.deliver(QUEUE, [job])).toEqual({ acknowledged: 0, retried: 1 });
    expect(await statuses()).toEqual({ PENDING_TO_SEND: 20, SENDING: 10 });
    await world.rows("DROP TRIGGER poison");
    world.advance(60);
    await world.deliver(QUEUE, [job]);
    await world.runQueues();
    expect(await statuses()).toEqual({ SENDING: 30 });
    expect(new Set(submitted).size).toBe(submitted.length);
  });

  it("counts an outcome once, although the transaction took effect and ran again", async () => {
    const job = await sendAll();
    const { db } = world.deps;
    let batches = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await db.batch(statements);
      if (++batches % 2 === 1) throw new Error("D1_ERROR: Network connection lost.");
      return results;
    };
    world.deps = { ...world.deps, db: { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database };
    await world.deliver(QUEUE, [job]);
    expect(await outcomesOf(world, "submission")).toMatchObject([{ outcome: "accepted", count: 30 }]);
    expect(await statuses()).toEqual({ SENDING: 30 });
    expect(submitted).toHaveLength(30);
  });
});

describe("a claimed message", () => {
  const [ADA = ""] = PEOPLE;
  let carrier: ToldCarrier;
  /** What it does alone, it does with an empty memory. */
  let isolate: World;

  beforeEach(async () => {
    isolate = await World.another(world);
    carrier = new ToldCarrier(world, isolate);
  });

  /** @returns the message's id, and the run that is about to hear of the carrier */
  async function submitWithoutAnswer() {
    const messageId = await world.send(client, { phone: ADA });
    world.jobs.length = 0;
    const { end } = carrier.hangOnce();
    const running = world.deliver(QUEUE, [{ kind: "deliver", messageIds: [messageId] }]);
    await carrier.untilSubmitted(1);
    return { messageId, end, running };
  }

  it("is never claimed again: a repeated job does not have it submitted a second time", async () => {
    const { messageId, end, running } = await submitWithoutAnswer();
    const job = { kind: "deliver", messageIds: [messageId] };
    await world.deliver(QUEUE, [job]);
    expect(await isolate.deliver(QUEUE, [job, job])).toEqual({ acknowledged: 2, retried: 0 });
    expect(carrier.submitted).toEqual([messageId]);
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    end(ACCEPTED);
    await running;
    expect(carrier.submitted).toEqual([messageId]);
    expect(await world.statusOf(messageId)).toBe("SENDING");
  });

  it("whose person opts out while it is submitted keeps the status of what was sent", async () => {
    const { messageId, end, running } = await submitWithoutAnswer();
    await world.subscribers("brand", [`${ADA},,false`]);
    await isolate.deliver(QUEUE, [{ kind: "deliver", messageIds: [messageId] }]);
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    expect(await world.events(client)).toEqual([]);
    end(ACCEPTED);
    await running;
    expect(await world.statusOf(messageId)).toBe("SENDING");
    expect(await world.events(client)).toMatchObject([{ messageId, status: "SENDING" }]);
  });
});

describe("a message whose deadline has passed", () => {
  it("is not submitted, even before a sweep has ended it", async () => {
    const carrier = new ToldCarrier(world);
    const messageId = await world.send(client, { phone: PEOPLE[0] });
    world.jobs.length = 0;
    world.advance(world.deps.config.submitWithinMilliseconds / 1000 + 1);
    await world.deliver(QUEUE, [{ kind: "deliver", messageIds: [messageId] }]);
    expect(carrier.submitted).toEqual([]);
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    await world.sweep();
    await world.runQueues();
    expect(carrier.submitted).toEqual([]);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_SEND");
    expect(await world.events(client)).toMatchObject([{ messageId, status: "FAILED_TO_SEND" }]);
  });
});
