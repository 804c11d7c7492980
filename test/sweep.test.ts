/** What a sweep costs, and what it keeps up with. */
import { beforeEach, describe, expect, it } from "vitest";
import measurements from "../docs/measurements.md?raw";
import { sandbox } from "../src/carriers/sandbox.ts";
import { countingDatabase } from "./counting-database.ts";
import { seed } from "./seed.ts";
import { strictCarrier } from "./strict/bindings.ts";
import { World } from "./world.ts";

const ORDINARY = { calls: 17, rowsRead: 166 };
const HOURLY = { calls: 20, rowsRead: 191 };

const WEBSITES = 5000;
const PENDING = 100_000;
const MINUTE = 60_000;

let world: World;

beforeEach(async () => {
  world = await World.create();
});

async function seedWebsites(count: number): Promise<void> {
  await seed(world, "websites", count, {
    website_id: "'w' || i",
    home: "i + 1",
    database: "'DB'",
    name: "'Website ' || i",
    carrier: "'sandbox'",
    created_at: `${world.now}`,
    updated_at: `${world.now}`,
  });
  await seed(world, "clients", count, {
    client_id: "'c' || i",
    website_id: "'w' || i",
    operations: "'[]'",
    suspended: "0",
    secret_end: "''",
    secret_hash: "''",
    callback_secret: "''",
    created_at: `${world.now - 10 * MINUTE}`,
    changed_at: `${world.now - 10 * MINUTE}`,
    copied_at: `${world.now}`,
  });
}

/** Seeds messages of all websites in turn. @param columns of the seeded row, as SQL: more than those that all need */
async function seedMessages(count: number, columns: Record<string, string> = {}): Promise<void> {
  await seed(world, "messages", count, {
    message_id: "'m' || i",
    website_id: `'w' || (i % ${WEBSITES})`,
    client_id: `'c' || (i % ${WEBSITES})`,
    phone: "12125550000 + i",
    text: "'Hello ' || i",
    callback_data: "''",
    send_purpose: "'sale'",
    status: "'PENDING_TO_SEND'",
    accepted_at: `${world.now}`,
    updated_at: `${world.now}`,
    due_at: `${world.now}`,
    ...columns,
  });
}

const failedJobs = () => world.logs.filter((line) => line.includes('"event":"sweep.failed"'));

/** Sweeps until it finds nothing to do. */
async function settle(): Promise<void> {
  for (let sweeps = 0; sweeps < 30; sweeps++) {
    world.logs.length = 0;
    await world.sweep();
    if (!world.logs.some((line) => line.includes('"event":"sweep.found"'))) return;
  }
  throw new Error("there is always something to do");
}

describe("a sweep with nothing to do", () => {
  it.each([
    ["within an hour", 1, ORDINARY],
    ["at a new hour", 60, HOURLY],
    ["on a new day", 24 * 60, ORDINARY],
  ])(
    "reads the 20 oldest rows of each state for the history of problems, and no other row of what waits: %s",
    async (_, minutes, costs) => {
      await seedWebsites(WEBSITES);
      await seed(world, "inbound_texts", 20_000, {
        website_id: `'w' || (i % ${WEBSITES})`,
        carrier: "'sandbox'",
        carrier_message_id: "i",
        sender: "'+12125550100'",
        recipient: "'+12125550000'",
        text: "'hello'",
        received_at: `${world.now}`,
        applied: "1",
      });
      await seed(world, "scheduled_messages", 20_000, {
        message_id: "'scheduled-' || i",
        ...{ website_id: "'w1'", client_id: "''", phone: "i", send_purpose: "'sale'", request: "'{}'" },
        ...{ requested_at: `${world.now}`, send_at: `${world.now} + 7 * 86400000 + i` },
      });
      await settle();
      world.advance(11 * 60);
      await settle();
      world.advance(minutes * 60);
      await seedMessages(PENDING);
      if (minutes > 1000) await settle();
      const { db, take } = countingDatabase(world.deps.db);
      world.deps = { ...world.deps, db };
      await world.sweep();
      const { calls, rowsRead, rowsWritten } = take();
      expect(failedJobs()).toEqual([]);
      expect({ calls, rowsRead, rowsWritten }).toEqual({ ...costs, rowsWritten: 1 });
    },
  );
});

