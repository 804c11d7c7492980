/** The events of a client as its operator sees them: each once, newest first, by type and by what came of the callback. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ClientEventAnswers } from "../../src/operator/answers/client-events.ts";
import { LOOKED_THROUGH } from "../../src/store/callbacks/event-feed.ts";
import { countingDatabase } from "../counting-database.ts";
import { ADA, bindDatabases, makeBrand } from "../databases.ts";
import { seed } from "../seed.ts";
import { type TestClient, World } from "../world.ts";

type Page = ClientEventAnswers["ClientEvents"];

let world: World;
let client: TestClient;
let status = 200;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  status = 200;
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("their words", { status }));
});

afterEach(() => {
  vi.restoreAllMocks();
});

const ask = (query = "", of = client) => world.operator("GET", `/clients/${of.clientId}/events${query}`);
const read = async (query = "", of = client) => (await (await ask(query, of)).json()) as Page;

/** In the order of storage, the first with the lowest number. */
const add = (count: number, columns: Record<string, string> = {}) =>
  seed(world, "events", count, {
    ...{
      client_id: `'${client.clientId}'`,
      message_id: "printf('00000000-0000-4000-8000-%012d', i)",
      event: "'SENDING'",
      occurred_at: "1000 + i",
    },
    ...columns,
  });

it("has what was posted, with its answer, and what was not", async () => {
  const messageId = await world.send(client, { phone: ADA, sendPurpose: "sale" });
  await world.runQueues();
  status = 503;
  world.advance(60);
  const unknown = await world.send(client, { phone: "+12125550177", callbackData: "" });
  await world.runQueues();
  const { events, next, lookedBackTo } = await read();
  expect(events.map((event) => event.eventId)).toEqual([
    `${unknown}_NOT_FOUND`,
    `${messageId}_DELIVERED`,
    `${messageId}_SENDING`,
  ]);
  expect([next, lookedBackTo]).toEqual([null, null]);
  expect(events[0]).toMatchObject({ callback: null, occurredAt: "2026-11-21T12:01:00.000Z" });
  expect(events[1]).toEqual({
    ...{ eventId: `${messageId}_DELIVERED`, eventType: "message.status", occurredAt: "2026-11-21T12:00:00.000Z" },
    ...{ messageId, sendPurpose: "sale", status: "DELIVERED", reason: null, phone: ADA },
    callback: {
      ...{ attemptedAt: "2026-11-21T12:00:00.000Z", outcome: "answered", httpStatus: 200, response: "their words" },
      durationMilliseconds: 0,
    },
  });
});

it("is filtered by what came of the callback, by type and by time", async () => {
  const taken = { outcome: "'answered'", http_status: "204", attempted_at: "1" };
  await add(1, { ...taken, event: "'SENDING'" });
  await add(1, { ...taken, event: "'DELIVERED'", http_status: "199" });
  await add(1, { ...taken, event: "'FAILED_TO_DELIVERY'", http_status: "302" });
  await add(1, { event: "'FAILED_TO_SEND'", outcome: "'timed-out'", attempted_at: "1" });
  await add(1, { event: "'NOT_FOUND'", due_at: "1" });
  await add(1, { event: "'CLICK_1'" });
  await add(1, { event: "'message.received'", body: "'{}'", phone: "12125550100", occurred_at: "5000" });
  const ids = async (query: string) =>
    (await read(query)).events.map(({ eventId }) => eventId.split("_").slice(1).join("_"));
  expect(await ids("?callback=taken")).toEqual(["SENDING"]);
  expect(await ids("?callback=failed")).toEqual(["FAILED_TO_SEND", "FAILED_TO_DELIVERY", "DELIVERED"]);
  expect(await ids("?callback=waiting")).toEqual(["NOT_FOUND"]);
  expect(await ids("?callback=none")).toEqual(["message.received", "CLICK_1"]);
  expect(await ids("?type=message.clicked")).toEqual(["CLICK_1"]);
  expect(await ids("?type=message.received")).toEqual(["message.received"]);
  expect(await ids("?type=message.status")).toEqual([
    "NOT_FOUND",
    "FAILED_TO_SEND",
    "FAILED_TO_DELIVERY",
    "DELIVERED",
    "SENDING",
  ]);
  expect(await ids("?type=message.status&callback=failed")).toEqual([
    "FAILED_TO_SEND",
    "FAILED_TO_DELIVERY",
    "DELIVERED",
  ]);
  expect(await ids(`?until=${new Date(5000).toISOString()}&callback=none`)).toEqual(["CLICK_1"]);
});

it("has each event once, page by page, and reads no more than it answers", async () => {
  await add(250);
  await add(300, { client_id: "'another'", message_id: "printf('00000000-0000-4000-9000-%012d', i)" });
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  const seen: string[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page: Page = await read(next && `?cursor=${next}`);
    seen.push(...page.events.map(({ messageId }) => messageId ?? ""));
    next = page.next;
  }
  expect(seen.map((id) => Number(id.slice(-12)))).toEqual(Array.from({ length: 250 }, (_, index) => 249 - index));
  expect(take().rowsRead).toBeLessThan(3 * 250 + 50);
});

it("looks through so many, and says how far it has looked", async () => {
  await add(LOOKED_THROUGH + 20, { outcome: "iif(i < 5, 'timed-out', NULL)" });
  const first = await read("?callback=failed");
  expect(first).toMatchObject({ events: [], lookedBackTo: new Date(1000 + 20).toISOString() });
  const second = await read(`?callback=failed&cursor=${first.next}`);
  expect(second).toMatchObject({ events: { length: 5 }, next: null, lookedBackTo: null });
});

it("is of the client alone, in its own database", async () => {
  await bindDatabases(world, 2);
  for (const brand of [await makeBrand(world, 1), await makeBrand(world, 2)]) {
    await world.runQueues();
    const { events } = await read("", brand.client);
    expect(new Set(events.map(({ messageId }) => messageId))).toEqual(new Set([brand.messageId]));
  }
});

it("is masked for a viewer, and refused for what it does not understand", async () => {
  await world.send(client, { phone: ADA });
  await world.runQueues();
  const made = await world.operator("POST", "/tokens", { name: "vera", role: "viewer" });
  const { token } = (await made.json()) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  const shown = await (await world.fetch(`/operator/clients/${client.clientId}/events`, { headers })).text();
  expect(shown).not.toContain(ADA.slice(1));
  expect(shown).toContain("personId");
  for (const query of ["?type=sent", "?callback=lost", "?until=soon", "?cursor=x"])
    expect((await ask(query)).status).toBe(400);
  expect((await ask("", { ...client, clientId: "0".repeat(32) })).status).toBe(404);
});
