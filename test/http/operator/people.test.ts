import { beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../../src/domain/report.ts";
import { countingDatabase } from "../../counting-database.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

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
      ...{ imported: 1, new: 1, changed: 0, unchanged: 0 },
      invalidPhoneNumbers: [],
      optedOutNumbers: [ADA],
    });
    const answer = await world.post("/text/subscribe", client, { phone_numbers: [ADA], sendPurpose: "a" });
    expect(await answer.json()).toMatchObject({ failedToProcessNumbers: [ADA] });
    expect(await world.statusOf(await world.send(client, { phone: ADA }))).toBe("NOT_FOUND");
  });

  it("is of one website, and stops what waits to be sent", async () => {
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
