/** What is seen of a website while it moves, in short: paused-website.long.test.ts has every call, in each state of the move. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rowsOf } from "../../databases.ts";
import { SEND } from "../../world.ts";
import {
  ADA,
  begin,
  brand,
  eventsOf,
  finish,
  isSubscribed,
  near,
  PERSON,
  pauseIn,
  runQueues,
  text,
  world,
} from "./paused-world.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

it("while a website moves, its clients and its operator are told to come back, and those of others notice nothing", async () => {
  await pauseIn("paused");
  const refused = await world.post("/text/message/send", brand, { ...SEND, phone: ADA });
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 50302 }]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(30);
  expect((await world.post("/text/message/send", near, { ...SEND, phone: ADA })).status).toBe(200);
  expect((await world.operator("GET", "/websites/brand")).status).toBe(200);
  const change = await world.operator("PUT", "/websites/brand", { name: "Brand" });
  expect([change.status, change.headers.has("retry-after")]).toEqual([503, true]);
});

describe("what comes for a website while it moves", () => {
  it("callbacks wait in their queue, which has no retries, and are posted once", async () => {
    const messageId = await world.send(brand, { phone: ADA });
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    expect(world.callbacks.length).toBeGreaterThan(0);
    await pauseIn();
    await runQueues();
    expect(eventsOf(messageId)).toEqual([]);
    await finish();
    await runQueues();
    expect(eventsOf(messageId)).toEqual([`${messageId}_DELIVERED`, `${messageId}_SENDING`]);
  });

  it("a STOP takes effect where an abort leaves it", async () => {
    await pauseIn();
    await text("STOP", ADA, "stop-1");
    expect((await world.operator("POST", "/websites/brand/move/abort")).status).toBe(200);
    expect(await isSubscribed(brand, ADA)).toBe(false);
    expect(await rowsOf("DB", "SELECT * FROM waiting_texts")).toEqual([]);
  });

  it("its links lead on, and each click counts once", async () => {
    const messageId = await world.send(brand, { phone: ADA, clickUrl: "https://shop.example.com/" });
    const link = String((await rowsOf("DB", "SELECT code FROM links"))[0]?.code);
    await pauseIn("paused");
    const answer = await world.fetch(`/l/${link}`, { redirect: "manual", headers: PERSON });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://shop.example.com/"]);
    expect(await rowsOf("DB", "SELECT * FROM clicks")).toEqual([]);
    expect((await world.operator("POST", "/websites/brand/move/abort")).status).toBe(200);
    await runQueues();
    const counted = `SELECT sum(count) AS clicks FROM clicks WHERE message_id = '${messageId}'`;
    expect(await rowsOf("DB", counted)).toEqual([{ clicks: 1 }]);
  });
});
