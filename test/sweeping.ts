/** Rows of which a sweep is to read few. */
import { beforeEach, expect } from "vitest";
import { countLedgers } from "../src/flows/operations/count-ledgers.ts";
import { countingDatabase } from "./counting-database.ts";
import { seed } from "./seed.ts";
import { World } from "./world.ts";

export const ORDINARY = { calls: 18, rowsRead: 199, rowsWritten: 2 };
/** It deletes the counts of a minute that is over, of a website and of all. */
export const HOURLY = { calls: 21, rowsRead: 231, rowsWritten: 4 };

const WEBSITES = 5000;
export const MINUTE = 60_000;

export let world: World;

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
export async function seedMessages(count: number, columns: Record<string, string> = {}): Promise<void> {
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

/** What a sweep costs beside pending messages, with which it has nothing to do. */
export async function costOfIdle(pending: number, minutes: number, websites = pending / 20): Promise<object> {
  await seedWebsites(websites);
  await seed(world, "inbound_texts", pending / 5, {
    website_id: `'w' || (i % ${websites})`,
    carrier: "'sandbox'",
    carrier_message_id: "i",
    sender: "'+12125550100'",
    recipient: "'+12125550000'",
    text: "'hello'",
    received_at: `${world.now}`,
    applied: "1",
  });
  const scheduled = { due_at: "NULL", send_at: `${world.now} + 7 * 86400000 + i` };
  await seedMessages(pending / 5, { message_id: "'scheduled-' || i", website_id: "'w1'", ...scheduled });
  await settle();
  world.advance(11 * 60);
  await settle();
  world.advance(minutes * 60);
  await seedMessages(pending, { website_id: `'w' || (i % ${websites})`, client_id: `'c' || (i % ${websites})` });
  if (minutes > 1000) await settle();
  await countLedgers(world.deps, world.now);
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  await world.sweep();
  const { calls, rowsRead, rowsWritten } = take();
  expect(failedJobs()).toEqual([]);
  return { calls, rowsRead, rowsWritten };
}

export const HOURS = [
  ["within an hour", 1, ORDINARY],
  ["at a new hour", 60, HOURLY],
  ["on a new day", 24 * 60, ORDINARY],
] as const;

/** A few messages need the sweep, among many that do not. */
export async function expectFound(pending: number): Promise<void> {
  await world.brand();
  await seedMessages(pending);
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
}

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
  });
}
