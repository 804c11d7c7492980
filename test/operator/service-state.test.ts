import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, Submission } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import type { Problem, ServiceState } from "../../src/domain/operations/problems.ts";
import { COUNTED_ROWS } from "../../src/store/operations/service-state.ts";
import { outcomesOf } from "../counted.ts";
import { strictCarrier } from "../strict/bindings.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const NONE = { count: 0, oldestSeconds: null };
const MINUTE = 60;

let world: World;
let client: TestClient;
let submit: () => Submission | Promise<Submission>;
let endpoint: () => Response | Promise<Response>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  endpoint = () => new Response("thanks");
  const carrier: Carrier = { ...sandbox, submit: async () => submit() };
  world.deps = { ...world.deps, carriers: { ready: { gateway: strictCarrier(carrier) }, missing: {} } };
  await world.rows("UPDATE websites SET carrier = 'gateway'");
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => endpoint());
  await world.sweep();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const look = async () => (await world.operator("GET", "/health")).json() as Promise<ServiceState>;
const send = () => world.send(client, { phone: ADA });
/** Delivers the messages that are due, and no callback. */
async function submitAll(): Promise<void> {
  const jobs = world.jobs.splice(0).map(({ body }) => body);
  await world.deliver("textgate-messages", jobs);
}

it("of an idle service is empty, and no problem", async () => {
  const state = await look();
  const states = { waiting: NONE, held: NONE, retrying: NONE, claimed: NONE, stuck: NONE, withoutReceipt: NONE };
  expect(state).toEqual({
    requestId: expect.any(String),
    checkedAt: "2026-11-21T12:00:00.000Z",
    database: { status: "ok", milliseconds: 0, cause: null, missing: null },
    failing: [],
    problems: [],
    details: [],
    isCut: false,
    sweep: { endedAt: "2026-11-21T12:00:00.000Z", ageSeconds: 0, failedJobs: [] },
    databases: [
      {
        ...{ database: "DB", status: "ok", bytes: expect.any(Number), limitBytes: 10_000_000_000, bytesPerDay: null },
        ...{ daysLeft: null, sweptAt: "2026-11-21T12:00:00.000Z", sweepAgeSeconds: 0 },
      },
    ],
    queues: [
      { queue: "messages", backlog: 0, oldestSeconds: null },
      { queue: "bulk", backlog: 0, oldestSeconds: null },
      { queue: "callbacks", backlog: 0, oldestSeconds: null },
      { queue: "receipts", backlog: 0, oldestSeconds: null },
    ],
    messages: states,
    retriedSeconds: null,
    carriers: [
      {
        carrier: "gateway",
        isInUse: true,
        isSetUp: true,
        missingSettings: [],
        isUnauthorized: false,
        pause: null,
        senderPauses: [],
        ...states,
        lastFiveMinutes: { accepted: 0, refused: 0, unknown: 0, later: 0, limited: 0, unauthorized: 0 },
        lastHour: { accepted: 0, refused: 0, unknown: 0, later: 0, limited: 0, unauthorized: 0 },
        receipts: {
          lastFiveMinutes: { delivered: 0, undelivered: 0, "no-receipt": 0 },
          lastHour: { delivered: 0, undelivered: 0, "no-receipt": 0 },
        },
      },
    ],
    senders: [],
    callbacks: {
      due: NONE,
      claimed: NONE,
      lastFiveMinutes: { accepted: 0, refused: 0, "timed-out": 0, unreachable: 0, "not-posted": 0 },
      lastHour: { accepted: 0, refused: 0, "timed-out": 0, unreachable: 0, "not-posted": 0 },
      answered: [],
      failingEndpoints: [],
    },
    deadJobs: NONE,
    credentialsBehind: NONE,
    keywordsWithoutEffect: NONE,
    maybeOptOuts: NONE,
    unreadableTexts: [],
  });
});

it("needs the operator's token", async () => {
  expect((await world.fetch("/operator/health")).status).toBe(401);
});