it("a sweep with nothing to do costs what docs/measurements.md says", () => {
  const rows = `${ORDINARY.rowsRead}, with the hourly jobs ${HOURLY.rowsRead}`;
  expect(measurements).toContain(`| ${rows} | 1 | ${ORDINARY.calls} calls, or ${HOURLY.calls} |`);
});

const counted = async (table: string, condition = "true") =>
  Number((await world.rows(`SELECT count(*) AS n FROM ${table} WHERE ${condition}`))[0]?.n);

describe("a sweep with little to do among much that waits", () => {
  it("finds the messages that were cut off, not taken, not reported and lost, and reads few others", async () => {
    await world.brand();
    await seedMessages(PENDING);
    const areHeardOf = () => world.rows("UPDATE messages SET due_at = ?1 WHERE message_id GLOB 'm[0-9]*'", world.now);
    await settle();
    world.advance(200);
    await areHeardOf();
    // Each message is looked at once.
    await settle();
    const old = { website_id: "'brand'", client_id: "''", phone: "NULL" };
    const at = (seconds: number) => `${world.now - seconds * 1000}`;
    const cutOff = { accepted_at: at(3600), due_at: at(3600), claimed_at: at(1800), claim: "'cut off'" };
    await seedMessages(1, { ...old, message_id: "'cut off'", ...cutOff });
    await seedMessages(1, { ...old, message_id: "'not taken'", accepted_at: at(5 * 3600), due_at: at(90) });
    await seedMessages(1, { ...old, message_id: "'lost'", accepted_at: at(90), due_at: at(90) });
    const sent = { status: "'SENDING'", accepted_at: at(90_000), updated_at: at(90_000) };
    await seedMessages(1, { ...old, message_id: "'not reported'", ...sent });
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    for (let minute = 0; minute < 7; minute++) {
      await world.sweep();
      expect(failedJobs()).toEqual([]);
      expect(take().rowsRead).toBeLessThan(2000);
      world.advance(60);
      await areHeardOf();
    }
    const statuses = await world.rows("SELECT message_id, status FROM messages WHERE website_id = 'brand' ORDER BY 1");
    expect(statuses.map(({ message_id, status }) => `${message_id}: ${status}`)).toEqual([
      "cut off: SENDING",
      "lost: PENDING_TO_SEND",
      "not reported: FAILED_TO_DELIVERY",
      "not taken: FAILED_TO_SEND",
    ]);
    expect(world.jobs.flatMap(({ body }) => (body.kind === "deliver" ? body.messageIds : []))).toContain("lost");
  });
});

describe("the deadline of a message that waits for a far retry", () => {
  it.each([
    ["its own", { kind: "later", reason: "busy", retryAfterSeconds: 8 * 3600 }],
    ["that of its carrier", { kind: "later", reason: "busy", retryAfterSeconds: 8 * 3600, failing: true }],
  ] as const)("is kept to the minute: %s", async (_, answer) => {
    const client = await world.brand(["+12125550100", "+12125550101", "+12125550102", "+12125550103"]);
    world.deps = {
      ...world.deps,
      carriers: { ready: { sandbox: strictCarrier({ ...sandbox, submit: async () => answer }) }, missing: {} },
    };
    for (const last of [0, 1, 2]) await world.send(client, { phone: `+1212555010${last}` });
    await world.runQueues();
    // By then, the circuit breaker of a failing carrier is open.
    await world.send(client, { phone: "+12125550103" });
    await world.runQueues();
    world.advance(4 * 3600 - 1);
    await world.sweep();
    expect(await counted("messages", "status = 'PENDING_TO_SEND'")).toBe(4);
    world.advance(61);
    await world.sweep();
    expect(await counted("messages", "status = 'FAILED_TO_SEND'")).toBe(4);
  });
});

