import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { MOVED_NAMES, STAYING_TABLES } from "../../src/platform/store/moved-tables.ts";
import { bindDatabases, boundDatabase, rowsOf, useDatabases } from "../databases.ts";
import { beginMove, fillTables, finishMove, rowsOfWebsite } from "../moves.ts";
import { strictDatabase } from "../strict/database.ts";
import { platform } from "../strict/platform.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BEA = "+12125550101";

let world: World;
let brand: TestClient;
let near: TestClient;
let posts: { eventId: string; messageId: string }[];

const homeOf = async (websiteId: string) =>
  (await world.rows("SELECT home FROM homes WHERE website_id = ?1", websiteId))[0]?.home as number;

async function makeWebsite(websiteId: string, database: string): Promise<TestClient> {
  const sender = `+1646555${String(websiteId.length).padStart(4, "0")}`;
  await world.operator("PUT", `/websites/${websiteId}`, { name: websiteId, carrier: "sandbox", database, sender });
  await world.subscribers(websiteId, [`${ADA},ada@example.com`, `${BEA},bea@example.com`]);
  return world.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/` });
}

const text = (on: World, words: string, from: string, id: string) =>
  on.invoke("fetch", () =>
    receiveInbound(on.deps, "sandbox", {
      ...{ carrierMessageId: id, from, to: ["+16465550005"], text: words, keyword: null, answeredByCarrier: false },
    }),
  );

const receipts = (messageIds: string[]) => ({
  ...{ kind: "receipts", carrier: "sandbox" },
  receipts: messageIds.map((messageId) => ({ messageId, status: "DELIVERED", reason: null, optedOut: false })),
});

const statuses = async (on: World, client: TestClient, messageIds: string[]) =>
  (
    (await (await on.post("/text/message/statuses", client, { messageIds })).json()) as {
      messages: { messageId: string; status: string }[];
    }
  ).messages;

const statesOf = async (on: World, client: TestClient, messageIds: string[]) =>
  Object.fromEntries((await statuses(on, client, messageIds)).map(({ messageId, status }) => [messageId, status]));

const isSubscribed = async (on: World, client: TestClient, phone: string) =>
  (await (await on.post("/text/subscription/status", client, { phone_numbers: [phone] })).json()) as object;

const stateOf = async (websiteId = "brand") =>
  (await (await world.operator("GET", `/websites/${websiteId}/move`)).json()) as Record<string, unknown>;

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  posts = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    posts.push(JSON.parse(String(init?.body)));
    return new Response("thanks");
  });
  await world.sweep();
  brand = await makeWebsite("brand", "DB");
  near = await makeWebsite("near", "DB");
  platform.keyWrites.clear();
});

afterEach(() => {
  vi.restoreAllMocks();
});

it("each table moves, or stays for a reason", async () => {
  const tables = await world.rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'd1%'",
  );
  expect([...MOVED_NAMES, ...Object.keys(STAYING_TABLES)].sort()).toEqual(tables.map(({ name }) => name).sort());
});

describe("a move", () => {
  it("takes the rows of every table along, there and back, and touches no others", async () => {
    const far = await makeWebsite("far", "DB_2");
    const websites = { brand, near, far };
    const homes = new Map<string, number>();
    for (const [websiteId, { clientId }] of Object.entries(websites)) {
      const home = await homeOf(websiteId);
      homes.set(websiteId, home);
      await fillTables(websiteId === "far" ? "DB_2" : "DB", { websiteId, home, clientId }, world.now);
    }
    for (const database of ["DB", "DB_2"]) await rowsOf(database, "UPDATE messages SET watched = NULL");
    const rows = (database: string, websiteId: string) =>
      rowsOfWebsite(database, websiteId, homes.get(websiteId) as number);
    const [before, ofNear, ofFar] = [await rows("DB", "brand"), await rows("DB", "near"), await rows("DB_2", "far")];
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand");
    expect(await stateOf()).toMatchObject({ step: "kept", from: "DB", to: "DB_2", error: null });
    const after = await rows("DB_2", "brand");
    const numbered = ["websites", "clients", "subscriptions", "subscription_changes", "imports", "event_batches"];
    for (const name of MOVED_NAMES.filter((name) => name !== "moved_feeds")) {
      expect(before.get(name)?.length, name).toBeGreaterThan(0);
      expect(after.get(name)?.length, name).toBe(before.get(name)?.length);
      if (!numbered.includes(name)) expect(after.get(name), name).toEqual(before.get(name));
    }
    const ledger = await rowsOf(
      "DB_2",
      "SELECT l.phone FROM subscriptions s JOIN subscription_changes l ON l.change_id = s.change_id WHERE s.website_id = 'brand' AND s.phone > 12125550100",
    );
    expect(ledger.length).toBeGreaterThan(0);
    expect([await rows("DB", "near"), await rows("DB_2", "far")]).toEqual([ofNear, ofFar]);
    expect(await rowsOf("DB_2", "SELECT * FROM moving")).toEqual([]);

    platform.keyWrites.clear();
    expect((await world.operator("POST", "/websites/brand/move-back")).status).toBe(200);
    await finishMove(world, "brand");
    const back = await rows("DB", "brand");
    for (const name of MOVED_NAMES.filter((name) => name !== "moved_feeds")) {
      expect(back.get(name)?.length, name).toBe(before.get(name)?.length);
      if (!numbered.includes(name)) expect(back.get(name), name).toEqual(before.get(name));
    }
    expect([await rows("DB", "near"), await rows("DB_2", "far")]).toEqual([ofNear, ofFar]);

    world.advance(24 * 3600 + 1);
    await world.sweep();
    await finishMove(world, "brand", (step) => step === undefined);
    expect([...(await rows("DB_2", "brand")).values()].flat()).toEqual([]);
    const triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
    expect([await rowsOf("DB", "SELECT * FROM moving"), await rowsOf("DB_2", triggers)]).toEqual([[], []]);
    expect((await world.operator("GET", "/websites/brand/move")).status).toBe(404);
  });

  it("goes on where a row has changed before the row was copied that it refers to", async () => {
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand", (step) => step === "copy");
    await boundDatabase("DB").prepare("UPDATE clients SET used_at = 1 WHERE website_id = 'brand'").run();
    await finishMove(world, "brand");
    expect(await rowsOf("DB", "SELECT step, error FROM moves")).toEqual([{ step: "kept", error: null }]);
    expect(await rowsOf("DB_2", "SELECT used_at FROM clients")).toEqual([{ used_at: 1 }]);
  });

  it("keeps messages no longer than without it, though younger ones stand before them in the target", async () => {
    const DAY = 86_400;
    const old = await world.send(brand, { phone: ADA });
    await world.runQueues();
    world.advance(25 * DAY);
    const far = await makeWebsite("far", "DB_2");
    const young = await world.send(far, { phone: ADA });
    await world.runQueues();
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand");
    const ids = async () =>
      (await rowsOf("DB_2", "SELECT message_id FROM messages ORDER BY rowid")).map((row) => row.message_id);
    expect(await ids()).toEqual([young, old]);
    world.advance(6 * DAY);
    await world.sweep();
    expect(await ids()).toEqual([young]);
  });

  it("stops where a row differs, and the website stays where it is", async () => {
    const messageId = await world.send(brand, { phone: ADA });
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand", (step) => step === "check");
    await boundDatabase("DB_2").prepare("UPDATE subscriptions SET subscribed = 0 WHERE website_id = 'brand'").run();
    await finishMove(world, "brand");
    expect(await stateOf()).toMatchObject({
      step: "failed",
      isFenced: false,
      error: "rows that differ in the target: subscriptions: 2",
    });
    const again = await world.send(brand, { phone: BEA });
    expect(Object.keys(await statesOf(world, brand, [messageId, again]))).toHaveLength(2);
    // Pressed again, it begins anew.
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand");
    expect(await stateOf()).toMatchObject({ step: "kept" });
    expect(Object.keys(await statesOf(world, brand, [messageId, again]))).toHaveLength(2);
  });
});

describe("an isolate with an outdated route", () => {
  let stale: World;
  let messageId: string;
  let link: string;

  beforeEach(async () => {
    messageId = await world.send(brand, { phone: ADA, clickUrl: "https://shop.example.com/" });
    link = String((await rowsOf("DB", "SELECT code FROM links"))[0]?.code);
    stale = await World.another(world);
    useDatabases(stale, (name) => strictDatabase(boundDatabase(name)), ["DB_2"]);
    await statuses(stale, brand, [messageId]);
    await statuses(stale, near, [messageId]);
    await stale.fetch(`/l/${link}`, { redirect: "manual" });
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand");
    world.jobs.length = 0;
    world.callbacks.length = 0;
  });

  it("writes and reads nothing at the old place", async () => {
    const home = await homeOf("brand");
    const before = await rowsOfWebsite("DB", "brand", home);
    const sent = await stale.send(brand, { phone: BEA });
    expect(await rowsOf("DB_2", `SELECT website_id FROM messages WHERE message_id = '${sent}'`)).toHaveLength(1);
    expect((await statesOf(stale, brand, [messageId, sent]))[sent]).toBe("PENDING_TO_SEND");
    await stale.post("/text/unsubscribe", brand, { phone_numbers: [BEA] });
    expect(JSON.stringify(await isSubscribed(stale, brand, BEA))).toContain("false");
    await text(stale, "STOP", ADA, "stop-1");
    expect(
      await rowsOf("DB_2", "SELECT phone FROM subscriptions WHERE website_id = 'brand' AND subscribed = 1"),
    ).toEqual([]);
    expect((await stale.fetch(`/l/${link}`, { redirect: "manual" })).status).toBe(302);
    expect(await rowsOf("DB_2", `SELECT * FROM clicks WHERE message_id = '${messageId}'`)).not.toEqual([]);
    expect((await stale.operator("GET", `/messages/${messageId}`)).status).toBe(200);
    await stale.runQueues();
    expect((await statesOf(stale, brand, [sent]))[sent]).toBe("NOT_SUBSCRIBED");
    expect(await rowsOfWebsite("DB", "brand", home)).toEqual(before);
  });

  it("has the jobs of others done with those of the website, and each once", async () => {
    const other = await stale.send(near, { phone: ADA });
    const sent = await world.send(brand, { phone: BEA });
    world.jobs.length = 0;
    const both = { kind: "deliver", messageIds: [other, sent, messageId] };
    expect(await stale.deliver("textgate-messages", [both])).toEqual({ acknowledged: 1, retried: 0 });
    expect(await stale.deliver("textgate-receipts", [receipts([other, sent, messageId])])).toEqual({
      ...{ acknowledged: 1, retried: 0 },
    });
    expect(Object.values(await statesOf(stale, brand, [sent, messageId]))).toEqual(["DELIVERED", "DELIVERED"]);
    expect(Object.values(await statesOf(stale, near, [other]))).toEqual(["DELIVERED"]);
    await stale.runQueues();
    for (const id of [other, sent, messageId])
      expect(
        posts
          .filter((post) => post.messageId === id)
          .map(({ eventId }) => eventId)
          .sort(),
      ).toEqual([`${id}_DELIVERED`, `${id}_SENDING`]);
  });

  it("is led on by a cursor of before", async () => {
    const page = async (after: string) =>
      (await (
        await stale.fetch(`/text/events?after=${after}`, {
          headers: { "x-client-id": brand.clientId, "x-client-secret": brand.clientSecret },
        })
      ).json()) as { events: { eventId: string }[]; next: string };
    await stale.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    const first = await page("");
    expect(first.events.map(({ eventId }) => eventId)).toEqual([`${messageId}_SENDING`, `${messageId}_DELIVERED`]);
    platform.keyWrites.clear();
    expect((await world.operator("POST", "/websites/brand/move-back")).status).toBe(200);
    await finishMove(world, "brand");
    expect((await page(first.next)).events).toEqual([]);
    const later = await stale.send(brand, { phone: BEA });
    await stale.deliver("textgate-messages", [{ kind: "deliver", messageIds: [later] }]);
    expect((await page(first.next)).events.map(({ eventId }) => eventId)).toEqual([
      `${later}_SENDING`,
      `${later}_DELIVERED`,
    ]);
    expect((await page("")).events).toHaveLength(4);
  });
});

describe("behind the fence", () => {
  let messageId: string;

  beforeEach(async () => {
    messageId = await world.send(brand, { phone: BEA });
    await beginMove(world, "brand", "DB_2");
    await finishMove(world, "brand", (step) => step === "fence");
    await boundDatabase("DB").prepare("UPDATE moving SET state = 1, turn = turn + 1").run();
  });

  it("a STOP is not acknowledged, and takes effect once it comes again", async () => {
    const sent = await world.send(near, { phone: ADA });
    await expect(text(world, "STOP", ADA, "stop-1")).rejects.toThrow("store-unavailable");
    const refused = await world.post("/text/message/send", brand, {
      ...{ text: "Hello", callbackData: "{}" },
      sendPurpose: "a",
      phone: ADA,
    });
    expect([refused.status, refused.headers.has("retry-after")]).toEqual([503, true]);
    expect(JSON.stringify(await isSubscribed(world, brand, ADA))).toContain("true");
    expect(Object.values(await statesOf(world, near, [sent]))).toEqual(["PENDING_TO_SEND"]);
    await finishMove(world, "brand");
    await text(world, "STOP", ADA, "stop-1");
    const later = await world.send(brand, { phone: ADA });
    await world.runQueues();
    expect(Object.values(await statesOf(world, brand, [later]))).toEqual(["NOT_SUBSCRIBED"]);
  });

  it("the messages of others in a job are delivered, and those of the website once it is there", async () => {
    const other = await world.send(near, { phone: ADA });
    world.jobs.splice(0, world.jobs.length, ...world.jobs.filter(({ body }) => body.kind === "move"));
    const both = { kind: "deliver", messageIds: [other, messageId] };
    expect(await world.deliver("textgate-messages", [both])).toEqual({ acknowledged: 1, retried: 0 });
    expect(Object.values(await statesOf(world, near, [other]))).toEqual(["DELIVERED"]);
    expect(Object.values(await statesOf(world, brand, [messageId]))).toEqual(["PENDING_TO_SEND"]);
    await finishMove(world, "brand");
    world.advance(20);
    await world.runQueues();
    expect(Object.values(await statesOf(world, brand, [messageId]))).toEqual(["DELIVERED"]);
    expect(posts.map(({ eventId }) => eventId).sort()).toEqual(
      [other, messageId].flatMap((id) => [`${id}_DELIVERED`, `${id}_SENDING`]).sort(),
    );
  });

  it("the sweep works for the others, and leaves the website alone", async () => {
    const sent = await world.send(near, { phone: ADA });
    world.jobs.length = 0;
    world.advance(120);
    await world.sweep();
    const failed = world.logs.filter((line) => line.includes("sweep.failed"));
    expect(failed).toEqual([]);
    world.advance(400);
    await world.runQueues();
    expect(Object.values(await statesOf(world, near, [sent]))).toEqual(["DELIVERED"]);
  });
});