describe("messages", () => {
  it("wait for their job", async () => {
    await send();
    world.advance(10);
    await send();
    world.advance(5 * MINUTE - 10);
    const state = await look();
    expect(state.messages).toMatchObject({ waiting: { count: 2, oldestSeconds: 300 }, retrying: NONE });
    expect(state.queues[0]).toEqual({ queue: "messages", backlog: 2, oldestSeconds: null });
    world.advance(1);
    expect((await look()).problems).toContain("messages-late");
  });

  it("wait for their retry, and once it is due for their job", async () => {
    submit = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 600 });
    await send();
    await submitAll();
    world.advance(9 * MINUTE);
    expect((await look()).messages).toMatchObject({ retrying: { count: 1, oldestSeconds: 540 }, waiting: NONE });
    world.advance(MINUTE + 5);
    expect((await look()).messages).toMatchObject({ retrying: NONE, waiting: { count: 1, oldestSeconds: 5 } });
  });

  it("are being submitted; are stuck when that lasts longer than a run can; and the sweep ends it", async () => {
    submit = () => new Promise(() => {});
    await send();
    void submitAll();
    await expect.poll(async () => (await look()).messages.claimed.count).toBe(1);
    world.advance(15 * MINUTE);
    const before = await look();
    expect(before.messages).toMatchObject({ claimed: { count: 1, oldestSeconds: 900 }, stuck: NONE });
    expect(before.problems).not.toContain("messages-stuck");
    world.advance(MINUTE);
    const after = await look();
    expect(after.messages).toMatchObject({ claimed: NONE, stuck: { count: 1, oldestSeconds: 960 } });
    expect(after.problems).toContain("messages-stuck");
    await world.sweep();
    expect((await look()).messages).toMatchObject({ stuck: { count: 1 } });
    world.advance(330);
    await world.sweep();
    expect((await look()).messages).toMatchObject({ stuck: NONE, withoutReceipt: { count: 1, oldestSeconds: 0 } });
  });

  it("have no receipt", async () => {
    await send();
    await submitAll();
    world.advance(7);
    expect((await look()).messages).toMatchObject({ withoutReceipt: { count: 1, oldestSeconds: 7 }, claimed: NONE });
  });

  it("are counted at the carrier that they go to, or went to", async () => {
    await send();
    await submitAll();
    await send();
    await world.rows("UPDATE websites SET carrier = 'twilio'");
    world.deps.carriers.missing.twilio = ["TWILIO_AUTH_TOKEN"];
    const { carriers, problems } = await look();
    expect(carriers).toMatchObject([
      { carrier: "gateway", isInUse: false, withoutReceipt: { count: 1 }, waiting: NONE, lastHour: { accepted: 1 } },
      { carrier: "twilio", isInUse: true, isSetUp: false, withoutReceipt: NONE, waiting: { count: 1 } },
    ]);
    expect(carriers[1]?.missingSettings).toEqual(["TWILIO_AUTH_TOKEN"]);
    expect(problems).toEqual(["carrier-not-set-up"]);
  });

  it("beyond ten thousand are not counted, which it says", async () => {
    await world.rows(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?1)
       INSERT INTO messages (message_id, website_id, client_id, text, callback_data, send_purpose, status, accepted_at,
         updated_at, due_at) SELECT 'm' || i, 'brand', '', '', '', '', 'PENDING_TO_SEND', ?2 - i, ?2, ?2 - i FROM n`,
      COUNTED_ROWS,
      world.now,
    );
    const state = await look();
    expect(state.isCut).toBe(true);
    expect(state.messages.waiting).toEqual({ count: COUNTED_ROWS, oldestSeconds: 10 });
  });
});

describe("the last hour of a carrier", () => {
  const ANSWERS: Submission[] = [
    { kind: "accepted", carrierMessageId: "c" },
    { kind: "refused", reason: "no" },
    { kind: "unknown", reason: "timeout" },
    { kind: "later", reason: "busy", retryAfterSeconds: 7200 },
  ];

  it("counts how its submissions ended, and forgets them after it", async () => {
    for (const answer of ANSWERS) {
      submit = () => answer;
      await send();
      await send();
      await submitAll();
    }
    const twice = { accepted: 2, refused: 2, unknown: 2, later: 2 };
    const state = await look();
    expect(state.carriers).toMatchObject([{ lastHour: twice }]);
    expect(state.problems).toEqual(["carrier-failing"]);
    world.advance(59 * MINUTE);
    expect((await look()).carriers).toMatchObject([{ lastHour: twice }]);
    world.advance(MINUTE);
    expect((await look()).carriers).toMatchObject([{ lastHour: { accepted: 0, refused: 0 } }]);
    world.advance(5 * MINUTE);
    await world.sweep();
    expect(await outcomesOf(world, "submission")).toEqual([]);
  });

  it("counts nothing twice, and loses a count rather than a message", async () => {
    await send();
    const jobs = world.jobs.splice(0).map(({ body }) => body);
    await world.deliver("textgate-messages", jobs);
    await world.deliver("textgate-messages", jobs);
    expect((await look()).carriers).toMatchObject([{ lastHour: { accepted: 1 } }]);
    await world.rows("DROP TABLE counts");
    const messageId = await send();
    await submitAll();
    expect(await world.statusOf(messageId)).toBe("SENDING");
    expect(world.logs.join()).toContain("outcomes.not-counted");
  });
});

describe("callbacks", () => {
  it("are due, since they happened, whatever the sweep has queued again", async () => {
    await send();
    await submitAll();
    for (let minute = 0; minute < 6; minute++) {
      world.advance(MINUTE);
      await world.sweep();
    }
    const state = await look();
    expect(state.callbacks.due).toEqual({ count: 1, oldestSeconds: 360 });
    expect(state.problems).toContain("callbacks-late");
  });

  it("are being posted; after longer than a run can last, nobody will ever know", async () => {
    let answer = (_: Response) => {};
    endpoint = () => new Promise((resolve) => (answer = resolve));
    await send();
    await submitAll();
    const posting = world.deliver(
      "textgate-callbacks",
      world.callbacks.splice(0).map(({ body }) => body),
    );
    // From elsewhere: here, what is left for after an answer is waited for.
    const elsewhere = await World.another(world);
    const lookFromThere = async () => (await elsewhere.operator("GET", "/health")).json() as Promise<ServiceState>;
    await expect.poll(async () => (await lookFromThere()).callbacks.claimed.count).toBe(1);
    elsewhere.advance(16 * MINUTE);
    expect((await lookFromThere()).problems).not.toContain("callbacks-unknown");
    elsewhere.advance(1);
    expect((await lookFromThere()).problems).toContain("callbacks-unknown");
    elsewhere.advance(24 * 60 * MINUTE);
    expect(await lookFromThere()).toMatchObject({ callbacks: { claimed: NONE } });
    expect((await lookFromThere()).problems).not.toContain("callbacks-unknown");
    answer(new Response("thanks"));
    await posting;
    expect((await look()).callbacks.claimed).toEqual(NONE);
  });

  it("of the last hour are counted by what came back", async () => {
    const answers = [
      () => new Response(null, { status: 204 }),
      () => new Response(null, { status: 302 }),
      () => new Response("", { status: 500 }),
      () => new Response("error code: 526", { status: 526 }),
      () => Promise.reject(new TypeError("connection refused")),
    ];
    for (const answer of answers) {
      endpoint = answer;
      world.advance(1);
      await send();
      await world.runQueues();
    }
    const { callbacks, problems } = await look();
    expect(callbacks.lastHour).toMatchObject({ accepted: 1, refused: 2, unreachable: 2, "timed-out": 0 });
    expect(callbacks.answered).toEqual([
      { status: 302, lastFiveMinutes: 1, lastHour: 1 },
      { status: 500, lastFiveMinutes: 1, lastHour: 1 },
    ]);
    expect(callbacks.failingEndpoints).toMatchObject([
      { failures: 4, cause: "unreachable: TypeError: connection refused" },
    ]);
    expect(problems).toEqual(["callbacks-failing", "endpoint-failing"]);
  });
});

describe("the sweep", () => {
  it("that has never ended, or not for more than five minutes, is late", async () => {
    await world.rows("DELETE FROM last_sweep");
    expect(await look()).toMatchObject({ sweep: { endedAt: null, ageSeconds: null }, problems: ["sweep-late"] });
    await world.sweep();
    world.advance(300);
    expect((await look()).problems).toEqual([]);
    world.advance(1);
    expect(await look()).toMatchObject({ sweep: { ageSeconds: 301 }, problems: ["sweep-late"] });
  });

  it("names its jobs that failed", async () => {
    await world.rows("DROP TABLE bulk_parts");
    await world.sweep();
    expect(await look()).toMatchObject({ sweep: { failedJobs: ["purge-keys"] }, problems: ["sweep-failing"] });
  });
});

it("counts the clients that KV does not know as they are", async () => {
  const { write } = world.deps.credentials;
  world.deps.credentials.write = () => Promise.reject(new Error("KV is down"));
  world.advance(1);
  await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
  world.advance(301);
  const behind: Problem = "credentials-behind";
  expect(await look()).toMatchObject({ credentialsBehind: { count: 1, oldestSeconds: 301 } });
  expect((await look()).problems).toContain(behind);
  world.deps.credentials.write = write;
  await world.sweep();
  expect((await look()).credentialsBehind).toEqual(NONE);
  const change = (suspended: boolean) => world.operator("PATCH", `/clients/${client.clientId}`, { suspended });
  world.advance(1);
  await change(true);
  expect((await look()).credentialsBehind).toEqual(NONE);
  // Two changes in one millisecond have two times: the later one is ahead of the clock.
  world.advance(1);
  world.deps.credentials.write = () => Promise.reject(new Error("KV is down"));
  await change(false);
  world.deps.credentials.write = write;
  await change(true);
  expect((await look()).credentialsBehind).toEqual(NONE);
});

it("says what a queue does not answer with null, and the rest all the same", async () => {
  const messages = { ...world.deps.messages, metrics: () => Promise.reject(new Error("queue is down")) };
  world.deps = { ...world.deps, messages: messages as unknown as typeof world.deps.messages };
  const { queues, problems } = await look();
  expect(queues[0]).toEqual({ queue: "messages", backlog: null, oldestSeconds: null });
  expect(problems).toEqual([]);
});

it("reads no table of messages or events from one end to the other", async () => {
  const { db } = world.deps;
  const asked: string[] = [];
  const prepare = (sql: string) => {
    asked.push(sql);
    return db.prepare(sql);
  };
  const batch = (statements: D1PreparedStatement[]) => db.batch(statements);
  world.deps = { ...world.deps, db: { prepare, batch } as unknown as D1Database };
  await look();
  const plans: string[] = [];
  for (const sql of asked) {
    const parameters = Math.max(0, ...[...sql.matchAll(/\?(\d)/g)].map(([, number]) => Number(number)));
    const plan = await world.rows(`EXPLAIN QUERY PLAN ${sql}`, ...new Array(parameters).fill(0));
    plans.push(...plan.map(({ detail }) => String(detail)));
  }
  expect(plans.filter((plan) => /^SCAN (messages|events|dead_jobs)(?!.* INDEX)/.test(plan))).toEqual([]);
  const indexes = ["messages_pending", "messages_sending", "dead_jobs_waiting"];
  for (const index of [...indexes, "inbound_texts_without_effect", "inbound_texts_maybe_opt_out"])
    expect(plans.join("\n")).toContain(`INDEX ${index}`);
});

describe("metrics", () => {
  /** https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details */
  const LINE =
    /^(# HELP \w+ .+\.|# TYPE \w+ gauge|[a-z_0-9]+(\{[a-z]+="([^"\\\n]|\\[\\n"])*"(,[a-z]+="([^"\\\n]|\\[\\n"])*")*\})? -?\d+(\.\d+)?)$/;
  const read = async () => {
    const answer = await world.operator("GET", "/metrics");
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return answer.text();
  };

  it("are Prometheus' text, each family once, with what the state says", async () => {
    submit = () => ({ kind: "later", reason: "busy", failing: "carrier" });
    for (let text = 0; text < 4; text++) await send();
    await submitAll();
    const text = await read();
    const lines = text.split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
    const families = lines.flatMap((line) => /^# TYPE (\w+)/.exec(line)?.[1] ?? []);
    expect(families.length).toBe(new Set(families).size);
    const samples = lines.filter((line) => !line.startsWith("#")).map((line) => line.replace(/ \S+$/, ""));
    expect(samples.length).toBe(new Set(samples).size);
    expect(lines).toContain('textgate_carrier_paused{carrier="gateway"} 1');
    expect(lines).toContain('textgate_problem{problem="carrier-paused"} 1');
    expect(lines).toContain('textgate_problem{problem="sweep-late"} 0');
    expect(lines).toContain('textgate_submissions_5m{carrier="gateway",outcome="later"} 4');
    expect(lines).toContain('textgate_open_messages{carrier="gateway",state="retrying"} 4');
    expect(text).not.toContain("brand");
  });

  it("need the operator's token", async () => {
    expect((await world.fetch("/operator/metrics")).status).toBe(401);
    const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
    expect((await world.fetch("/operator/metrics", { headers })).status).toBe(401);
  });
});
