import { beforeEach, describe, expect, it } from "vitest";
import type { Carrier, OutboundMessage, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { failingDatabase } from "../../failing-database.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

/** A carrier that counts, and answers as the test says. */
class CountingCarrier implements Carrier {
  readonly validateSender = sandbox.validateSender;
  readonly readReceipts = sandbox.readReceipts;
  readonly readInbound = sandbox.readInbound;
  readonly submitted: OutboundMessage[] = [];
  answer: (message: OutboundMessage) => Submission | Promise<Submission> = ({ messageId }) => ({
    kind: "accepted",
    carrierMessageId: `carrier-${messageId}`,
  });

  async submit(message: OutboundMessage): Promise<Submission> {
    this.submitted.push(message);
    return this.answer(message);
  }
}

let world: World;
let client: TestClient;
let carrier: CountingCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, "+12125550101"]);
  carrier = new CountingCarrier();
  world.deps = { ...world.deps, carriers: { ready: { sandbox: strictCarrier(carrier) }, missing: {} } };
});

const message = async (messageId: string) =>
  (await world.rows("SELECT * FROM messages WHERE message_id = ?1", messageId))[0];
const events = async (messageId: string) =>
  (await world.rows(`SELECT event FROM events WHERE message_id = ?1 ORDER BY occurred_at, event DESC`, messageId)).map(
    ({ event }) => event,
  );
const deliver = (messageId: string) =>
  world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);

describe("a message", () => {
  it("is handed to its website's carrier with its sender, once", async () => {
    await world.website("brand", { sender: "+12125550000" });
    const messageId = await world.send(client, { phone: ADA, mediaUrl: "https://example.com/a.jpg" });
    await world.runQueues();
    expect(carrier.submitted).toEqual([
      {
        messageId,
        to: ADA,
        from: "+12125550000",
        text: "Brand: hello",
        encoding: "GSM-7",
        mediaUrl: "https://example.com/a.jpg",
        attempt: 1,
      },
    ]);
    expect(await message(messageId)).toMatchObject({ status: "SENDING", carrier_message_id: `carrier-${messageId}` });
    expect(await events(messageId)).toEqual(["SENDING"]);
  });

  it("whose job is delivered twice, in one batch or two, is submitted once", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const job = { kind: "deliver", messageIds: [messageId] };
    expect(await world.deliver("textgate-messages", [job, job])).toEqual({ acknowledged: 2, retried: 0 });
    await Promise.all([deliver(messageId), deliver(messageId)]);
    expect(carrier.submitted).toHaveLength(1);
    expect(await events(messageId)).toEqual(["SENDING"]);
  });

  it("whose job is lost is found by the sweep, and submitted once", async () => {
    const messageId = await world.send(client, { phone: ADA });
    world.jobs.length = 0;
    world.advance(59.999);
    await world.sweep();
    expect(world.jobs).toEqual([]);
    world.advance(1.002);
    await world.sweep();
    await world.sweep();
    expect(world.jobs).toEqual([{ body: { kind: "deliver", messageIds: [messageId] }, at: world.now + 90_000 }]);
    world.advance(89);
    await world.runQueues();
    expect(carrier.submitted).toEqual([]);
    world.advance(1);
    await world.runQueues();
    world.advance(120);
    await world.sweep();
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
  });

  it("of a number that opts out before it is submitted is not sent", async () => {
    const messageId = await world.send(client, { phone: ADA });
    await world.subscribers("brand", [`${ADA},,false`]);
    await world.runQueues();
    expect(carrier.submitted).toEqual([]);
    expect(await message(messageId)).toMatchObject({ status: "NOT_SUBSCRIBED" });
    expect(await events(messageId)).toEqual(["NOT_SUBSCRIBED"]);
  });

  it("of a website whose carrier is gone waits with the reason, and goes out once it is set up", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const { carriers } = world.deps;
    world.deps = { ...world.deps, carriers: { ready: {}, missing: {} } };
    await world.runQueues();
    await world.pass(3);
    const reason = expect.stringContaining("carrier sandbox is not set up");
    expect(await message(messageId)).toMatchObject({ status: "PENDING_TO_SEND", reason, reason_code: null });
    expect(carrier.submitted).toEqual([]);
    world.deps = { ...world.deps, carriers };
    await world.operator("POST", "/carriers/sandbox/try");
    await world.runQueues();
    expect(carrier.submitted.map((it) => it.messageId)).toEqual([messageId]);
    expect(await message(messageId)).toMatchObject({ status: "SENDING", reason: null });
  });
});

