import { beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../src/domain/operations/report.ts";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import type { AuditAnswers } from "../../src/operator/views/operators.ts";
import type { PeopleAnswers } from "../../src/operator/views/person.ts";
import { countingDatabase } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const OURS = "+12125550000";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const json = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe("the e-mail address of a person", () => {
  const path = `/websites/brand/people/${ADA}`;
  const find = async (client: TestClient) => world.statusOf(await world.send(client, { email: "ada@example.com" }));

  it("is kept by a file that gives none, and can be removed", async () => {
    const client = await world.brand([`${ADA},ada@example.com`]);
    await world.subscribers("brand", [`${ADA},`]);
    expect(await find(client)).toBe("PENDING_TO_SEND");
    const before = await json(world.operator("GET", path));
    for (let repeated = 0; repeated < 2; repeated++) {
      expect(await json(world.operator("DELETE", `${path}/email`))).toEqual({
        status: 200,
        body: { phone: ADA, email: null },
      });
    }
    expect(await find(client)).toBe("FAILED_TO_MATCH");
    const removal = { from: true, to: true, addressChanged: true, source: "operator" };
    expect((await json(world.operator("GET", path))).body).toEqual({
      ...{ ...before.body, email: null },
      changes: [...(before.body.changes as object[]), expect.objectContaining(removal)],
    });
    expect(await world.statusOf(await world.send(client, { phone: ADA }))).toBe("PENDING_TO_SEND");
    await world.subscribers("brand", [`${ADA},ada@example.com`]);
    expect(await find(client)).toBe("PENDING_TO_SEND");
  });

  it("is removed in one website, and of a number that is known there", async () => {
    await world.brand([`${ADA},ada@example.com`], "other");
    await world.website();
    expect(await json(world.operator("DELETE", `${path}/email`))).toMatchObject({
      status: 404,
      body: { code: 40401, message: "There is no such number." },
    });
    expect(await json(world.operator("DELETE", "/websites/brand/people/nobody/email"))).toMatchObject({ status: 400 });
    const other = await json(world.operator("GET", `/websites/other/people/${ADA}`));
    expect(other.body.email).toBe("ada@example.com");
  });
});

describe("the erasure of a person", () => {
  let client: TestClient;
  const report = async (): Promise<Report> => (await world.operator("GET", "/websites/brand/report")).json();
  const erase = async () => (await world.operator("DELETE", `/websites/brand/people/${ADA}`)).json();

  beforeEach(async () => {
    client = await world.brand([ADA]);
  });

  it("leaves nothing of the number in any store, and the report as it was", async () => {
    await world.subscribers("brand", [`${ADA},ada@example.com`]);
    await world.website("brand", { duplicateWindowHours: 24 });
    await world.send(client, { phone: ADA, text: "For Ada", clickUrl: "https://example.com/" });
    await world.send(client, { email: "ada@example.com", sendPurpose: "second" });
    await world.runQueues();
    const before = await report();
    expect(await erase()).toEqual({ phone: ADA, erasedMessages: 2 });
    const tables = await world.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    );
    const dump = JSON.stringify(await Promise.all(tables.map(({ name }) => world.rows(`SELECT * FROM "${name}"`))));
    expect(dump).not.toMatch(/12125550100|ada@example|For Ada/);
    expect(await report()).toEqual(before);
    expect(await erase()).toEqual({ phone: ADA, erasedMessages: 0 });
  });

  it("keeps the number opted out: neither an import nor a client brings it back", async () => {
    await erase();
    expect(await (await world.subscribers("brand", [ADA, "+12125550101"])).json()).toEqual({
      importId: expect.anything(),
      columns: { phone: "phone_numbers", email: "email", subscribed: "subscribed" },
      ...{ imported: 1, new: 1, changed: 0, unchanged: 0, keptUnsubscribed: 1 },
      invalidPhoneNumbers: [],
      optedOutNumbers: [ADA],
    });
    const answer = await world.post("/text/subscribe", client, { phone_numbers: [ADA], sendPurpose: "a" });
    expect(await answer.json()).toMatchObject({ failedToProcessNumbers: [ADA] });
    expect(await world.statusOf(await world.send(client, { phone: ADA }))).toBe("NOT_FOUND");
  });

  it("is of one website, and stops messages that wait to be sent", async () => {
    const other = await world.brand([ADA], "other");
    const waiting = await world.send(client, { phone: ADA });
    await erase();
    await world.runQueues();
    expect(await world.statusOf(waiting)).toBeUndefined();
    expect(await world.statusOf(await world.send(other, { phone: ADA }))).toBe("PENDING_TO_SEND");
  });

  it("of what is no number is refused", async () => {
    const answer = await world.operator("DELETE", "/websites/brand/people/nobody");
    expect(await answer.json()).toMatchObject({ code: 40001, details: [{ field: "phone" }] });
  });
});

