import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, OutboundMessage, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { deliverMessages } from "../../../src/flows/messages/deliver-messages.ts";
import { beginRun } from "../../../src/flows/messages/delivery-run.ts";
import { outcomesOf } from "../../counted.ts";
import { beforeRunning } from "../../late-tries.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

type Answer = (message: OutboundMessage) => Submission | Promise<Submission>;

const accepted: Answer = () => ({ kind: "accepted", carrierMessageId: null });
const away: Answer = () => ({ kind: "later", reason: "connection refused", failing: "carrier" });

class TestCarrier implements Carrier {
  readonly validateSender = () => undefined;
  readonly readReceipts = sandbox.readReceipts;
  readonly readInbound = sandbox.readInbound;
  readonly submitted: string[] = [];
  answer = accepted;

  async submit(message: OutboundMessage): Promise<Submission> {
    this.submitted.push(message.messageId);
    return this.answer(message);
  }
}

const PHONES = Array.from({ length: 20 }, (_, index) => `+121255501${String(index).padStart(2, "0")}`);

let world: World;
let one: TestCarrier;
let other: TestCarrier;

beforeEach(async () => {
  world = await World.create();
  one = new TestCarrier();
  other = new TestCarrier();
  world.deps = {
    ...world.deps,
    carriers: { ready: { sandbox: strictCarrier(one), kannel: strictCarrier(other) }, missing: {} },
  };
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function websiteOf(carrier: string): Promise<TestClient> {
  await world.website(carrier, { carrier });
  await world.subscribers(carrier, PHONES);
  return world.client(carrier);
}

const sendAll = (client: TestClient, phones = PHONES) =>
  Promise.all(phones.map((phone) => world.send(client, { phone })));

const statuses = async () =>
  (await world.rows("SELECT DISTINCT status, claimed_at FROM messages")).map((row) => row.status);

describe("a carrier that keeps failing", () => {
  it("opens its circuit breaker after three failures, and gets every message once when it is back", async () => {
    const client = await websiteOf("sandbox");
    one.answer = away;
    const ids = await sendAll(client);
    await world.runQueues();
    // Five connections may each have one under way when the third fails.
    expect(one.submitted.length).toBeLessThanOrEqual(3 + 4);
    const tried = one.submitted.length;
    world.advance(2);
    await world.sweep();
    await world.runQueues();
    expect(one.submitted.length).toBe(tried);
    expect(await statuses()).toEqual(["PENDING_TO_SEND"]);
    one.answer = accepted;
    one.submitted.length = 0;
    world.advance(10);
    await world.runQueues();
    expect(one.submitted.toSorted()).toEqual(ids.toSorted());
    expect(await statuses()).toEqual(["SENDING"]);
  });

  it("for longer than a message waits: each ends as FAILED_TO_SEND, with the reason", async () => {
    const client = await websiteOf("sandbox");
    world.deps = { ...world.deps, config: { ...world.deps.config, submitWithinMilliseconds: 1_800_000 } };
    one.answer = away;
    // More than are tried before the breaker opens.
    const ids = await sendAll(client, PHONES.slice(0, 12));
    for (let minutes = 0; minutes < 40; minutes += 10) {
      await world.runQueues();
      await world.sweep();
      world.advance(600);
    }
    await world.sweep();
    const rows = await world.rows("SELECT DISTINCT status FROM messages");
    expect(rows).toEqual([{ status: "FAILED_TO_SEND" }]);
    const [{ count } = { count: 0 }] = await world.rows(
      "SELECT count(*) AS count FROM messages WHERE reason LIKE '%(before: %'",
    );
    expect(count).toBe(ids.length);
  });

  it("does not delay another carrier, not even while it hangs", async () => {
    const [slow, quick] = [await websiteOf("sandbox"), await websiteOf("kannel")];
    const hung = Promise.withResolvers<Submission>();
    one.answer = () => hung.promise;
    await sendAll(slow);
    const ids = await sendAll(quick);
    const jobs = world.jobs.splice(0).map(({ body }) => body);
    const running = world.deliver("textgate-messages", jobs);
    await expect.poll(() => other.submitted.length).toBe(ids.length);
    expect(one.submitted.length).toBeLessThanOrEqual(5);
    hung.resolve({ kind: "unknown", reason: "timeout", failing: "carrier" });
    await running;
    expect(new Set(other.submitted).size).toBe(ids.length);
  });

  it("leaves another its text, where one connection is left for both", async () => {
    const [slow, quick] = [await websiteOf("sandbox"), await websiteOf("kannel")];
    const ids = await Promise.all([slow, quick].map((client) => world.send(client, { phone: PHONES[0] ?? "" })));
    world.deps = { ...world.deps, outbound: 1 };
    await world.invoke("queue", () => deliverMessages(world.deps, ids, beginRun(world.deps, "messages")));
    expect([...one.submitted, ...other.submitted].toSorted()).toEqual(ids.toSorted());
    expect(await statuses()).toEqual(["SENDING"]);
  });

  const failFor = async (client: TestClient) => {
    one.answer = away;
    await Promise.all(PHONES.slice(0, 5).map((phone) => world.send(client, { phone })));
    await world.runQueues();
    expect(await world.rows("SELECT carrier FROM carrier_pauses")).toEqual([{ carrier: "sandbox" }]);
  };

  it("leaves another its claimed text, though the database cannot put off those that wait", async () => {
    const [failing, quick] = [await websiteOf("sandbox"), await websiteOf("kannel")];
    await failFor(failing);
    const ids = await Promise.all([failing, quick].map((client) => world.send(client, { phone: PHONES[6] ?? "" })));
    world.jobs.length = 0;
    const restore = beforeRunning(world, "SET due_at = min(", async () => {
      throw new Error("D1_ERROR: Network connection lost.");
    });
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: ids }]).catch(() => {});
    restore();
    expect(other.submitted).toEqual([ids[1]]);
    expect(await world.statusOf(ids[1] as string)).toBe("SENDING");
  });

  it("leaves another the texts of a website that an operator gives to it while a run claims them", async () => {
    const client = await websiteOf("sandbox");
    await failFor(client);
    const ids = await Promise.all(PHONES.slice(6).map((phone) => world.send(client, { phone })));
    world.jobs.length = 0;
    one.submitted.length = 0;
    const restore = beforeRunning(world, "SET claimed_at", () => world.rows("UPDATE websites SET carrier = 'kannel'"));
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: ids }]);
    restore();
    const claimed = await world.rows("SELECT message_id FROM messages WHERE claimed_at IS NOT NULL");
    expect(other.submitted.length).toBeGreaterThan(0);
    expect(other.submitted.toSorted()).toEqual(claimed.map(({ message_id }) => message_id).toSorted());
    await world.runQueues();
    expect(one.submitted).toEqual([]);
    expect(other.submitted.toSorted()).toEqual(ids.toSorted());
  });

  it("by hanging is waited for until its timeout only, and then its circuit breaker opens", async () => {
    const client = await websiteOf("sandbox");
    const hung = Promise.withResolvers<Submission>();
    one.answer = () => hung.promise;
    const ids = await sendAll(client);
    const wait = vi.spyOn(scheduler, "wait").mockResolvedValue();
    const deliver = () => deliverMessages(world.deps, ids, beginRun(world.deps, "messages"));
    await world.invoke("queue", deliver);
    await world.invoke("queue", deliver);
    wait.mockRestore();
    expect(one.submitted.length).toBe(5);
    one.answer = accepted;
    hung.resolve({ kind: "unknown", reason: "timeout", failing: "carrier" });
    await world.afterAnswer();
    await world.pass(3);
    expect(one.submitted.toSorted()).toEqual(ids.toSorted());
    const [{ count } = { count: 0 }] = await world.rows(
      "SELECT count(*) AS count FROM messages WHERE status = 'SENDING' AND reason LIKE 'outcome unknown%' AND attempts = 1",
    );
    expect(count).toBe(5);
  });

  it("opens its circuit breaker by submissions that end in the background, too", async () => {
    const client = await websiteOf("sandbox");
    const hung = Promise.withResolvers<Submission>();
    one.answer = () => hung.promise;
    const ids = await sendAll(client);
    const wait = vi.spyOn(scheduler, "wait").mockResolvedValue();
    await world.invoke("queue", () => deliverMessages(world.deps, ids, beginRun(world.deps, "messages")));
    wait.mockRestore();
    const counted = () => outcomesOf(world, "submission");
    expect(await counted()).toEqual([]);
    hung.resolve({ kind: "unknown", reason: "timeout", failing: "carrier" });
    await world.afterAnswer();
    expect(await counted()).toEqual([{ carrier: "sandbox", outcome: "unknown", count: 5 }]);
  });

  it("whose refusal concerns one message keeps its circuit breaker closed", async () => {
    const client = await websiteOf("sandbox");
    one.answer = () => ({ kind: "later", reason: "this number is busy", retryAfterSeconds: 60 });
    await sendAll(client);
    await world.runQueues();
    expect(one.submitted.length).toBe(PHONES.length);
  });
});

