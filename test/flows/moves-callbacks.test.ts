/** A callback that is due moves with its website, however many events other websites have had meanwhile. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newId } from "../../src/domain/home.ts";
import { takeCallbacks } from "../callback-endpoint.ts";
import { bindDatabases, rowsOf } from "../databases.ts";
import { beginMove, finishMove } from "../moves.ts";
import { seed } from "../seed.ts";
import { platform } from "../strict/platform.ts";
import { World } from "../world.ts";

const ADA = "+12125550100";

let world: World;
let posts: string[];

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  posts = takeCallbacks();
  await world.sweep();
  for (const [websiteId, database] of [
    ["brand", "DB"],
    ["near", "DB"],
  ])
    await world.operator("PUT", `/websites/${websiteId}`, { name: websiteId, carrier: "sandbox", database });
  platform.keyWrites.clear();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const makeClient = (websiteId: string, events?: string[]) =>
  world.client(websiteId, {
    callbackUrl: `https://${websiteId}.example.com/`,
    ...(events ? { events } : {}),
  } as object);

const homeOf = async (websiteId: string) =>
  (await world.rows("SELECT home FROM homes WHERE website_id = ?1", websiteId))[0]?.home as number;

/** 120,000 events of another website in batches that no sweep has looked at, before those that come from now on. */
async function seedEvents(): Promise<void> {
  const { clientId } = await makeClient("near");
  await seed(world, "event_batches", 4000, {
    client_id: `'${clientId}'`,
    stored_at: `${world.now}`,
    event_ids:
      "(WITH RECURSIVE e (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM e WHERE n < 29) SELECT json_group_array('near-' || i || '-' || n || '_DELIVERED') FROM e)",
  });
}

it("and is posted from there, although its job is lost", async () => {
  await seedEvents();
  // To a number that nobody has subscribed: its status is final at once.
  const messageId = await world.send(await makeClient("brand"), { phone: ADA });
  world.callbacks.length = 0;
  await beginMove(world, "brand", "DB_2");
  await finishMove(world, "brand");
  expect(await rowsOf("DB_2", "SELECT message_id, event FROM open_callbacks")).toEqual([
    { message_id: messageId, event: "NOT_FOUND" },
  ]);
  for (let minute = 0; minute < 10; minute++) {
    world.advance(60);
    await world.sweep();
    await world.runQueues();
  }
  expect(posts).toEqual([`${messageId}_NOT_FOUND`]);
});

it("a move waits for a callback of a text that several websites have got", async () => {
  await seedEvents();
  const { clientId } = await makeClient("brand", ["message.received"]);
  const noticeId = `${newId(await homeOf("near"), world.now, crypto.randomUUID())}-${clientId}`;
  await world.rows(
    `INSERT INTO notices (notice_id, client_id, website_id, phone, type, body, occurred_at)
     VALUES (?1, ?2, 'brand', NULL, 'message.received', '{}', ?3)`,
    ...[noticeId, clientId, world.now],
  );
  await world.rows(
    "INSERT INTO events (message_id, event, occurred_at, callback_due, due_at) VALUES (?1, 'message.received', ?2, 2, ?2)",
    ...[noticeId, world.now],
  );
  await world.rows(
    "INSERT INTO event_batches (client_id, stored_at, event_ids) VALUES (?1, ?2, json_array(?3))",
    ...[clientId, world.now, `${noticeId}_message.received`],
  );
  await expect(beginMove(world, "brand", "DB_2")).rejects.toMatchObject({ failure: { kind: "move-refused" } });
  await expect(beginMove(world, "near", "DB_2")).rejects.toMatchObject({ failure: { kind: "move-refused" } });
  await world.rows("UPDATE events SET outcome = 'answered', attempted_at = 1");
  await beginMove(world, "brand", "DB_2");
});