describe("a person in all websites", () => {
  it("is found by the number: state, ledger, texts and what was sent", async () => {
    const brand = await world.brand([`${ADA},ada@example.com`]);
    const shop = await world.brand([ADA], "shop");
    await world.brand(["+12125550199"], "other");
    const first = await world.send(brand, { phone: ADA });
    world.advance(60);
    const second = await world.send(shop, { phone: ADA });
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const { status, body } = await json(world.operator("GET", `/people/${ADA}`));
    expect(take().rowsRead).toBeLessThan(60);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      phone: ADA,
      websites: [
        { websiteId: "brand", subscribed: true, email: "ada@example.com", changes: [{ to: true, source: "import" }] },
        { websiteId: "shop", subscribed: true, email: null, texts: [] },
      ],
      messages: [
        { messageId: second, websiteId: "shop", status: "PENDING_TO_SEND" },
        { messageId: first, websiteId: "brand" },
      ],
    });
    expect(world.logs.join()).not.toContain(ADA.slice(1));
  });

  it("that nobody knows is 404; what is no number, 400; without the operator's token, 401", async () => {
    const client = await world.brand([ADA]);
    expect((await json(world.operator("GET", "/people/+12125550177"))).status).toBe(404);
    expect((await json(world.operator("GET", "/people/ada"))).status).toBe(400);
    expect((await world.fetch(`/operator/people/${ADA}`)).status).toBe(401);
    const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
    expect((await world.fetch(`/operator/people/${ADA}`, { headers })).status).toBe(401);
  });
});

let texts = 0;

/** A text from Ada; to a number that no website has, unless it is ours. */
async function text(words: string, to = OURS): Promise<void> {
  const about = { from: ADA, to: [to], keyword: null, answeredByCarrier: false };
  const inbound = { ...about, text: words, carrierMessageId: `in-${++texts}` };
  await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", inbound));
}

/** Ada is known to brand by all that a website can know of somebody, to shop by a message, to other not at all. */
async function makeKnown(): Promise<TestClient> {
  await text("STOP", "+12125550177");
  await world.website("brand", { carrier: "sandbox", sender: OURS, duplicateWindowHours: 24 });
  await world.subscribers("brand", [`${ADA},ada@example.com`]);
  const client = await world.client("brand", {
    callbackUrl: "https://brand.example.com/callbacks",
    events: ["message.status", "message.clicked", "message.received"],
  });
  await world.send(client, { phone: ADA, text: "For Ada", clickUrl: "https://example.com/" });
  await world.runQueues();
  const [link] = await world.rows("SELECT code FROM links");
  await world.fetch(`/l/${link?.code}`, { headers: { "user-agent": "Mozilla/5.0 (iPhone) Safari/604.1" } });
  await text("Is this you?");
  await world.send(await world.brand([], "shop"), { phone: ADA });
  await world.brand(["+12125550199"], "other");
  return client;
}

/** Every row of every table that has the number or the address. */
async function rowsAbout(tables: string[]): Promise<Record<string, Record<string, unknown>[]>> {
  const found = tables.map(async (table) => {
    const rows = await world.rows(`SELECT * FROM "${table}"`);
    return [table, rows.filter((row) => /12125550100|ada@example/.test(JSON.stringify(row)))] as const;
  });
  return Object.fromEntries((await Promise.all(found)).filter(([, rows]) => rows.length > 0));
}

const listTables = async () =>
  (await world.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")).map(
    ({ name }) => String(name),
  );

