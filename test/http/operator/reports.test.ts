import { beforeEach, describe, expect, it } from "vitest";
import type { Counts, Report } from "../../../src/domain/report.ts";
import { receiveInbound } from "../../../src/flows/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const DAY_SECONDS = 86_400;
const PERSON = {
  "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1",
};

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, "+12125550001", "+12125550002", "+12125550003", "+12125550199,,false"]);
});

async function report(query = ""): Promise<Report> {
  const answer = await world.operator("GET", `/websites/brand/report?${query}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** A message of every kind, on two days and for two purposes, with clicks. */
async function sendEverything(): Promise<void> {
  for (const sendPurpose of ["spring", "welcome"]) {
    for (const phone of [ADA, "+12125550001", "+12125550002", "+12125550003", "+12125550199", "+12125550177"]) {
      await world.send(client, { phone, sendPurpose });
    }
    await world.send(client, { email: "nobody@example.com", sendPurpose });
    await world.send(client, {
      phone: ADA,
      sendPurpose,
      text: `${"x".repeat(200)} é`,
      clickUrl: "https://example.com/",
    });
    await world.runQueues();
    world.advance(DAY_SECONDS);
  }
  const [link] = await world.rows("SELECT code FROM links LIMIT 1");
  const robot = { "user-agent": "curl/8" };
  for (const headers of [PERSON, PERSON, PERSON, PERSON, PERSON, robot, robot])
    await world.fetch(`/l/${link?.code}`, { headers });
  await world.send(client, { phone: ADA, sendPurpose: "welcome" });
}

const sum = (rows: Counts[], field: (row: Counts) => number) => rows.reduce((total, row) => total + field(row), 0);

describe("a report", () => {
  it("counts the messages of each day and each purpose, and its sums are theirs exactly", async () => {
    await sendEverything();
    const byDay = await report("by=day");
    expect(byDay.rows.map(({ day, accepted }) => [day, accepted])).toEqual([
      ["2026-11-21", 8],
      ["2026-11-22", 8],
      ["2026-11-23", 1],
    ]);
    expect(byDay.rows[0]).toMatchObject({
      pending: 0,
      sent: 4,
      delivered: 2,
      failed: { FAILED_TO_SEND: 1, FAILED_TO_DELIVERY: 1, NOT_FOUND: 1, NOT_SUBSCRIBED: 1, FAILED_TO_MATCH: 1 },
      segments: 5,
    });
    expect(byDay.rows[2]).toMatchObject({ accepted: 1, pending: 1, sent: 0, segments: 0 });
    expect(byDay.total).toMatchObject({ accepted: 17, clicked: 1, clicks: 5, robotClicks: 2 });
    const byPurpose = await report("by=purpose");
    expect(byPurpose.rows.map(({ sendPurpose, accepted }) => [sendPurpose, accepted])).toEqual([
      ["spring", 8],
      ["welcome", 9],
    ]);
    expect(byPurpose.total).toEqual(byDay.total);
    for (const { rows, total } of [byDay, byPurpose]) {
      expect(sum(rows, ({ accepted }) => accepted)).toBe(total.accepted);
      expect(sum(rows, ({ segments }) => segments)).toBe(total.segments);
      expect(
        total.pending +
          total.sent +
          sum([total], ({ failed: { FAILED_TO_DELIVERY: _, ...failed } }) =>
            Object.values(failed).reduce((a, b) => a + b, 0),
          ),
      ).toBe(total.accepted);
    }
    expect(await world.rows("SELECT count(*) AS n FROM messages")).toEqual([{ n: byDay.total.accepted }]);
  });

  it("stays the same when messages are purged", async () => {
    await sendEverything();
    await world.runQueues();
    world.advance(2 * DAY_SECONDS);
    await world.sweep();
    const range = "from=2026-11-01&to=2027-01-31";
    const before = [await report(`${range}&by=day`), await report(`${range}&by=purpose`)];
    world.advance(28.5 * DAY_SECONDS);
    await world.sweep();
    expect(Number((await world.rows("SELECT count(*) AS n FROM messages"))[0]?.n)).toBeLessThan(17);
    world.advance(30 * DAY_SECONDS);
    await world.sweep();
    expect(await world.rows("SELECT count(*) AS n FROM messages")).toEqual([{ n: 0 }]);
    for (const table of ["events", "links", "clicks"]) {
      expect(await world.rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }]);
    }
    expect([await report(`${range}&by=day`), await report(`${range}&by=purpose`)]).toEqual(before);
    await world.sweep();
    expect(await report(`${range}&by=day`)).toEqual(before[0]);
  });

  it("counts a message after which the person opted out, once, also when they say STOP again", async () => {
    await world.website("brand", { sender: "+12125550000" });
    await world.send(client, { phone: ADA, sendPurpose: "first" });
    world.advance(60);
    await world.send(client, { phone: ADA, sendPurpose: "second" });
    await world.runQueues();
    for (const carrierMessageId of ["in-1", "in-2"]) {
      const text = {
        carrierMessageId,
        from: ADA,
        to: ["+12125550000"],
        text: "STOP",
        keyword: null,
        answeredByCarrier: false,
      };
      await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", text));
    }
    const { rows } = await report("by=purpose");
    expect(rows.map(({ sendPurpose, optedOut }) => [sendPurpose, optedOut])).toEqual([
      ["first", 0],
      ["keyword-reply", 0],
      ["second", 1],
    ]);
  });

  it("counts the days that are asked for, and both ends of them", async () => {
    await sendEverything();
    expect((await report("from=2026-11-22&to=2026-11-22")).total.accepted).toBe(8);
    expect((await report("from=2026-11-20&to=2026-11-20")).rows).toEqual([]);
    expect(await report()).toMatchObject({ from: "2026-10-25", to: "2026-11-23", by: "day" });
  });

  it("is of one website", async () => {
    const other = await world.brand([ADA], "other");
    await world.send(other, { phone: ADA });
    expect((await report()).total.accepted).toBe(0);
  });

  it.each([
    ["from=yesterday", "from"],
    ["to=2026-02-30", "to"],
    ["from=2026-11-22&to=2026-11-21", "from"],
    ["from=2020-01-01", "from"],
    ["by=week", "by"],
  ])("of %s is refused", async (query, field) => {
    const answer = await world.operator("GET", `/websites/brand/report?${query}`);
    expect(await answer.json()).toMatchObject({ code: 40001, details: [{ field }] });
  });
});

describe("retention", () => {
  it("keeps what is younger, subscriptions and their ledger; a purged link is a plain 404", async () => {
    const old = await world.send(client, { phone: ADA, clickUrl: "https://example.com/" });
    await world.runQueues();
    const [link] = await world.rows("SELECT code FROM links");
    world.advance(29 * DAY_SECONDS);
    const young = await world.send(client, { phone: ADA });
    await world.runQueues();
    await world.sweep();
    expect(await world.statusOf(old)).toBe("DELIVERED");
    world.advance(DAY_SECONDS + 60);
    await world.sweep();
    expect([await world.statusOf(old), await world.statusOf(young)]).toEqual([undefined, "DELIVERED"]);
    expect((await world.fetch(`/l/${link?.code}`)).status).toBe(404);
    expect(await world.rows("SELECT count(*) AS n FROM subscriptions")).toEqual([{ n: 5 }]);
    expect(await world.rows("SELECT count(*) AS n FROM subscription_changes")).toEqual([{ n: 5 }]);
  });
});