describe("the answer of a carrier", () => {
  it("refused: is final", async () => {
    carrier.answer = () => ({ kind: "refused", reason: "no such number" });
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    expect(await message(messageId)).toMatchObject({ status: "FAILED_TO_SEND", reason: "no such number" });
  });

  it("later: is tried again after the time it names, and not before", async () => {
    carrier.answer = ({ attempt }) =>
      attempt < 3
        ? { kind: "later", reason: "busy", retryAfterSeconds: 30 }
        : { kind: "accepted", carrierMessageId: "c" };
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    expect(await message(messageId)).toMatchObject({ status: "PENDING_TO_SEND", reason: "busy", claimed_at: null });
    await deliver(messageId);
    world.advance(29);
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
    world.advance(1);
    await world.runQueues();
    world.advance(30);
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(3);
    expect(await message(messageId)).toMatchObject({ status: "SENDING", reason: null });
    expect(await events(messageId)).toEqual(["SENDING"]);
  });

  it.each([
    ["unknown", () => ({ kind: "unknown", reason: "timeout" }) as const],
    ["an exception", () => Promise.reject(new Error("connection reset"))],
  ])("%s: is never submitted again, and ends at the deadline", async (_, answer) => {
    carrier.answer = answer;
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    expect(await message(messageId)).toMatchObject({ status: "SENDING", carrier_message_id: null });
    world.advance(24 * 3600 - 1);
    await world.sweep();
    await world.runQueues();
    expect(await events(messageId)).toEqual(["SENDING"]);
    world.advance(1);
    await world.sweep();
    await world.runQueues();
    expect(await message(messageId)).toMatchObject({ status: "FAILED_TO_DELIVERY" });
    expect(await events(messageId)).toEqual(["SENDING", "FAILED_TO_DELIVERY"]);
    expect(carrier.submitted).toHaveLength(1);
  });
});

