/** A problem shows within a minute or two, with what it concerns, and is over within a minute of its repair. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { MOST_ATTEMPTS } from "../../../src/domain/messages/retry-policy.ts";
import type { Problem, ServiceState } from "../../../src/domain/operations/problems.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
/** With its receipt: a carrier that gives none is a problem of its own. */
const ACCEPTED: Submission = {
  ...{ kind: "accepted", carrierMessageId: "c" },
  receipt: { status: "DELIVERED", reason: null, carrierMessageId: "c", optedOut: false },
};
const AWAY: Submission = { kind: "later", reason: "connection refused", failing: true };
const HANGS: Submission = { kind: "unknown", reason: "no answer in 20 s", failing: true };
const REFUSED: Submission = { kind: "refused", reason: "sender not allowed" };
const UNAUTHORIZED: Submission = { kind: "later", reason: "HTTP 401", failing: true, unauthorized: true };

const WAITING = "SELECT count(*) AS count FROM messages WHERE status = 'PENDING_TO_SEND'";

let world: World;
let client: TestClient;
let submit: () => Submission;
let endpoint: (url: string) => Response | Promise<Response>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  submit = () => ACCEPTED;
  endpoint = () => new Response("thanks");
  const carrier: Carrier = { ...sandbox, submit: async () => submit() };
  world.deps = { ...world.deps, carriers: { ready: { gateway: strictCarrier(carrier) }, missing: {} } };
  await world.rows("UPDATE websites SET carrier = 'gateway'");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => endpoint(String(url)));
  await world.sweep();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const look = async () => (await world.operator("GET", "/health")).json() as Promise<ServiceState>;

/** In one request: each is a message of its own all the same. */
async function sendTexts(count: number): Promise<void> {
  const messages = Array.from({ length: count }, () => ({ ...SEND, phone: ADA }));
  const { status } = await world.post("/text/bulk/message/send", client, { messages });
  expect(status).toBe(200);
  await world.runQueues();
}

/** A minute of a busy service: texts in each of its halves, and a sweep. */
async function minute(): Promise<void> {
  for (let half = 0; half < 2; half++) {
    await sendTexts(2);
    world.advance(30);
  }
  await world.sweep();
  await world.runQueues();
}

async function minutes(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) await minute();
}

