/** What goes on where a website has moved: a cursor of its feed, and isolates that have not heard of it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { quietAfterMilliseconds } from "../../../src/domain/databases/move.ts";
import { boundDatabase, rowsOf, useDatabases } from "../../databases.ts";
import { beginMove, rowsOfWebsite, stateOf, workOnPiece } from "../../moves.ts";
import { strictDatabase } from "../../strict/database.ts";
import { SEND, World } from "../../world.ts";
import {
  ADA,
  BEA,
  begin,
  brand,
  deliverText,
  feedAfter,
  finish,
  idsOf,
  runQueues,
  statusIn,
  world,
} from "./paused-world.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a cursor of the feed", () => {
  it("misses no event where the last that it has passed are erased before the move", async () => {
    const kept = await deliverText();
    for (let message = 0; message < 3; message++) {
      await world.send(brand, { phone: BEA });
      await runQueues();
    }
    const { next } = await feedAfter("");
    await world.operator("DELETE", `/websites/brand/people/${BEA}`);
    await beginMove(world, "brand", "DB_2");
    await finish();
    const later = await deliverText();
    expect(idsOf(await feedAfter(next))).toEqual(later);
    expect(idsOf(await feedAfter(""))).toEqual([...kept, ...later]);
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
