import { beforeEach, describe, expect, it } from "vitest";
import { LOOKED_THROUGH } from "../../src/store/messages/find-messages.ts";
import { countingDatabase } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const json = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe("a message, as the operator sees it", () => {
  it("has its events in order", async () => {
    const client = await world.brand([ADA]);
    const messageId = await world.send(client, { phone: ADA, callbackData: "" });
    await world.runQueues();
    const { body } = await json(world.operator("GET", `/messages/${messageId.toUpperCase()}`));
    expect(body).toMatchObject({
      messageId,
      websiteId: "brand",
      status: "DELIVERED",
      phone: ADA,
      acceptedAt: "2026-11-21T12:00:00.000Z",
      events: [{ status: "SENDING" }, { status: "DELIVERED" }],
      callbacks: [],
    });
  });

  it("that is unknown is 40401", async () => {
    for (const id of [crypto.randomUUID(), "'%20OR%201=1"]) {
      expect(await json(world.operator("GET", `/messages/${id}`))).toMatchObject({
        status: 404,
        body: { code: 40401 },
      });
    }
  });
});

describe("messages are found", () => {
  const BEA = "+12125550101";
  let ada: TestClient;
  let shop: TestClient;

  beforeEach(async () => {
    ada = await world.brand([`${ADA},ada@example.com`, BEA]);
    shop = await world.brand([ADA], "shop");
  });

  interface Found {
    messages: { messageId: string; phone: string | null; waits: unknown }[];
    next: string | null;
    lookedBackTo: string | null;
  }

  const find = async (query: Record<string, string>) =>
    (await world.operator("GET", `/messages?${new URLSearchParams(query)}`)).json() as Promise<Found>;
  const ids = async (query: Record<string, string>) => (await find(query)).messages.map(({ messageId }) => messageId);
  const sendAt = async (minute: number, client: TestClient, fields: Record<string, unknown>) => {
    world.now = Date.UTC(2026, 10, 21, 14, minute);
    return world.send(client, fields);
  };

  it("by number and time, in one website or in all", async () => {
    const early = await sendAt(1, ada, { phone: ADA });
    const late = await sendAt(5, ada, { phone: ADA });
    await sendAt(5, ada, { phone: BEA });
    const other = await sendAt(6, shop, { phone: ADA });
    expect(await ids({ website: "brand", phone: ADA })).toEqual([late, early]);
    expect(await ids({ phone: ADA })).toEqual([other, late, early]);
    const around = { from: "2026-11-21T14:05:00Z", until: "2026-11-21T14:06:00Z" };
    expect(await ids({ phone: ADA, ...around })).toEqual([late]);
    expect((await ids({ website: "brand", ...around })).length).toBe(2);
    const unescaped = await world.operator("GET", `/messages?phone=${ADA}`);
    expect(((await unescaped.json()) as Found).messages.length).toBe(3);
  });

  it("by status, purpose, client and address", async () => {
    const sent = await sendAt(1, ada, { phone: ADA, sendPurpose: "codes" });
    const second = await world.client("brand");
    const others = await sendAt(2, second, { phone: BEA });
    const unmatched = await sendAt(3, ada, { email: "nobody@example.com", phone: "" });
    const matched = await sendAt(4, ada, { email: "ada@example.com", phone: "" });
    expect(await ids({ website: "brand", status: "FAILED_TO_MATCH" })).toEqual([unmatched]);
    await world.rows("UPDATE messages SET reason_code = 'OPTED_OUT' WHERE message_id IN (?1, ?2)", unmatched, others);
    await world.rows("UPDATE messages SET status = 'NOT_SUBSCRIBED', due_at = NULL WHERE message_id = ?1", others);
    expect(await ids({ website: "brand", reason: "OPTED_OUT" })).toEqual([others]);
    expect(await ids({ website: "brand", purpose: "codes" })).toEqual([sent]);
    expect(await ids({ website: "brand", client: second.clientId })).toEqual([others]);
    for (const client of ["nobody", "0".repeat(32)])
      expect((await world.operator("GET", `/messages?client=${client}`)).status).toBe(404);
    expect(await ids({ website: "brand", email: "Nobody@example.com " })).toEqual([unmatched]);
    expect(await ids({ website: "brand", email: "ada@example.com" })).toEqual([matched, sent]);
    expect(await ids({ website: "brand", status: "DELIVERED" })).toEqual([]);
    expect(await find({ website: "brand", phone: ADA })).toMatchObject({
      messages: [
        { messageId: matched, websiteName: "brand", waits: { until: null, because: "its job" } },
        { messageId: sent },
      ],
      next: null,
    });
  });

  it("by what did not arrive, which is two classes of outcome", async () => {
    const ended = async (status: string, reason: string | null) => {
      const id = await sendAt(1, ada, { phone: ADA });
      const end = "UPDATE messages SET status = ?2, reason_code = ?3, due_at = NULL WHERE message_id = ?1";
      await world.rows(end, id, status, reason);
      return id;
    };
    await ended("DELIVERED", null);
    await ended("FAILED_TO_SEND", "CANCELLED");
    await ended("FAILED_TO_DELIVERY", "NO_RECEIPT");
    const refused = await ended("FAILED_TO_SEND", "CARRIER_REFUSED");
    const lost = await ended("FAILED_TO_DELIVERY", "UNDELIVERED");
    expect(await ids({ outcome: "notTaken" })).toEqual([refused]);
    for (const where of [{}, { website: "brand" }, { phone: ADA }])
      expect((await ids({ ...where, outcome: "notArrived" })).toSorted()).toEqual([refused, lost].toSorted());
    const error = await world.operator("GET", "/messages?outcome=notarrived");
    expect([error.status, await error.json()]).toMatchObject([400, { details: [{ field: "outcome" }] }]);
  });

  it("by a number and an address, if the number has the address", async () => {
    const sent = await sendAt(1, ada, { phone: ADA });
    await sendAt(2, ada, { phone: BEA });
    expect(await ids({ website: "brand", phone: ADA, email: "ada@example.com" })).toEqual([sent]);
    expect(await ids({ phone: ADA, email: "ada@example.com" })).toEqual([sent]);
    for (const phone of [ADA, BEA])
      expect(await ids({ website: "brand", phone, email: "nobody@example.com" })).toEqual([]);
  });

  it("page by page, each once, though all were accepted in one millisecond", async () => {
    await seedMany(250, "'DELIVERED'");
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await find({ website: "brand", ...(cursor ? { cursor } : {}) });
      seen.push(...page.messages.map(({ messageId }) => messageId));
      cursor = page.next ?? "";
    } while (cursor);
    expect(seen.length).toBe(250);
    expect(new Set(seen).size).toBe(250);
  });

  it("among very many by several pages, of which none reads more than 10,000", async () => {
    await seedMany(LOOKED_THROUGH + 50, "iif(i < 3, 'SENDING', 'DELIVERED')");
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const first = await find({ website: "brand", status: "SENDING" });
    expect(first.messages).toEqual([]);
    expect(first.next).not.toBeNull();
    // They are a millisecond apart, or in the same: what was looked through is no older than this.
    const [last] = await world.rows(
      `SELECT accepted_at FROM messages ORDER BY accepted_at DESC, rowid DESC LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}`,
    );
    expect(first.lookedBackTo).toBe(new Date(Number(last?.accepted_at)).toISOString());
    const { calls, rowsRead } = take();
    expect(calls).toBe(3);
    expect(rowsRead).toBeLessThan(LOOKED_THROUGH * 4.1);
    const second = await find({ website: "brand", status: "SENDING", cursor: first.next ?? "" });
    expect(second).toMatchObject({ messages: { length: 3 }, next: null, lookedBackTo: null });
    take();
    expect((await find({ website: "brand" })).messages.length).toBe(100);
    expect(take().rowsRead).toBeLessThan(LOOKED_THROUGH);
  });

  it("by a number without reading what others got", async () => {
    await seedMany(2000, "'DELIVERED'");
    await sendAt(1, shop, { phone: ADA });
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    expect((await find({ phone: ADA })).messages.length).toBe(1);
    expect(take().rowsRead).toBeLessThan(30);
  });

  /** Accepted in the same millisecond, so that only their rows tell their order: those of a low `i` are the oldest. */
  async function seedMany(count: number, status: string): Promise<void> {
    const now = `${world.now}`;
    await seed(world, "messages", count, {
      ...{ message_id: "printf('00000000-0000-4000-8000-%012d', i)", website_id: "'brand'", client_id: "''" },
      ...{ phone: "13105550000 + i", text: "'Hello'", callback_data: "''", send_purpose: "'sale'", status },
      ...{ accepted_at: now, updated_at: now, due_at: now },
    });
  }

  it.each([
    ["an address in all websites", { email: "ada@example.com" }, "website"],
    ["an unknown website", { website: "nobody" }, "website"],
    ["no number", { phone: "ada" }, "phone"],
    ["an unknown status", { website: "brand", status: "LOST" }, "status"],
    ["an unknown reason", { website: "brand", reason: "BAD LUCK" }, "reason"],
    ["no time", { website: "brand", from: "yesterday" }, "from"],
    ["no cursor", { website: "brand", cursor: "1; DROP TABLE messages" }, "cursor"],
  ])("but not %s", async (_, query, field) => {
    const answer = await json(
      world.operator("GET", `/messages?${new URLSearchParams(query as Record<string, string>)}`),
    );
    expect(answer).toMatchObject({ status: 400, body: { code: 40001, details: [{ field }] } });
  });

  it("by the operator alone, and no number is logged", async () => {
    world.logEachRequest();
    expect((await world.fetch("/operator/messages?website=brand")).status).toBe(401);
    const headers = { "x-client-id": ada.clientId, "x-client-secret": ada.clientSecret };
    expect((await world.fetch("/operator/messages?website=brand", { headers })).status).toBe(401);
    await find({ phone: ADA });
    expect(world.logs.join()).not.toContain(ADA.slice(1));
  });
});