describe("a carrier that works for an hour and then", () => {
  const CASES: [string, Submission, Problem[], Problem[]][] = [
    ["is down", AWAY, ["carrier-paused"], ["messages-late", "carrier-paused", "carrier-failing"]],
    ["hangs", HANGS, ["carrier-paused"], ["carrier-paused", "carrier-failing"]],
    ["rejects our credentials", UNAUTHORIZED, ["carrier-credentials", "carrier-paused"], ["carrier-credentials"]],
    ["refuses", REFUSED, [], ["carrier-failing"]],
  ];

  it.each(CASES)("%s, is seen, and is not seen a minute after its repair", async (_, fault, soon, later) => {
    for (let passed = 0; passed < 55; passed += 5) {
      await sendTexts(8);
      world.advance(300);
    }
    await world.sweep();
    expect((await look()).problems).toEqual([]);
    submit = () => fault;
    await minute();
    expect((await look()).problems).toEqual(expect.arrayContaining(soon));
    await minutes(5);
    expect((await look()).problems).toEqual(expect.arrayContaining(later));
    submit = () => ACCEPTED;
    await minute();
    await minute();
    expect((await look()).problems).toEqual([]);
  });

  it("is down says so all the time, with cause, beginning and next try", async () => {
    submit = () => AWAY;
    const began = world.now;
    await minute();
    for (let passed = 0; passed < 20; passed++) {
      await minute();
      const { details, retriedSeconds } = await look();
      const [paused] = details.filter(({ problem }) => problem === "carrier-paused");
      expect(paused).toMatchObject({ carrier: "gateway", cause: "connection refused", websiteId: null });
      expect(Date.parse(paused?.since ?? "")).toBeLessThan(began + 60_000);
      if (paused?.nextTryAt) expect(Date.parse(paused.nextTryAt)).toBeGreaterThan(world.now);
      expect(retriedSeconds).toBeGreaterThanOrEqual(passed * 60);
    }
  });

  it("answers again, but slowly, is a problem until it is quick", async () => {
    submit = () => AWAY;
    await minute();
    submit = () => {
      world.advance(6);
      return ACCEPTED;
    };
    world.advance(10);
    await sendTexts(2);
    expect((await look()).problems).toEqual(["carrier-paused"]);
    await world.runQueues();
    expect(await world.rows(WAITING)).toEqual([{ count: 0 }]);
    submit = () => ACCEPTED;
    await sendTexts(1);
    expect((await look()).problems).toEqual([]);
  });

  it("is down for three hours, and takes the one message that waited", async () => {
    let tries = 0;
    submit = () => {
      tries++;
      return AWAY;
    };
    const messageId = await world.send(client, { phone: ADA });
    for (let passed = 0; passed < 180; passed += 4) {
      await world.runQueues();
      world.advance(240);
      await world.sweep();
    }
    expect(tries).toBeGreaterThan(MOST_ATTEMPTS);
    submit = () => ACCEPTED;
    world.advance(60);
    await world.sweep();
    await world.runQueues();
    expect(await world.statusOf(messageId)).toBe("DELIVERED");
  });

  it("answers again: what waited for it is sent within a minute", async () => {
    submit = () => AWAY;
    await minutes(15);
    submit = () => ACCEPTED;
    expect((await world.rows(WAITING))[0]?.count).toBeGreaterThan(50);
    world.advance(60);
    await world.sweep();
    await world.runQueues();
    expect(await world.rows(WAITING)).toEqual([{ count: 0 }]);
    expect(await world.rows("SELECT * FROM carrier_pauses")).toEqual([]);
  });
});

describe("the first success after a failure of all", () => {
  const FAULTS: [string, Submission, Problem[]][] = [
    ["the carrier rejected our credentials", UNAUTHORIZED, ["carrier-credentials", "carrier-paused"]],
    ["the carrier refused", REFUSED, ["carrier-failing"]],
    ["the carrier was down", AWAY, ["carrier-paused", "carrier-failing"]],
  ];

  it.each(FAULTS)("ends the problems at once, in the minute of the failures: %s", async (_, fault, problems) => {
    await sendTexts(2);
    submit = () => fault;
    await sendTexts(5);
    expect((await look()).problems).toEqual(problems);
    submit = () => ACCEPTED;
    expect((await world.operator("POST", "/carriers/gateway/try")).status).toBe(200);
    await sendTexts(1);
    const { problems: left, carriers } = await look();
    expect(left).toEqual([]);
    expect(carriers).toMatchObject([{ carrier: "gateway", isUnauthorized: false }]);
    submit = () => fault;
    await sendTexts(5);
    expect((await look()).problems).toContain(problems[0]);
  });

  it("of an endpoint ends its problems at once, in the minute of the failures", async () => {
    endpoint = () => new Response("no", { status: 500 });
    await sendTexts(3);
    expect((await look()).problems).toEqual(["callbacks-failing", "endpoint-failing"]);
    endpoint = () => new Response("thanks");
    await sendTexts(1);
    expect((await look()).problems).toEqual([]);
  });

  it("does not end a problem with a part of the texts: single ones succeed in between", async () => {
    let texts = 0;
    submit = () => (++texts % 5 === 0 ? ACCEPTED : REFUSED);
    for (let passed = 0; passed < 4; passed++) {
      await sendTexts(10);
      world.advance(60);
      if (passed > 1) expect((await look()).problems).toEqual(["carrier-failing"]);
    }
  });
});