describe("the export of a person", () => {
  type Export = PeopleAnswers["PersonExport"];
  const read = async (path: string) => (await (await world.operator("GET", `${path}/export`)).json()) as Export;

  it("has everything that any table has of the number", async () => {
    await makeKnown();
    await world.runQueues();
    const answer = await read(`/people/${ADA}`);
    expect(answer.websites.map(({ websiteId }) => websiteId)).toEqual(["brand", "shop", null]);
    const [brand, shop, none] = answer.websites;
    expect(brand).toMatchObject({
      subscribed: true,
      email: "ada@example.com",
      changes: [{ to: true, source: "import" }],
      texts: [{ text: "Is this you?", to: OURS }],
      messages: [{ text: expect.stringContaining("For Ada"), status: "DELIVERED", clicks: { people: 1 } }],
      notices: [{ type: "message.received", body: { text: "Is this you?" } }],
    });
    expect(brand?.messages[0]?.events.map(({ eventType }) => eventType)).toContain("message.clicked");
    expect(brand?.duplicateKeys).toMatchObject([{ messageId: brand?.messages[0]?.messageId }]);
    expect(shop).toMatchObject({ subscribed: false, messages: [{ status: "NOT_FOUND" }], texts: [], isCut: false });
    expect(none).toMatchObject({ texts: [{ text: "STOP" }], messages: [] });
    const about = await rowsAbout(await listTables());
    const ids = {
      duplicate_keys: "message_id",
      events: "message_id",
      inbound_texts: "text",
      messages: "message_id",
      subscription_changes: "proof",
      subscriptions: "email",
    };
    expect(Object.keys(about).sort()).toEqual(Object.keys(ids));
    for (const [table, id] of Object.entries(ids)) {
      for (const row of about[table] ?? []) expect(JSON.stringify(answer)).toContain(String(row[id]));
    }
    expect(world.logs.join()).not.toMatch(/2125550100|For Ada|Is this you/);
  });

  it("of one website has what that website has, and its unmatched messages to the address", async () => {
    const client = await makeKnown();
    const unmatched = await world.send(client, { email: "ada@example.com", sendPurpose: "before" });
    await world.rows(
      "UPDATE messages SET phone = NULL, due_at = NULL, status = 'FAILED_TO_MATCH' WHERE message_id = ?1",
      unmatched,
    );
    const { websites } = await read(`/websites/brand/people/${ADA}`);
    const [brand] = (await read(`/people/${ADA}`)).websites;
    expect(websites).toEqual([brand]);
    expect(brand?.messages.map(({ messageId }) => messageId)).toContain(unmatched);
    for (const path of ["/websites/other/people/+12125550177", "/people/+12125550178", `/websites/none/people/${ADA}`])
      expect([path, (await world.operator("GET", `${path}/export`)).status]).toEqual([path, 404]);
    expect((await world.operator("GET", "/people/ada/export")).status).toBe(400);
    expect((await world.fetch(`/operator/people/${ADA}/export`)).status).toBe(401);
  });

  it("reads five rows for each message, in three calls, and says so where it is cut", async () => {
    await world.brand([ADA]);
    await seed(world, "messages", 5001, {
      message_id: "'00000000-0000-4000-8000-' || substr('000000000000' || i, -12)",
      website_id: "'brand'",
      client_id: "''",
      phone: "iif(i = 5000, 13105550100, 12125550100)",
      text: "'Hello'",
      callback_data: "''",
      send_purpose: "'sale'",
      status: "'DELIVERED'",
      accepted_at: "i",
      updated_at: "0",
      due_at: "0",
    });
    const { deps } = world;
    const { db, take } = countingDatabase(deps.db);
    world.deps = { ...deps, db };
    const [whole] = (await read(`/people/${ADA}`)).websites;
    const usage = take();
    expect([whole?.messages.length, whole?.isCut]).toEqual([5000, false]);
    expect([usage.calls, usage.rowsRead]).toEqual([3, 5 * 5000 + 8]);
    world.deps = deps;
    await world.rows("UPDATE messages SET phone = 12125550100");
    const [cut] = (await read(`/people/${ADA}`)).websites;
    expect([cut?.messages.length, cut?.isCut]).toEqual([5000, true]);
    expect(cut?.messages[0]?.messageId).toMatch(/005000$/);
  });
});

