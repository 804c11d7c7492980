import { beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../src/domain/operations/report.ts";
import { countLedgers } from "../../src/flows/operations/count-ledgers.ts";
import type { AuditAnswers } from "../../src/operator/answers/operators.ts";
import type { OverviewAnswers } from "../../src/operator/answers/overview.ts";
import type { PeopleAnswers } from "../../src/operator/answers/people.ts";
import { ADA, listTables, makeKnown, rowsAbout } from "../known-person.ts";
import { type TestClient, World } from "../world.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const json = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

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

  it("leaves no message pending: one that was not sent is counted as not subscribed, and one under way as unknown", async () => {
    const now = await world.send(client, { phone: ADA });
    await world.rows("UPDATE messages SET claimed_at = ?1, claim = 'a run' WHERE message_id = ?2", world.now, now);
    await world.send(client, { phone: ADA, text: "later" });
    world.advance(120);
    await erase();
    const { total } = await report();
    expect(total).toMatchObject({ accepted: 2, waiting: 0, sent: 1, failed: { NOT_SUBSCRIBED: 1 } });
    await countLedgers(world.deps, world.now);
    expect(total.reasons).toMatchObject({ OPTED_OUT: 1, OUTCOME_UNKNOWN: 1 });
    const overview = (await (await world.operator("GET", "/overview")).json()) as OverviewAnswers["Overview"];
    expect([overview.needs.overdue, overview.websites[0]?.month.waiting]).toEqual([0, 0]);
    expect(overview.days.at(-1)).toMatchObject({ accepted: 2, sent: 1 });
  });

  it("keeps the number opted out: neither an import nor a client brings it back", async () => {
    await erase();
    expect(await (await world.subscribers("brand", [ADA, "+12125550101"])).json()).toEqual({
      importId: expect.anything(),
      columns: { phone: "phone_numbers", email: "email", subscribed: "subscribed" },
      ...{ imported: 1, newSubscribed: 1, newOptedOut: 0, becameSubscribed: 0, becameOptedOut: 0, newAddress: 0 },
      ...{ unchanged: 0, keptUnsubscribed: 1, unreadableOptOuts: 0, ignoredColumns: [] },
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

  it("has the scheduled messages, which are erased as well", async () => {
    const client = await world.client("brand");
    await world.send(client, { phone: ADA, sendAt: new Date(world.now + 86_400_000).toISOString() });
    const path = `/websites/brand/people/${ADA}`;
    expect((await json(world.operator("GET", path))).body).toMatchObject({ messageCount: 4 });
    expect((await json(world.operator("DELETE", `${path}?expected=3`))).status).toBe(409);
    expect((await json(world.operator("DELETE", `${path}?expected=4`))).body).toMatchObject({ erasedMessages: 4 });
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
    await makeKnown(world);
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
    expect(await rowsAbout(world, await listTables(world))).toEqual({});
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
    await makeKnown(world);
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