describe("an endpoint that", () => {
  const unreadable = (status: number) =>
    new Response(
      new ReadableStream({ pull: (controller) => controller.error(new TypeError("Decompression failed.")) }),
      { status },
    );

  const FAULTS: [string, string, () => Response | Promise<Response>][] = [
    ["answers 500", "answered 500", () => new Response("no", { status: 500 })],
    ["answers 500 with a body that cannot be read", "answered 500", () => unreadable(500)],
    [
      "cannot be reached",
      "unreachable: TypeError: certificate has expired",
      () => Promise.reject(new TypeError("certificate has expired")),
    ],
  ];

  it.each(FAULTS)("%s is named beside others that work, until it works", async (_, cause, answer) => {
    await world.operator("POST", "/websites/brand/clients", { callbackUrl: "https://other.example.com/" });
    endpoint = answer;
    await minute();
    const { details, problems } = await look();
    expect(problems).toContain("endpoint-failing");
    expect(details.filter(({ problem }) => problem === "endpoint-failing")).toEqual([
      {
        problem: "endpoint-failing",
        ...{ carrier: null, sender: null, websiteId: "brand", clientId: client.clientId, cause },
        ...{ host: "brand.example.com", since: "2026-11-21T12:00:00.000Z", nextTryAt: null, database: null },
      },
    ]);
    endpoint = () => new Response("thanks");
    await minute();
    expect((await look()).problems).toEqual([]);
    expect(await world.rows("SELECT * FROM failing_endpoints")).toEqual([]);
  });

  it("answers 200 with a body that cannot be read is no problem: it has the callback", async () => {
    endpoint = () => unreadable(200);
    await minute();
    expect((await look()).problems).toEqual([]);
    expect(await world.rows("SELECT * FROM failing_endpoints")).toEqual([]);
  });

  const failures = async () => (await world.rows("SELECT failures FROM failing_endpoints"))[0]?.failures;

  it("fails in runs that end in the same millisecond has all of their failures", async () => {
    let posts = 0;
    endpoint = () => {
      posts++;
      return new Response("no", { status: 500 });
    };
    for (let run = 0; run < 3; run++) await sendTexts(1);
    expect(posts).toBeGreaterThan(2);
    expect(await failures()).toBe(posts);
  });

  it("fails is counted once where D1 breaks off after each commit, and the call is repeated", async () => {
    endpoint = () => new Response("no", { status: 500 });
    const messageId = await world.send(client, { phone: "+12125550177" });
    const { db } = world.deps;
    let calls = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await db.batch(statements);
      if (calls++ % 2 === 0) throw new Error("D1_ERROR: Network connection lost.");
      return results;
    };
    const repeated = { batch, prepare: (sql: string) => db.prepare(sql) } as unknown as D1Database;
    world.deps = { ...world.deps, db: repeated };
    await world.deliver("textgate-callbacks", [`${messageId}_NOT_FOUND`]);
    expect(calls).toBe(4);
    expect(await failures()).toBe(1);
  });

  it("fails is no problem any more once the client has another URL", async () => {
    endpoint = () => new Response("no", { status: 500 });
    await minute();
    world.advance(2);
    await world.operator("PATCH", `/clients/${client.clientId}`, { callbackUrl: "https://new.example.com/" });
    expect((await look()).callbacks.failingEndpoints).toEqual([]);
  });
});

it("an hour of ordinary traffic has no problem in any minute", async () => {
  let texts = 0;
  let posts = 0;
  submit = () => (++texts % 9 === 0 ? REFUSED : texts % 7 === 0 ? { ...AWAY, failing: false } : ACCEPTED);
  endpoint = () => new Response("", { status: ++posts % 5 === 0 ? 500 : 200 });
  for (let passed = 0; passed < 60; passed++) {
    await sendTexts(passed % 3 === 0 ? 8 : 4);
    world.advance(60);
    if (passed % 3 === 0) await world.sweep();
    expect([passed, (await look()).problems]).toEqual([passed, []]);
  }
});