describe("messages that an operator holds, of a carrier that keeps failing", () => {
  const fail = async () => {
    const client = await websiteOf("sandbox");
    await world.website("held", { carrier: "sandbox" });
    await world.subscribers("held", PHONES);
    const held = await world.client("held");
    one.answer = away;
    await world.send(client, { phone: PHONES[0] });
    await world.runQueues();
    await world.pass(3);
    // The pause is long by now.
    await world.rows("UPDATE carrier_pauses SET open_until = ?1", world.now + 600_000);
    return { held };
  };

  it("do not wait for the carrier: their reason is the hold, whenever they come", async () => {
    const { held } = await fail();
    await world.operator("POST", "/websites/held/hold", {});
    const id = await world.send(held, { phone: PHONES[1] });
    await world.runQueues();
    expect(await world.rows("SELECT reason, status FROM messages WHERE message_id = ?1", id)).toEqual([
      { reason: null, status: "PENDING_TO_SEND" },
    ]);
  });

  it("are not the one that tries the carrier each minute, however few attempts they have had", async () => {
    const { held } = await fail();
    const ids = await Promise.all(PHONES.slice(0, 20).map((phone) => world.send(held, { phone })));
    await world.runQueues();
    await world.operator("POST", "/websites/held/hold", {});
    one.submitted.length = 0;
    one.answer = accepted;
    await world.sweep();
    await world.runQueues();
    expect(one.submitted).toHaveLength(1);
    expect(ids).not.toContain(one.submitted[0]);
  });
});

