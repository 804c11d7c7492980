/** One invocation of the consumer: how long it runs, what it does with its six connections, and what it leaves to others. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, OutboundMessage, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import type { Deps } from "../../../src/deps.ts";
import type { Job, Lane } from "../../../src/domain/messages/job.ts";
import { consume } from "../../../src/queue.ts";
import { VirtualClock } from "../../simulation/clock.ts";
import { OneThreadDatabase } from "../../simulation/database.ts";
import { strictQueue } from "../../strict/bindings.ts";
import type { Invocation } from "../../strict/invocation.ts";
import { platform } from "../../strict/platform.ts";
import { type TestClient, World } from "../../world.ts";

const PHONES = Array.from({ length: 600 }, (_, index) => `+1212555${String(1000 + index)}`);
const SUBMIT_TIMEOUT_MILLISECONDS = 20_000;

let world: World;
let clock: VirtualClock;
let run: Invocation;
let queued: Record<Lane, Job[]>;
/** Milliseconds until a carrier answers, by website. */
let answersAfter: Record<string, (message: OutboundMessage) => number>;
let submitted: { websiteId: string; messageId: string; at: number; attempt: number }[];
let timedOut: string[];

beforeEach(async () => {
  world = await World.create();
  queued = { messages: [], bulk: [] };
  answersAfter = {};
  submitted = [];
  timedOut = [];
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** By this name, as a carrier that waits for its connection as fetch does, and gives up after the timeout of a submission. */
function carrierOf(websiteId: string): Carrier {
  const submit = async ({ messageId, attempt, ...message }: OutboundMessage): Promise<Submission> => {
    const started = clock.now;
    const answer = await platform.call({ what: "fetch" }, async () => {
      submitted.push({ websiteId, messageId, at: clock.now, attempt });
      const left = started + SUBMIT_TIMEOUT_MILLISECONDS - clock.now;
      const needed = answersAfter[websiteId]?.({ messageId, attempt, ...message }) ?? 150;
      await clock.wait(Math.min(left, needed));
      return needed <= left;
    });
    if (answer) return { kind: "accepted", carrierMessageId: messageId };
    timedOut.push(messageId);
    return { kind: "unknown", reason: "timed out", failing: "carrier" };
  };
  return { ...sandbox, submit };
}

async function open(websiteId: string): Promise<TestClient> {
  const ready = { ...world.deps.carriers.ready, [websiteId]: carrierOf(websiteId) };
  world.deps = { ...world.deps, carriers: { ready, missing: {} } };
  await world.website(websiteId, { carrier: websiteId });
  await world.subscribers(websiteId, PHONES);
  return world.client(websiteId);
}

async function sendMany(client: TestClient, count: number): Promise<string[]> {
  const messages = PHONES.slice(0, count).map((phone) => ({ phone, text: "hi", callbackData: "", sendPurpose: "a" }));
  const answer = await world.post("/text/bulk/message/send", client, { messages });
  const { successSent } = (await answer.json()) as { successSent: { messageId: string }[] };
  return successSent.map(({ messageId }) => messageId);
}

/** Keeps what is queued from now on. */
function recordLanes(): void {
  const record = (lane: Lane) => {
    const sendBatch = async (batch: MessageSendRequest<Job>[]) =>
      void queued[lane].push(...batch.map(({ body }) => body));
    return strictQueue({ sendBatch } as unknown as Deps["messages"]);
  };
  world.deps = { ...world.deps, messages: record("messages"), bulk: record("bulk") };
}

/** From now on time is the test's. */
function hold(d1Milliseconds = 5): void {
  recordLanes();
  clock = new VirtualClock(world.now);
  clock.hold();
  const { db } = new OneThreadDatabase(clock, world.deps.db, { milliseconds: d1Milliseconds });
  world.deps = { ...world.deps, db, now: () => clock.now };
}

/** One invocation. @returns how long its handler and its work in the background took */
async function deliver(lane: Lane, jobs: { ids: string[]; attempts?: number }[]) {
  const started = clock.now;
  const messages = jobs.map(({ ids, attempts = 1 }, index) => ({
    id: `job-${index}`,
    timestamp: new Date(),
    attempts,
    body: { kind: "deliver", messageIds: ids },
    ack: () => {},
    retry: () => {},
  }));
  const took = { handler: Number.NaN, background: Number.NaN };
  const atEnd = Promise.withResolvers<Record<string, unknown>[]>();
  const batch = { queue: `textgate-${lane}`, messages } as unknown as MessageBatch;
  const handler = (invocation: Invocation) => {
    run = invocation;
    return consume(batch, world.deps);
  };
  void platform
    .invoke("queue", () => clock.now, handler)
    .then(async () => {
      took.handler = clock.now - started;
      atEnd.resolve(await clock.track(world.rows("SELECT status, count(*) AS n FROM messages GROUP BY status")));
      await world.afterAnswer();
      took.background = clock.now - started;
    });
  await clock.runUntil(() => !Number.isNaN(took.background));
  return { ...took, statuses: Object.fromEntries((await atEnd.promise).map(({ status, n }) => [status, n])) };
}

const idsIn = (lane: Lane) => queued[lane].flatMap((job) => (job.kind === "deliver" ? job.messageIds : []));

describe("a run", () => {
  it("ends within ten seconds, and what is left goes to the bulk queue", async () => {
    const ids = await sendMany(await open("slow"), 250);
    answersAfter.slow = () => 700;
    hold();
    const { handler, background } = await deliver("messages", [{ ids }]);
    expect(handler).toBeLessThan(10_000);
    expect(background).toBeLessThan(10_000);
    const done = new Set(submitted.map(({ messageId }) => messageId));
    expect(done.size).toBeGreaterThanOrEqual(20);
    expect(submitted).toHaveLength(done.size);
    expect(queued.messages).toEqual([]);
    expect(idsIn("bulk").toSorted()).toEqual(ids.filter((id) => !done.has(id)).toSorted());
    expect(Math.max(...queued.bulk.map((job) => (job.kind === "deliver" ? job.messageIds.length : 0)))).toBe(25);
  });

  it("ends within the 30 seconds that a new version leaves it, whenever its last submission begins", async () => {
    const ids = await sendMany(await open("slow"), 250);
    hold();
    // The last claim of the run is never answered.
    answersAfter.slow = () => (clock.now - started < 7500 ? 700 : 60_000);
    const started = clock.now;
    const { background } = await deliver("bulk", [{ ids }]);
    expect(timedOut).toHaveLength(5);
    expect(background).toBeLessThan(30_000);
  });

  it("begins no submission after its time, although it has claimed the message", async () => {
    const ids = await sendMany(await open("brand"), 5);
    hold(9000);
    await deliver("bulk", [{ ids }]);
    expect(submitted).toEqual([]);
    expect(await world.rows("SELECT DISTINCT status, claim, attempts FROM messages")).toEqual([
      { status: "PENDING_TO_SEND", claim: null, attempts: 0 },
    ]);
    expect(idsIn("bulk")).toEqual(ids);
  });

  it("has its callbacks in full jobs, in the order of their events, whatever its claims are", async () => {
    await open("brand");
    const client = await world.client("brand", { callbackUrl: "https://brand.example.com/" });
    const ids = await sendMany(client, 60);
    await world.rows("UPDATE messages SET callback_data = 'order 1'");
    hold();
    const jobs: string[][] = [];
    const sendBatch = async (batch: MessageSendRequest<string[]>[]) => void jobs.push(...batch.map(({ body }) => body));
    world.deps = { ...world.deps, callbacks: strictQueue({ sendBatch } as unknown as Deps["callbacks"]) };
    await deliver("messages", [{ ids }]);
    expect(jobs.map((job) => job.length)).toEqual([24, 24, 12]);
    expect(jobs.flat()).toEqual(ids.map((id) => `${id}_SENDING`));
  });

  it("has one text of each website in its first claim, however many one of them has", async () => {
    const many = await open("many");
    const few = await open("few");
    world.deps.carriers.ready.few = world.deps.carriers.ready.many as Carrier;
    await world.website("few", { carrier: "many" });
    const ids = await sendMany(many, 240);
    const [single] = await sendMany(few, 1);
    hold();
    await deliver("messages", [{ ids }, { ids: [String(single)] }]);
    expect(submitted.findIndex(({ messageId }) => messageId === single)).toBeLessThan(10);
  });
});

describe("a carrier that is silent", () => {
  beforeEach(() => {
    answersAfter.silent = () => 60_000;
  });

  it("takes five connections at most, so that the queue gets what is left at once", async () => {
    const ids = await sendMany(await open("silent"), 40);
    hold();
    const { handler } = await deliver("messages", [{ ids }]);
    expect(handler).toBeLessThan(3000);
    expect(run.mostConnections).toBe(5 + 1);
    expect(world.logs.join()).not.toContain("queue.failed");
    expect(idsIn("messages").toSorted()).toEqual(ids.slice(5).toSorted());
    expect(timedOut.toSorted()).toEqual(ids.slice(0, 5).toSorted());
  });

  it("holds up no other in the same run: their texts are submitted and recorded", async () => {
    const silent = await sendMany(await open("silent"), 40);
    const prompt = await sendMany(await open("prompt"), 10);
    hold();
    const { handler, statuses } = await deliver("messages", [{ ids: silent }, { ids: prompt }]);
    expect(handler).toBeLessThan(3000);
    expect(statuses.SENDING).toBe(10);
    expect(run.mostConnections).toBeLessThanOrEqual(6);
  });

  it("leaves a later job of its batch to an invocation with connections of its own", async () => {
    const silent = await sendMany(await open("silent"), 40);
    const prompt = await sendMany(await open("prompt"), 10);
    hold();
    const batch = [{ ids: silent }, { ids: prompt, attempts: 2 }];
    const { handler } = await deliver("messages", batch);
    expect(handler).toBeLessThan(3000);
    expect(submitted.filter(({ websiteId }) => websiteId === "prompt")).toEqual([]);
    expect(idsIn("messages")).toEqual(expect.arrayContaining(prompt));
    expect(run.mostConnections).toBeLessThanOrEqual(6);
    await deliver("messages", [{ ids: prompt }]);
    expect(submitted.filter(({ websiteId, attempt }) => websiteId === "prompt" && attempt === 1)).toHaveLength(10);
  });

  it("to one text keeps no outcome of the others from the store", async () => {
    const ids = await sendMany(await open("flaky"), 10);
    answersAfter.flaky = ({ messageId }) => (messageId === ids[2] ? 60_000 : 150);
    hold();
    const { handler, background, statuses } = await deliver("messages", [{ ids }]);
    expect(handler).toBeLessThan(3000);
    expect(statuses).toEqual({ SENDING: 9, PENDING_TO_SEND: 1 });
    expect(background).toBeGreaterThan(SUBMIT_TIMEOUT_MILLISECONDS);
    expect(await world.rows("SELECT reason FROM messages WHERE reason IS NOT NULL")).toEqual([
      { reason: "outcome unknown, not sent again: timed out" },
    ]);
  });

  it("times out after 20 seconds of its own, and of no other's", async () => {
    const ids = await sendMany(await open("silent"), 10);
    hold();
    await deliver("messages", [{ ids }]);
    const begun = new Set(submitted.map(({ at }) => at));
    expect(begun.size).toBe(1);
    expect(timedOut).toHaveLength(5);
  });
});

describe("the queue of a delivery", () => {
  it("is that of bulk for a bulk request, and the other for a text that was sent alone", async () => {
    const client = await open("brand");
    recordLanes();
    const single = await world.send(client, { phone: PHONES[0] });
    const many = await sendMany(client, 600);
    expect(idsIn("messages")).toEqual([single]);
    expect(idsIn("bulk")).toEqual(many);
    expect(queued.bulk).toHaveLength(24);
  });

  it.each(["messages", "bulk"] as const)("of a retry is the one it came from: %s", async (lane) => {
    const ids = await sendMany(await open("brand"), 1);
    hold();
    world.deps.carriers.ready.brand = {
      ...sandbox,
      submit: async () => ({ kind: "later", reason: "busy", retryAfterSeconds: 5 }),
    };
    await deliver(lane, [{ ids }]);
    expect(idsIn(lane)).toEqual(ids);
    expect(idsIn(lane === "bulk" ? "messages" : "bulk")).toEqual([]);
  });

  it("of overdue texts is that of bulk for a website with many, and the other for one with few", async () => {
    const many = await sendMany(await open("many"), 26);
    const few = await sendMany(await open("few"), 25);
    world.advance(61);
    recordLanes();
    await world.sweep();
    expect(idsIn("bulk").toSorted()).toEqual(many.toSorted());
    expect(idsIn("messages").toSorted()).toEqual(few.toSorted());
  });
});
