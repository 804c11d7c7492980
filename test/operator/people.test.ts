import { beforeEach, describe, expect, it } from "vitest";
import type { PeopleAnswers } from "../../src/operator/answers/people.ts";
import { countingDatabase } from "../counting-database.ts";
import { ADA, listTables, makeKnown, OURS, rowsAbout } from "../known-person.ts";
import { seed } from "../seed.ts";
import { type TestClient, World } from "../world.ts";

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

  it("is in an export as it was before an import, as long as that is kept for an undo", async () => {
    await world.brand([`${ADA},ada@example.com`]);
    await world.subscribers("brand", [`${ADA},ada@example.org`]);
    const changesOf = async (of: string) => {
      const { body } = await json(world.operator("GET", of));
      const [website = body] = (body.websites ?? []) as Record<string, unknown>[];
      return (website.changes as Record<string, unknown>[]).map(({ emailBefore }) => emailBefore);
    };
    expect(await changesOf(`${path}/export`)).toEqual([undefined, "ada@example.com"]);
    expect(await changesOf(`/people/${ADA}/export`)).toEqual([undefined, "ada@example.com"]);
    for (const of of [path, `/people/${ADA}`, "/websites/brand/ledger"])
      expect(await changesOf(of)).toEqual([undefined, undefined]);
    await world.operator("DELETE", `${path}/email`);
    expect(await changesOf(`${path}/export`)).toEqual([undefined, undefined, undefined]);
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

  it("says which operator made a change, and of no other change", async () => {
    const client = await world.brand([]);
    const as = async (name: string, method: string, path: string, body?: string) => {
      const { token } = (await json(world.operator("POST", "/tokens", { name }))).body;
      const headers = { authorization: `Bearer ${token}`, "content-type": "text/csv" };
      return json(world.fetch(`/operator/websites/brand/${path}`, { method, headers, ...(body && { body }) }));
    };
    const csv = `phone_numbers,email,subscribed\n${ADA},ada@example.com,true`;
    expect((await as("ada", "POST", "subscribers", csv)).status).toBe(200);
    expect((await as("bob", "DELETE", `people/${ADA}/email`)).status).toBe(200);
    expect((await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] })).status).toBe(200);
    const again = await as("cy", "POST", "subscribers?resubscribe=true", csv);
    expect((await json(world.operator("POST", `/imports/${again.body.importId}/undo`))).status).toBe(200);
    const expected = [...[["import", "ada"], ["operator", "bob"], ["api"], ["import", "cy"], ["undo"]]];
    for (const path of [`/people/${ADA}`, `/websites/brand/people/${ADA}`, `/people/${ADA}/export`]) {
      const { body } = await json(world.operator("GET", path));
      const [{ changes } = body] = (body.websites ?? []) as Record<string, unknown>[];
      const told = (changes as { source: string; operator?: string }[]).map(({ source, operator }) =>
        operator === undefined ? [source] : [source, operator],
      );
      expect([path, told]).toEqual([path, expected]);
    }
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

describe("the export of a person", () => {
  type Export = PeopleAnswers["PersonExport"];
  const read = async (path: string) => (await (await world.operator("GET", `${path}/export`)).json()) as Export;

  it("has everything that any table has of the number", async () => {
    await makeKnown(world);
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
    const about = await rowsAbout(world, await listTables(world));
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
    const client = await makeKnown(world);
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

  it("reads five rows for each message, in four calls beside that of the audit log, and says so where it is cut", async () => {
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
    expect([usage.calls, usage.rowsRead]).toEqual([5, 5 * 5000 + 10]);
    world.deps = deps;
    await world.rows("UPDATE messages SET phone = 12125550100");
    const [cut] = (await read(`/people/${ADA}`)).websites;
    expect([cut?.messages.length, cut?.isCut]).toEqual([5000, true]);
    expect(cut?.messages[0]?.messageId).toMatch(/005000$/);
  });
});
