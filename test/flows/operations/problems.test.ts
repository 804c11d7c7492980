/** A problem shows within a minute or two, with what it concerns, and is over within a minute of its repair. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { MOST_ATTEMPTS } from "../../../src/domain/messages/retry-policy.ts";
import type { Problem } from "../../../src/domain/operations/problems.ts";
import type { TestClient, World } from "../../world.ts";
import { ACCEPTED, ADA, AWAY, ProblemsStage, REFUSED } from "./problems-stage.ts";

const UNAUTHORIZED: Submission = { kind: "later", reason: "HTTP 401", failing: "carrier", unauthorized: true };

const WAITING = "SELECT count(*) AS count FROM messages WHERE status = 'PENDING_TO_SEND'";
let at: ProblemsStage;
let world: World;
let client: TestClient;

beforeEach(async () => {
  at = await ProblemsStage.begin();
  ({ world, client } = at);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a carrier that works for an hour and then", () => {
  it("is down says so all the time, with cause, beginning and next try", async () => {
    await at.expectPaused(3);
  });

  it("answers again, but slowly, is a problem until it is quick", async () => {
    at.submit = () => AWAY;
    await at.minute();
    at.submit = () => {
      world.advance(6);
      return ACCEPTED;
    };
    world.advance(10);
    await at.sendTexts(2);
    expect((await at.look()).problems).toEqual(["carrier-paused"]);
    await world.runQueues();
    expect(await world.rows(WAITING)).toEqual([{ count: 0 }]);
    at.submit = () => ACCEPTED;
    await at.sendTexts(1);
    expect((await at.look()).problems).toEqual([]);
  });

  it("is down for longer than any message is tried, and takes the one that waited", async () => {
    let tries = 0;
    at.submit = () => {
      tries++;
      return AWAY;
    };
    const messageId = await world.send(client, { phone: ADA });
    await world.rows("UPDATE messages SET attempts = ?1", MOST_ATTEMPTS - 1);
    for (let passed = 0; passed < 12; passed += 4) {
      await world.runQueues();
      world.advance(240);
      await world.sweep();
    }
    expect(tries).toBeGreaterThan(1);
    at.submit = () => ACCEPTED;
    await world.pass(10);
    expect(await world.statusOf(messageId)).toBe("DELIVERED");
  });

  it("answers again: what waited for it is sent within a minute", async () => {
    at.submit = () => AWAY;
    await at.minutes(2);
    await at.sendTexts(50);
    at.submit = () => ACCEPTED;
    expect((await world.rows(WAITING))[0]?.count).toBeGreaterThan(50);
    await world.pass(1);
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
    await at.sendTexts(2);
    at.submit = () => fault;
    await at.sendTexts(5);
    expect((await at.look()).problems).toEqual(problems);
    at.submit = () => ACCEPTED;
    expect((await world.operator("POST", "/carriers/gateway/try")).status).toBe(200);
    await at.sendTexts(1);
    const { problems: left, carriers } = await at.look();
    expect(left).toEqual([]);
    expect(carriers).toMatchObject([{ carrier: "gateway", isUnauthorized: false }]);
    at.submit = () => fault;
    await at.sendTexts(5);
    expect((await at.look()).problems).toContain(problems[0]);
  });

  it("of an endpoint ends its problems at once, in the minute of the failures", async () => {
    at.endpoint = () => new Response("no", { status: 500 });
    await at.sendTexts(3);
    expect((await at.look()).problems).toEqual(["callbacks-failing", "endpoint-failing"]);
    at.endpoint = () => new Response("thanks");
    await at.sendTexts(1);
    expect((await at.look()).problems).toEqual([]);
  });

  it("does not end a problem with a part of the texts: single ones succeed in between", async () => {
    let texts = 0;
    at.submit = () => (++texts % 5 === 0 ? ACCEPTED : REFUSED);
    for (let passed = 0; passed < 4; passed++) {
      await at.sendTexts(10);
      world.advance(60);
      if (passed > 1) expect((await at.look()).problems).toEqual(["carrier-failing"]);
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
    at.endpoint = answer;
    await at.minute();
    const { details, problems } = await at.look();
    expect(problems).toContain("endpoint-failing");
    expect(details.filter(({ problem }) => problem === "endpoint-failing")).toEqual([
      {
        problem: "endpoint-failing",
        ...{ carrier: null, sender: null, websiteId: "brand", clientId: client.clientId, cause },
        ...{ host: "brand.example.com", since: "2026-11-21T12:00:00.000Z", nextTryAt: null, database: null },
      },
    ]);
    at.endpoint = () => new Response("thanks");
    await at.minute();
    expect((await at.look()).problems).toEqual([]);
    expect(await world.rows("SELECT * FROM failing_endpoints")).toEqual([]);
  });

  it("answers 200 with a body that cannot be read is no problem: it has the callback", async () => {
    at.endpoint = () => unreadable(200);
    await at.minute();
    expect((await at.look()).problems).toEqual([]);
    expect(await world.rows("SELECT * FROM failing_endpoints")).toEqual([]);
  });

  const failures = async () => (await world.rows("SELECT failures FROM failing_endpoints"))[0]?.failures;

  it("fails in runs that end in the same millisecond has all of their failures", async () => {
    let posts = 0;
    at.endpoint = () => {
      posts++;
      return new Response("no", { status: 500 });
    };
    for (let run = 0; run < 3; run++) await at.sendTexts(1);
    expect(posts).toBeGreaterThan(2);
    expect(await failures()).toBe(posts);
  });

  it("fails is counted once where D1 breaks off after each commit, and the call is repeated", async () => {
    at.endpoint = () => new Response("no", { status: 500 });
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
    at.endpoint = () => new Response("no", { status: 500 });
    await at.minute();
    world.advance(2);
    await world.operator("PATCH", `/clients/${client.clientId}`, { callbackUrl: "https://new.example.com/" });
    expect((await at.look()).callbacks.failingEndpoints).toEqual([]);
  });
});

it("ordinary traffic has no problem in any minute", async () => {
  await at.expectOrdinary(5);
});