const DAYS_30 = 30 * 24 * 60 * MINUTE;

describe("a purge", () => {
  it("of one sweep takes more than a minute of 300 messages a second, of all websites, and none that is younger", async () => {
    const old = world.now - DAYS_30;
    const final = { status: "'DELIVERED'", accepted_at: `iif(i < 30000, ${old}, ${old + 1})` };
    await seedMessages(31_000, final);
    const events = { event: "'DELIVERED'", occurred_at: "0" };
    await seed(world, "events", 31_000, { message_id: "'m' || i", ...events });
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await world.sweep();
    expect(take().calls).toBeLessThan(60);
    expect([await counted("messages"), await counted("events")]).toEqual([1000, 1000]);
    expect(await counted("messages", `accepted_at <= ${old}`)).toBe(0);
    expect(await world.rows("SELECT sum(messages) AS n FROM daily_counts")).toEqual([{ n: 30_000 }]);
  });

  it("goes past messages that are not final", async () => {
    const { config } = world.deps;
    const longer = { ...config, receiptWithinMilliseconds: 2 * DAYS_30, submitWithinMilliseconds: 2 * DAYS_30 };
    world.deps = { ...world.deps, config: longer };
    const waiting = "iif(i % 2 = 0, 'SENDING', 'PENDING_TO_SEND')";
    const status = `iif(i < 5000, ${waiting}, 'DELIVERED')`;
    await seedMessages(6000, { status, accepted_at: `${world.now - DAYS_30 - MINUTE}`, claimed_at: `${world.now}` });
    await world.sweep();
    expect([await counted("messages"), await counted("messages", "status = 'DELIVERED'")]).toEqual([5000, 0]);
  });

  it("of keys ends with the last that has expired, in steps", async () => {
    const key = { message_id: "i", body_hash: "''", expires_at: `${world.now} - 20000 + i` };
    const names = { client_id: "'c'", operation: "'send'", idempotency_key: "i" };
    await seed(world, "idempotency_keys", 30_000, { ...key, ...names });
    await seed(world, "suppressed_messages", 12_000, { message_id: "i", first_id: "i", expires_at: key.expires_at });
    await world.sweep();
    expect([await counted("idempotency_keys"), await counted("suppressed_messages")]).toEqual([9999, 0]);
  });

  it("of texts and dead jobs comes once an hour, and again when it has failed", async () => {
    await seed(world, "inbound_texts", 12_000, {
      website_id: "'brand'",
      carrier: "'sandbox'",
      carrier_message_id: "i",
      sender: "''",
      recipient: "''",
      text: "''",
      received_at: `${world.now - DAYS_30} + i`,
    });
    await world.sweep();
    expect(await counted("inbound_texts")).toBe(11_999);
    world.advance(59 * 60);
    await world.sweep();
    expect(await counted("inbound_texts")).toBe(11_999);
    await world.rows("UPDATE last_sweep SET failed_jobs = '[\"purge-inbound\"]'");
    await world.sweep();
    expect(await counted("inbound_texts")).toBe(0);
  });

  it("of texts comes once an hour where each sweep begins in one hour and ends in the next", async () => {
    await world.sweep();
    await seed(world, "inbound_texts", 1, {
      ...{
        website_id: "'brand'",
        carrier: "'sandbox'",
        carrier_message_id: "i",
        sender: "''",
        recipient: "''",
        text: "''",
      },
      received_at: `${world.now - DAYS_30}`,
    });
    world.advance(59 * 60 + 59);
    const { deps } = world;
    world.deps = { ...deps, now: () => (world.now += 100) };
    await world.sweep();
    world.deps = deps;
    world.advance(55);
    await world.sweep();
    expect(await counted("inbound_texts")).toBe(0);
  });
});
