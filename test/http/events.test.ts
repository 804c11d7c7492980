/** GET /text/events: every event of a client once, in the order of storage, whatever is written meanwhile. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { applyReceipts } from "../../src/flows/messages/apply-receipts.ts";
import { storeGroup } from "../../src/flows/messages/store-sends.ts";
import { countingDatabase } from "../counting-database.ts";
import { expectDocumentedEvent } from "../docs/conformance.ts";
import { heldDatabase } from "../failing-database.ts";
import { dumpStores } from "../stores.ts";
import { World } from "../world.ts";
import {
  ADA,
  ask,
  begin,
  client,
  delivered,
  expectEachOnce,
  idsOf,
  posted,
  read,
  readAll,
  UNKNOWN,
  world,
} from "./events-stage.ts";

const PERSON =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1";

const DAY = 24 * 3600;

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the events of a client", () => {
  it("are the callbacks as they were posted, with what came of them", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const waiting = await read();
    expect(waiting.events).toEqual([]);
    await world.runQueues();
    const { events, more } = await read();
    expect(idsOf({ events })).toEqual([`${messageId}_SENDING`, `${messageId}_DELIVERED`]);
    expect(more).toBe(false);
    for (const { callback, ...event } of events) {
      expect(event).toEqual(posted.get(event.eventId));
      expectDocumentedEvent(event);
      expect(callback).toEqual({ attemptedAt: event.occurredAt, outcome: "answered", httpStatus: 202 });
    }
  });

  it("are there before they are posted, and where they never are", async () => {
    await world.send(client, { phone: UNKNOWN });
    await world.send(client, { phone: UNKNOWN, callbackData: "" });
    const { events } = await read();
    expect(events.map(({ callback }) => callback)).toEqual([
      { attemptedAt: null, outcome: null, httpStatus: null },
      null,
    ]);
    const silent = await world.client("brand");
    await world.send(silent, { email: "nobody@example.com" });
    expect((await read("", 1, silent)).events).toMatchObject([
      { status: "FAILED_TO_MATCH", phone: null, callback: null },
    ]);
  });

  it("have its clicks among them", async () => {
    const clickUrl = "https://example.com/sale";
    const messageId = await world.send(client, { phone: ADA, clickUrl });
    const [link] = await world.rows("SELECT code FROM links");
    await world.fetch(`/l/${link?.code}`, { headers: { "user-agent": PERSON } });
    const { events } = await read();
    expect(events).toMatchObject([{ eventType: "message.clicked", messageId, clickUrl, status: "PENDING_TO_SEND" }]);
  });

  it("are those of this client alone, also in its website", async () => {
    const sibling = await world.client("brand");
    const stranger = await world.brand([ADA], "other");
    const sent = await world.send(client, { phone: UNKNOWN });
    await world.send(sibling, { phone: UNKNOWN });
    await world.send(stranger, { phone: UNKNOWN });
    expect(idsOf(await read())).toEqual([`${sent}_NOT_FOUND`]);
    const { next } = await read("", 1, sibling);
    expect((await ask(`?after=${next}`)).status).toBe(400);
  });

  it("vanish with their messages, and leave no hole in a page", async () => {
    const ids: string[] = [];
    for (const phone of [UNKNOWN, ADA, UNKNOWN, UNKNOWN]) ids.push(await world.send(client, { phone }));
    await world.runQueues();
    await world.operator("DELETE", `/websites/brand/people/${ADA}`);
    const { events, more } = await read("", 3);
    expect([idsOf({ events }).sort(), more]).toEqual([
      [ids[0], ids[2], ids[3]].map((id) => `${id}_NOT_FOUND`).sort(),
      false,
    ]);
    expect(JSON.stringify(await world.rows("SELECT * FROM events"))).not.toContain("2125550");
  });
});

describe("a cursor", () => {
  it("goes through all of them in pages of any size, each once", async () => {
    for (let sent = 0; sent < 7; sent++) await world.send(client, { phone: sent % 2 ? ADA : UNKNOWN });
    await world.runQueues();
    const all = idsOf(await read());
    expect(all).toHaveLength(4 + 2 * 3);
    for (const limit of [1, 2, 3, 10, 11]) expect(idsOf(await readAll("", limit))).toEqual(all);
  });

  it("stands behind what is stored later, however old its time is, and after everything was purged", async () => {
    await world.send(client, { phone: UNKNOWN });
    const { next } = await readAll();
    world.now -= 3_600_000;
    const late = await world.send(client, { phone: UNKNOWN });
    world.now += 3_600_000;
    const second = await readAll(next);
    expect(idsOf(second)).toEqual([`${late}_NOT_FOUND`]);
    world.advance(32 * DAY);
    await world.sweep();
    expect((await readAll()).events).toEqual([]);
    const fresh = await world.send(client, { phone: UNKNOWN });
    for (const cursor of ["", next, second.next]) expect(idsOf(await readAll(cursor))).toEqual([`${fresh}_NOT_FOUND`]);
  });

  it("of an answer that came while a transaction was held up stands before what it stores", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const other = await World.another(world);
    const held = heldDatabase(other.deps.db, 1);
    other.deps = { ...other.deps, db: held.db };
    const applying = other.invoke("queue", () => applyReceipts(other.deps, [delivered(messageId)]));
    await held.reached;
    const meanwhile = await world.send(client, { phone: UNKNOWN });
    const first = await readAll();
    held.release();
    await applying;
    expect(idsOf(first)).toEqual([`${meanwhile}_NOT_FOUND`]);
    expect(idsOf(await readAll(first.next))).toEqual([`${messageId}_DELIVERED`]);
  });
});

it("a cursor misses nothing and repeats nothing while isolates write at once", () => expectEachOnce(1, 4));

describe("a request for events", () => {
  it.each([
    ["?after=x", ["after"]],
    ["?after=1-0", ["after"]],
    ["?after=1-0000000000000000", ["after"]],
    ["?after=-1-0000000000000000", ["after"]],
    ["?after=1e3-0000000000000000", ["after"]],
    [`?after=${"9".repeat(400)}-0000000000000000`, ["after"]],
    ["?after=1'%20OR%201=1--", ["after"]],
    ["?after=%00%F0%9F%8E%89", ["after"]],
    ["?after=a&after=b", ["after"]],
    ["?limit=0", ["limit"]],
    ["?limit=1001", ["limit"]],
    ["?limit=-1", ["limit"]],
    ["?limit=1.5", ["limit"]],
    ["?limit=1e2", ["limit"]],
    ["?limit=%2B5", ["limit"]],
    ["?limit=5&limit=6", ["limit"]],
    ["?after=x&limit=x", ["after", "limit"]],
  ])("is refused: %s", async (query, fields) => {
    const answer = await ask(query);
    const { code, details } = await answer.json<{ code: number; details: { field: string }[] }>();
    expect([answer.status, code, details.map(({ field }) => field)]).toEqual([400, 40001, fields]);
  });

  it("may name a limit, and a cursor that was changed is refused", async () => {
    await world.send(client, { phone: UNKNOWN });
    const { next } = await read("", 1000);
    expect((await ask("?after=&limit=")).status).toBe(200);
    expect((await ask(`?after=${next}`)).status).toBe(200);
    for (let at = 0; at < next.length; at++) {
      const changed = next.slice(0, at) + (next[at] === "A" ? "B" : "A") + next.slice(at + 1);
      expect((await ask(`?after=${changed}`)).status).toBe(400);
    }
    expect((await ask(`?after=${next}A`)).status).toBe(400);
  });

  it("has a cursor of one form, which tells nothing of the events of other websites", async () => {
    await world.send(client, { phone: UNKNOWN });
    const { next } = await readAll();
    expect((await readAll(next)).next).toBe(next);
    await world.rows("UPDATE sqlite_sequence SET seq = 123456789012 WHERE name = 'events'");
    await world.send(client, { phone: UNKNOWN });
    const later = await readAll(next);
    expect(later.events).toHaveLength(1);
    for (const cursor of [next, later.next]) {
      expect(cursor).toMatch(/^[\w-]{58}$/);
      const bytes = [...Uint8Array.fromBase64(cursor, { alphabet: "base64url" })].map((byte) =>
        String.fromCharCode(byte),
      );
      expect(bytes.join("")).not.toMatch(/\d{4}/);
    }
  });

  it("needs credentials and the grant, and counts against the limit", async () => {
    expect((await world.fetch("/text/events")).status).toBe(401);
    const other = await world.client("brand", { operations: ["send"] });
    expect((await ask("", other)).status).toBe(403);
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    expect((await ask("")).headers.get("ratelimit")).toBe('"website";r=299;t=1');
    vi.useRealTimers();
    expect((await world.post("/text/events", client, {})).status).toBe(405);
  });

  it("changes nothing, and reads what it answers", async () => {
    const absent = { email: null, mediaUrl: null, clickUrl: null, linkCode: null, dedupeHash: null };
    const sends = Array.from({ length: 100 }, (_, index) => ({
      message: {
        ...absent,
        messageId: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
        websiteId: "brand",
        clientId: client.clientId,
        phone: Number(UNKNOWN.slice(1)),
        text: "Hello",
        callbackData: "{}",
        sendPurpose: "sale",
        encoding: "GSM-7" as const,
        segments: 1,
        acceptedAt: world.now,
      },
      key: null,
      duplicatesUntil: null,
      database: "DB",
    }));
    for (let group = 0; group < 10; group++) {
      const own = sends.map(({ message, ...send }) => ({
        ...send,
        message: { ...message, messageId: `${group}${message.messageId.slice(1)}` },
      }));
      await world.invoke("fetch", () => storeGroup(world.deps, own));
    }
    await world.afterAnswer();
    await ask("");
    const before = await dumpStores(world);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const { next } = await read("", 150);
    const page = take();
    const whole = await read("", 1000);
    expect(take()).toEqual({ calls: 1, rowsRead: 2000, rowsWritten: 0 });
    expect(page).toEqual({ calls: 1, rowsRead: 302, rowsWritten: 0 });
    expect((await read(next, 850)).events.at(-1)).toEqual(whole.events.at(-1));
    expect(await dumpStores(world)).toBe(before);
  });
});