describe("the number of messages that an erasure would erase", () => {
  const countOf = async (path: string) => (await json(world.operator("GET", path))).body;
  const stored = async () => (await world.rows("SELECT count(*) AS count FROM messages"))[0]?.count;

  beforeEach(async () => {
    const client = await world.brand([ADA]);
    const other = await world.brand([`${ADA},ada@example.com`], "other");
    // To the address before anybody has it: no number stands in this message.
    await world.send(client, { email: "ada@example.com" });
    await world.subscribers("brand", [`${ADA},ada@example.com`]);
    for (const sendPurpose of ["first", "second"]) await world.send(client, { phone: ADA, sendPurpose });
    await world.send(other, { email: "ada@example.com" });
    await world.send(client, { phone: "+12125550101" });
  });

  it.each([
    ["in a website", `/websites/brand/people/${ADA}`, 3],
    ["in all", `/people/${ADA}`, 4],
  ])("is known before: %s", async (_, path, count) => {
    const { messageCount, websites } = await countOf(path);
    const counts = (websites as { messageCount: number }[] | undefined)?.map((it) => it.messageCount);
    expect(counts ?? [messageCount]).toEqual(counts ? [3, 1] : [3]);
    const refused = await json(world.operator("DELETE", `${path}?expected=${count - 1}`));
    expect(refused).toMatchObject({ status: 409, body: { code: 40903, details: [{ field: "expected", count }] } });
    expect(await stored()).toBe(5);
    expect(await json(world.operator("DELETE", `${path}?expected=-1`))).toMatchObject({ status: 400 });
    expect((await world.operator("DELETE", `${path}?expected=${count}`)).status).toBe(200);
    expect(await stored()).toBe(5 - count);
  });

  it("is 0 of a number that nobody knows", async () => {
    const nobody = "/people/+12125550199";
    expect((await json(world.operator("DELETE", `${nobody}?expected=1`))).status).toBe(409);
    expect((await json(world.operator("DELETE", `${nobody}?expected=0`))).status).toBe(200);
  });
});

describe("the erasure of a person everywhere", () => {
  type Erasure = PeopleAnswers["ErasureEverywhere"];
  const eraseEverywhere = async (expected = 200) => {
    const answer = await world.operator("DELETE", `/people/${ADA}`);
    expect(answer.status).toBe(expected);
    return { requestId: answer.headers.get("x-request-id"), body: (await answer.json()) as Erasure };
  };
  const entries = async () => {
    const { entries } = (await (await world.operator("GET", "/audit")).json()) as AuditAnswers["AuditPage"];
    return entries.filter(({ action }) => action === "erase-person");
  };

  it("leaves nothing but tombstones where it was known, and is safe to repeat", async () => {
    await makeKnown();
    await world.runQueues();
    const { body, requestId } = await eraseEverywhere();
    expect(body).toEqual({
      phone: ADA,
      websites: [
        { websiteId: "brand", erasedMessages: 1 },
        { websiteId: "shop", erasedMessages: 1 },
        { websiteId: null, erasedMessages: 0 },
      ],
      failed: [],
    });
    expect(await rowsAbout(await listTables())).toEqual({});
    const tombstones = await world.rows("SELECT DISTINCT website_id FROM erased_people ORDER BY website_id");
    expect(tombstones).toEqual([{ website_id: "brand" }, { website_id: "shop" }]);
    expect(await (await world.subscribers("shop", [ADA])).json()).toMatchObject({ optedOutNumbers: [ADA] });
    const logged = await entries();
    expect(logged.map(({ websiteId }) => websiteId)).toEqual([null, "shop", "brand"]);
    expect(logged[1]).toMatchObject({ subject: "+…00", after: { messages: 1 }, outcome: "done", requestId });
    expect((await eraseEverywhere()).body).toEqual({ phone: ADA, websites: [], failed: [] });
    expect(await entries()).toHaveLength(3);
    expect((await world.operator("GET", `/people/${ADA}`)).status).toBe(404);
  });

  it("tells which website failed, and goes on with the others; the repetition finds it", async () => {
    await makeKnown();
    await world.rows(
      `CREATE TRIGGER broken BEFORE DELETE ON subscriptions WHEN old.website_id = 'brand'
       BEGIN SELECT RAISE(ABORT, 'constraint failed: broken'); END`,
    );
    const { body, requestId } = await eraseEverywhere();
    expect(body).toMatchObject({ websites: [{ websiteId: "shop" }, { websiteId: null }], failed: ["brand"] });
    expect((await entries()).map(({ websiteId, outcome }) => [websiteId, outcome])).toEqual([
      [null, "done"],
      ["shop", "done"],
      ["brand", "failed"],
    ]);
    const line = world.logs.find((it) => it.includes("person.not-erased"));
    expect(line).toContain(`"requestId":"${requestId}","websiteId":"brand"`);
    await eraseEverywhere(500);
    await world.rows("DROP TRIGGER broken");
    expect((await eraseEverywhere()).body).toMatchObject({ websites: [{ websiteId: "brand" }], failed: [] });
  });

  it("of what is no number is refused, and so is a client", async () => {
    expect((await world.operator("DELETE", "/people/ada")).status).toBe(400);
    const client = await world.brand([ADA]);
    const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
    expect((await world.fetch(`/operator/people/${ADA}`, { method: "DELETE", headers })).status).toBe(401);
  });
});
