/** What a sweep costs, and what it keeps up with. */

import { describe, expect, it } from "vitest";
import measurements from "../docs/measurements.md?raw";
import { sandbox } from "../src/carriers/sandbox.ts";
import { seed } from "./seed.ts";
import { strictCarrier } from "./strict/bindings.ts";
import { costOfIdle, expectFound, HOURLY, HOURS, MINUTE, ORDINARY, prepare, seedMessages, world } from "./sweeping.ts";

prepare();

const counted = async (table: string, condition = "true") =>
  Number((await world.rows(`SELECT count(*) AS n FROM ${table} WHERE ${condition}`))[0]?.n);

const DAYS_30 = 30 * 24 * 60 * MINUTE;

describe("a sweep with nothing to do", () => {
  it.each(HOURS)(
    "reads the 20 oldest rows of each state for the history of problems, and no other row: %s",
    async (_, minutes, costs) => {
      expect(await costOfIdle(2000, minutes)).toEqual(costs);
    },
  );
});

it("a sweep with nothing to do costs what docs/measurements.md says", () => {
  const rows = `${ORDINARY.rowsRead}, with the hourly jobs ${HOURLY.rowsRead}`;
  expect(measurements).toContain(
    `| ${rows} | ${ORDINARY.rowsWritten}, or ${HOURLY.rowsWritten} | ${ORDINARY.calls} calls, or ${HOURLY.calls} |`,
  );
});

describe("a sweep with little to do", () => {
  it("finds the messages that were cut off, not taken, not reported and lost, and reads few others", async () => {
    expect.hasAssertions();
    await expectFound(4000);
  });
});

describe("the deadline of a message that waits for a far retry", () => {
  it.each([
    ["its own", { kind: "later", reason: "busy", retryAfterSeconds: 8 * 3600 }],
    ["that of its carrier", { kind: "later", reason: "busy", retryAfterSeconds: 8 * 3600, failing: "carrier" }],
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

describe("a purge", () => {
  it("keeps a message with a time of its own that long after it, and takes what is as old as the others", async () => {
    const [old, kept] = [world.now - DAYS_30 - MINUTE, 2500];
    await seedMessages(kept, {
      message_id: "'timed' || i",
      status: "'DELIVERED'",
      accepted_at: `${old}`,
      send_at: `${world.now - DAYS_30 + 1}`,
    });
    await seedMessages(100, { status: "'DELIVERED'", accepted_at: `${old}` });
    await world.sweep();
    expect([await counted("messages"), await counted("messages", "send_at IS NULL")]).toEqual([kept, 0]);
    world.advance(60);
    await world.sweep();
    expect(await counted("messages")).toBe(0);
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