describe("a store that fails", () => {
  const breakStore = (failures: number, when: "before" | "after") => {
    const whole = world.deps;
    world.deps = { ...whole, db: failingDatabase(whole.db, failures, when, undefined, "batches") };
    return () => {
      world.deps = whole;
    };
  };

  it.each(["before", "after"] as const)(
    "once, %s the claim took effect: the message is submitted once",
    async (when) => {
      const messageId = await world.send(client, { phone: ADA });
      breakStore(1, when);
      expect(await deliver(messageId)).toEqual({ acknowledged: 1, retried: 0 });
      expect(carrier.submitted).toHaveLength(1);
      expect(carrier.submitted[0]?.attempt).toBe(1);
    },
  );

  it.each(["before", "after"] as const)(
    "for long, %s the claim took effect: it is submitted later, once",
    async (when) => {
      const messageId = await world.send(client, { phone: ADA });
      world.jobs.length = 0;
      const mend = breakStore(Number.POSITIVE_INFINITY, when);
      expect(await deliver(messageId)).toEqual({ acknowledged: 0, retried: 1 });
      expect(carrier.submitted).toEqual([]);
      mend();
      world.advance(30);
      await world.runQueues();
      await deliver(messageId);
      expect(carrier.submitted).toHaveLength(1);
      expect(await message(messageId)).toMatchObject({ status: "SENDING" });
    },
  );

  it.each(["before", "after"] as const)(
    "when outcomes are stored, %s they were: the queue holds them",
    async (when) => {
      const messageId = await world.send(client, { phone: ADA });
      world.jobs.length = 0;
      let mend = () => {};
      carrier.answer = () => {
        mend = breakStoreInPlace(when);
        return { kind: "accepted", carrierMessageId: "c-1" };
      };
      await deliver(messageId);
      mend();
      expect(world.jobs.map(({ body }) => body.kind)).toEqual(["record"]);
      world.advance(10);
      await world.runQueues();
      expect(await message(messageId)).toMatchObject({ status: "SENDING", carrier_message_id: "c-1" });
      expect(await events(messageId)).toEqual(["SENDING"]);
      expect(carrier.submitted).toHaveLength(1);
    },
  );

  /** The flow under way holds these very deps. */
  function breakStoreInPlace(when: "before" | "after"): () => void {
    const { deps } = world;
    const { db } = deps;
    deps.db = failingDatabase(db, Number.POSITIVE_INFINITY, when);
    return () => {
      deps.db = db;
    };
  }

  it("after the claim for ever: the message is never submitted again, and waits for a receipt", async () => {
    const messageId = await world.send(client, { phone: ADA });
    carrier.answer = () => new Promise(() => {});
    void deliver(messageId);
    await expect.poll(() => carrier.submitted.length).toBe(1);
    world.advance(15 * 60);
    await world.sweep();
    expect(await message(messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
    world.advance(61);
    await world.sweep();
    world.advance(89);
    await world.sweep();
    expect(await message(messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
    world.advance(1);
    await world.sweep();
    expect(await message(messageId)).toMatchObject({ status: "SENDING" });
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
  });
});

describe("a send that the store did not confirm", () => {
  const sendOnBroken = async (when: "before" | "after", headers: Record<string, string> = {}) => {
    const whole = world.deps;
    world.deps = { ...whole, db: failingDatabase(whole.db, Number.POSITIVE_INFINITY, when) };
    const body = { phone: ADA, text: "hi", callbackData: "{}", sendPurpose: "a" };
    const answer = await world.post("/text/message/send", client, body, headers);
    world.deps = whole;
    expect(answer.status).toBe(503);
    return { body, headers };
  };

  it.each(["before", "after"] as const)("%s it was stored: repeated, it is sent once", async (when) => {
    const { body } = await sendOnBroken(when);
    expect((await world.post("/text/message/send", client, body)).status).toBe(200);
    await world.runQueues();
    world.advance(120);
    await world.sweep();
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
    expect(await world.rows("SELECT message_id FROM messages")).toHaveLength(1);
  });

  it.each(["before", "after"] as const)("%s it was stored, with an Idempotency-Key: sent once", async (when) => {
    const { body, headers } = await sendOnBroken(when, { "idempotency-key": "k" });
    expect((await world.post("/text/message/send", client, body, headers)).status).toBe(200);
    world.advance(120);
    await world.sweep();
    world.advance(90);
    await world.runQueues();
    expect(carrier.submitted).toHaveLength(1);
  });

  it("and that a duplicate was answered with is not taken back", async () => {
    await world.website("brand", { duplicateWindowHours: 1 });
    const { body } = await sendOnBroken("after");
    const answer = await world.post("/text/message/send", client, body);
    const { messageId } = (await answer.json()) as { messageId: string };
    await world.runQueues();
    expect(await world.rows("SELECT message_id FROM messages")).toEqual([{ message_id: messageId }]);
    world.advance(61);
    await world.sweep();
    world.advance(120);
    await world.runQueues();
    expect(carrier.submitted).toMatchObject([{ messageId }]);
  });

  it("when the store fails once: is stored and answered all the same", async () => {
    const whole = world.deps;
    for (const when of ["before", "after"] as const) {
      world.deps = { ...whole, db: failingDatabase(whole.db, 1, when) };
      const messageId = await world.send(client, { phone: "+12125550101" });
      expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    }
  });
});

describe("the queue", () => {
  it("that takes no job loses no message: the sweep queues it", async () => {
    const whole = world.deps;
    const broken = { sendBatch: () => Promise.reject(new Error("queue is down")) } as unknown as typeof whole.messages;
    world.deps = { ...whole, messages: broken };
    const messageId = await world.send(client, { phone: ADA });
    expect(world.logs.join()).toContain("queue.failed");
    world.deps = whole;
    world.advance(61);
    await world.sweep();
    world.advance(120);
    await world.runQueues();
    expect(await world.statusOf(messageId)).toBe("SENDING");
  });

  it("that brings a malformed job has it logged and done with, and the rest of its batch delivered", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const bodies = [
      null,
      5,
      "x",
      { kind: "fly" },
      { kind: "deliver", messageIds: 7 },
      { kind: "deliver", messageIds: [messageId] },
    ];
    expect(await world.deliver("textgate-messages", bodies)).toEqual({ acknowledged: 6, retried: 0 });
    expect(carrier.submitted).toHaveLength(1);
    expect(world.logs.filter((line) => line.includes("job.malformed"))).toHaveLength(5);
  });

  it("that brings a hundred jobs has them submitted five at a time", async () => {
    let now = 0;
    let most = 0;
    carrier.answer = async ({ messageId }) => {
      most = Math.max(most, ++now);
      await scheduler.wait(1);
      now -= 1;
      return { kind: "accepted", carrierMessageId: messageId };
    };
    const messages = Array.from({ length: 100 }, () => ({ ...SEND, phone: ADA }));
    const answer = await world.post("/text/bulk/message/send", client, { messages });
    const { successSent } = await answer.json<{ successSent: { messageId: string }[] }>();
    const jobs = successSent.map(({ messageId }) => ({ kind: "deliver", messageIds: [messageId] }));
    expect(await world.deliver("textgate-messages", jobs)).toEqual({ acknowledged: 100, retried: 0 });
    expect(carrier.submitted).toHaveLength(100);
    expect(most).toBe(5);
    expect(await world.rows("SELECT count(*) AS n FROM messages WHERE status = 'SENDING'")).toEqual([{ n: 100 }]);
  });
});
