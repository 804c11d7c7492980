/** What goes on where a website has moved: cursors of its feed, isolates that have not heard of it, and the sweeps beside it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { quietAfterMilliseconds } from "../../../src/domain/databases/move.ts";
import { boundDatabase, rowsOf, useDatabases } from "../../databases.ts";
import { beginMove, rowsOfWebsite, stateOf, workOnPiece } from "../../moves.ts";
import { strictDatabase } from "../../strict/database.ts";
import { platform } from "../../strict/platform.ts";
import { SEND, World } from "../../world.ts";
import { ADA, BEA, begin, brand, finish, near, pauseIn, runQueues, statusIn, world } from "./paused-world.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a cursor of the feed", () => {
  const page = async (after: string) => {
    const headers = { "x-client-id": brand.clientId, "x-client-secret": brand.clientSecret };
    return (await (await world.fetch(`/text/events?after=${after}`, { headers })).json()) as {
      events: { eventId: string }[];
      next: string;
    };
  };
  const deliver = async () => {
    const messageId = await world.send(brand, { phone: ADA });
    await runQueues();
    return [`${messageId}_SENDING`, `${messageId}_DELIVERED`];
  };
  const ids = ({ events }: { events: { eventId: string }[] }) => events.map(({ eventId }) => eventId);

  it("misses no event where the last that it has passed are erased before the move", async () => {
    const kept = await deliver();
    for (let message = 0; message < 3; message++) {
      await world.send(brand, { phone: BEA });
      await runQueues();
    }
    const { next } = await page("");
    await world.operator("DELETE", `/websites/brand/people/${BEA}`);
    await beginMove(world, "brand", "DB_2");
    await finish();
    const later = await deliver();
    expect(ids(await page(next))).toEqual(later);
    expect(ids(await page(""))).toEqual([...kept, ...later]);
  });

  it("goes on without a missed or repeated event, there and back", async () => {
    const start = await page("");
    const first = await deliver();
    const middle = await page("");
    expect(ids(middle)).toEqual(first);
    const second = await deliver();
    let all = [...first, ...second];
    for (const target of ["DB_2", "DB"]) {
      await beginMove(world, "brand", target);
      await finish();
      expect(ids(await page(""))).toEqual(all);
      expect(ids(await page(start.next))).toEqual(all);
      expect(ids(await page(middle.next))).toEqual(all.slice(first.length));
      all = [...all, ...(await deliver())];
      expect(ids(await page(middle.next))).toEqual(all.slice(first.length));
    }
  });
});

it("moves where the last change of the ledger, which an import has made, is erased", async () => {
  await world.subscribers("brand", ["+12125550109"]);
  await world.operator("DELETE", "/websites/brand/people/+12125550109");
  await beginMove(world, "brand", "DB_2");
  await finish();
  expect(await world.rows("SELECT state, problem FROM moves")).toEqual([{ state: "done", problem: null }]);
});

describe("an isolate that has not heard of it", () => {
  let stale: World;
  let messageId: string;

  beforeEach(async () => {
    messageId = await world.send(brand, { phone: ADA });
    stale = await World.another(world);
    useDatabases(stale, (name) => strictDatabase(boundDatabase(name)), ["DB_2"]);
    expect((await stale.post("/text/message/statuses", brand, { messageIds: [messageId] })).status).toBe(200);
  });

  it("goes by what it knows for ten seconds, and the move copies only after that", async () => {
    await beginMove(world, "brand", "DB_2");
    await workOnPiece(world, "brand");
    stale.now = world.now + 9999;
    const late = await stale.send(brand, { phone: BEA });
    stale.now = world.now + 10_000;
    expect((await stale.post("/text/message/send", brand, { ...SEND, phone: BEA })).status).toBe(503);
    world.advance(quietAfterMilliseconds() / 1000 - 1);
    await workOnPiece(world, "brand");
    expect(await stateOf(world, "brand")).toBe("paused");
    await finish();
    expect(await statusIn("DB_2", late)).toMatchObject({ status: "PENDING_TO_SEND" });
  });

  it("is led on, however long ago it knew the website: it writes and reads nothing at the old place", async () => {
    await beginMove(world, "brand", "DB_2");
    await finish();
    stale.now = world.now + 48 * 3_600_000;
    const before = await rowsOfWebsite("DB", "brand", 1);
    world.jobs.length = 0;
    expect(await stale.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }])).toEqual({
      acknowledged: 1,
      retried: 0,
    });
    stale.advance(30);
    const sent = await stale.send(brand, { phone: BEA });
    expect(await statusIn("DB_2", sent)).toMatchObject({ status: "PENDING_TO_SEND" });
    expect((await stale.operator("GET", `/messages/${sent}`)).status).toBe(200);
    expect(await rowsOfWebsite("DB", "brand", 1)).toEqual(before);
  });

  it("takes the events of a job from where they are", async () => {
    await beginMove(world, "brand", "DB_2");
    await finish();
    stale.now = world.now + 20_000;
    world.jobs.length = 0;
    await stale.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    stale.advance(30);
    await stale.runQueues();
    expect(await statusIn("DB_2", messageId)).toEqual({ status: "DELIVERED", attempts: 1 });
    expect(await rowsOf("DB_2", `SELECT event FROM events WHERE message_id = '${messageId}'`)).toHaveLength(2);
  });
});

it("while a move waits, the sweeps of both databases work for the others, and leave the website alone", async () => {
  const own = await world.send(brand, { phone: ADA });
  const other = await world.send(near, { phone: ADA });
  await pauseIn();
  world.jobs.length = 0;
  for (let minute = 0; minute < 4; minute++) {
    world.advance(60);
    platform.keyWrites.clear();
    await world.sweep();
    await world.runQueues();
  }
  expect(world.logs.filter((line) => line.includes("sweep.failed"))).toEqual([]);
  expect(await world.statusOf(other)).toBe("DELIVERED");
  expect(await statusIn("DB", own)).toEqual({ status: "PENDING_TO_SEND", attempts: 0 });
  await finish();
  world.advance(120);
  await world.sweep();
  await runQueues();
  expect(await statusIn("DB_2", own)).toEqual({ status: "DELIVERED", attempts: 1 });
});

it("what a website has accepted counts towards its daily limit wherever it is", async () => {
  await world.website("brand", { dailyLimit: 2 });
  const send = () => world.post("/text/message/send", brand, { ...SEND, phone: ADA });
  expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
  for (const target of ["DB_2", "DB"]) {
    await beginMove(world, "brand", target);
    await finish();
    const answer = await send();
    expect([answer.status, await answer.json()]).toMatchObject([429, { code: 42901 }]);
  }
  world.advance(86_460);
  expect((await send()).status).toBe(200);
});

it("the tombstone of an erased person goes along, with the date of the last STOP", async () => {
  const lastStopAt = new Date(world.now).toISOString();
  await world.rows("UPDATE subscriptions SET subscribed = 0, opted_out_by_person = 1 WHERE website_id = 'brand'");
  await world.rows(
    `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
      SELECT website_id, phone, 1, 0, ${world.now}, 'keyword', 'STOP' FROM subscriptions WHERE website_id = 'brand'`,
  );
  await world.operator("DELETE", `/websites/brand/people/${ADA}`);
  await beginMove(world, "brand", "DB_2");
  await finish();
  for (const path of [`/people/${ADA}`, `/websites/brand/people/${ADA}`]) {
    const { erased } = await (await world.operator("GET", path)).json<{ erased: unknown }>();
    expect(erased).toEqual([{ websiteId: "brand", lastStopAt }]);
  }
});