describe("a carrier that does not take our credentials", () => {
  const unauthorized: Answer = () => ({ kind: "later", reason: "HTTP 401", failing: "carrier", unauthorized: true });
  const problems = async () =>
    ((await (await world.operator("GET", "/health")).json()) as { problems: string[] }).problems;

  it("loses no waiting message: each is sent once when the credentials are fixed", async () => {
    const client = await websiteOf("sandbox");
    one.answer = unauthorized;
    const ids = await sendAll(client, PHONES.slice(0, 12));
    await world.pass(5);
    expect(await statuses()).toEqual(["PENDING_TO_SEND"]);
    expect(await problems()).toContain("carrier-credentials");
    one.answer = accepted;
    one.submitted.length = 0;
    await world.pass(5);
    expect(one.submitted.toSorted()).toEqual(ids.toSorted());
    expect(await problems()).not.toContain("carrier-credentials");
  });

  it("ends waiting messages when their time is over, however short it is", async () => {
    const client = await websiteOf("sandbox");
    world.deps = { ...world.deps, config: { ...world.deps.config, submitWithinMilliseconds: 36_000 } };
    one.answer = unauthorized;
    await sendAll(client);
    await world.runQueues();
    world.advance(37);
    await world.runQueues();
    await world.sweep();
    expect(await statuses()).toEqual(["FAILED_TO_SEND"]);
  });

  it("counts as such until a refusal of a message shows that the credentials work", async () => {
    const client = await websiteOf("sandbox");
    one.answer = unauthorized;
    await world.send(client, { phone: PHONES[0] });
    await world.runQueues();
    expect(await problems()).toContain("carrier-credentials");
    world.advance(60);
    one.answer = () => ({ kind: "refused", reason: "no such number" });
    await world.runQueues();
    expect(await problems()).not.toContain("carrier-credentials");
  });
});

it("a message is tried forty times at most", async () => {
  const client = await websiteOf("sandbox");
  one.answer = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 1 });
  const messageId = await world.send(client, { phone: PHONES[0] });
  for (let second = 0; second < 60; second++) {
    await world.runQueues();
    world.advance(1);
  }
  expect(one.submitted.length).toBe(40);
  const [row] = await world.rows("SELECT status, reason FROM messages WHERE message_id = ?1", messageId);
  expect(row).toEqual({ status: "FAILED_TO_SEND", reason: "not taken in 40 attempts: busy" });
});

it("a message that is out of attempts while its carrier fails is kept until the carrier works, and goes", async () => {
  const client = await websiteOf("sandbox");
  const messageId = await world.send(client, { phone: PHONES[0] });
  await world.rows("UPDATE messages SET attempts = 39");
  one.answer = away;
  await world.pass(10);
  expect(one.submitted.length).toBeGreaterThan(1);
  expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
  one.answer = accepted;
  await world.pass(10);
  expect(await world.statusOf(messageId)).toBe("SENDING");
});

describe("a message that was claimed when the circuit breaker opened, and not submitted", () => {
  it("waits until the breaker lets submissions through again, as those do that nobody had claimed", async () => {
    const client = await websiteOf("sandbox");
    one.answer = away;
    const ids = await sendAll(client);
    await world.runQueues();
    const untried = ids.filter((id) => !one.submitted.includes(id));
    expect(untried.length).toBeGreaterThanOrEqual(PHONES.length - 7);
    const waits = await Promise.all(
      untried.map(async (id) => {
        const message = await (await world.operator("GET", `/messages/${id}`)).json<{ waits: { until: string } }>();
        return Date.parse(message.waits.until) - world.now;
      }),
    );
    // Half of 5 seconds, and half of the other half: the random number of the tests.
    expect(new Set(waits)).toEqual(new Set([4000]));
    one.answer = accepted;
    world.advance(3);
    await world.runQueues();
    expect(untried.filter((id) => one.submitted.includes(id))).toEqual([]);
  });
});
