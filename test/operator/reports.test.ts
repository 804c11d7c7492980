import { describe, expect, it } from "vitest";
import type { Counts, Report } from "../../src/domain/operations/report.ts";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import { countingDatabase } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { ADA, client, DAY_SECONDS, get, prepare, report, world } from "./reporting.ts";

prepare();

const PERSON = {
  "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1",
};

const reportOfAll = async (query = ""): Promise<Report> => (await get(`/report?${query}`)).json();

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

const sum = <Row>(rows: Row[], field: (row: Row) => number | undefined) =>
  rows.reduce((total, row) => total + (field(row) ?? 0), 0);

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
      waiting: 0,
      sent: 4,
      delivered: 2,
      failed: { FAILED_TO_SEND: 1, FAILED_TO_DELIVERY: 1, NOT_FOUND: 1, NOT_SUBSCRIBED: 1, FAILED_TO_MATCH: 1 },
      segments: 5,
    });
    expect(byDay.rows[2]).toMatchObject({ accepted: 1, waiting: 1, sent: 0, segments: 0 });
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
        total.scheduled +
          total.waiting +
          total.sent +
          sum<Counts>([total], ({ failed: { FAILED_TO_DELIVERY: _, ...failed } }) =>
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
    const read = async (by: string) => ({ ...(await report(`${range}&by=${by}`)), asOf: null });
    const before = [await read("day"), await read("purpose")];
    world.advance(28.5 * DAY_SECONDS);
    await world.sweep();
    expect(Number((await world.rows("SELECT count(*) AS n FROM messages"))[0]?.n)).toBeLessThan(17);
    world.advance(30 * DAY_SECONDS);
    await world.sweep();
    expect(await world.rows("SELECT count(*) AS n FROM messages")).toEqual([{ n: 0 }]);
    for (const table of ["events", "links", "clicks"]) {
      expect(await world.rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }]);
    }
    expect([await read("day"), await read("purpose")]).toEqual(before);
    await world.sweep();
    expect(await read("day")).toEqual(before[0]);
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
      ["second", 1],
    ]);
  });

  it("counts the days that are asked for, and both ends of them", async () => {
    await sendEverything();
    expect((await report("from=2026-11-22&to=2026-11-22")).total.accepted).toBe(8);
    expect((await report("from=2026-11-20&to=2026-11-20")).rows).toEqual([]);
    expect(await report()).toMatchObject({ from: "2026-10-25", to: "2026-11-23", by: "day" });
  });

  it("is of one purpose where one is named", async () => {
    await sendEverything();
    const byPurpose = await report("by=purpose");
    for (const { sendPurpose, ...counts } of byPurpose.rows) {
      const { total, ...of } = await report(`purpose=${sendPurpose}`);
      expect(of.sendPurpose).toBe(sendPurpose);
      expect(total).toMatchObject(counts);
      const ofAll = await reportOfAll(`by=website&purpose=${sendPurpose}`);
      expect(ofAll).toMatchObject({ sendPurpose, total: counts, rows: [{ websiteId: "brand", ...counts }] });
    }
    expect(await report("purpose=Spring")).toMatchObject({ sendPurpose: "Spring", rows: [], total: { accepted: 0 } });
    expect(byPurpose.sendPurpose).toBeNull();
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

describe("a report by reason", () => {
  it("has a row for each reason and one for none, which are all messages", async () => {
    await sendEverything();
    for (const days of [0, 3]) {
      world.advance(days * DAY_SECONDS);
      await world.sweep();
      const { rows, total } = await report("by=reason");
      const counts = Object.fromEntries(rows.map(({ reason, accepted }) => [reason ?? "none", accepted]));
      const { none, ...reasons } = counts;
      expect(total.reasons).toMatchObject({ CARRIER_REFUSED: 2, UNDELIVERED: 2, ...reasons });
      expect(sum(Object.values(total.reasons), (count) => count) + Number(none)).toBe(total.accepted);
      expect(rows[0]).not.toHaveProperty("segments");
      for (const count of ["accepted", "waiting", "sent", "delivered"] as const)
        expect([count, sum(rows, (row) => row[count])]).toEqual([count, total[count]]);
      for (const [status, count] of Object.entries(total.failed))
        expect([status, sum(rows, ({ failed }) => failed[status as keyof typeof failed])]).toEqual([status, count]);
    }
  });
});

describe("a report of all websites", () => {
  it("has the sums of each, in one call", async () => {
    await sendEverything();
    const shop = await world.brand([ADA], "shop");
    await world.send(shop, { phone: ADA });
    const each = [await report(), (await (await get("/websites/shop/report")).json()) as Report];
    for (const by of ["website", "day", "purpose", "sender", "reason"]) {
      const all = await reportOfAll(`by=${by}`);
      expect([by, all.websiteId, all.total.accepted]).toEqual([by, null, 18]);
      expect([by, sum(all.rows, ({ accepted }) => accepted)]).toEqual([by, 18]);
    }
    const { by, rows } = await reportOfAll();
    expect(by).toBe("website");
    expect(rows).toEqual([
      { websiteId: "brand", ...each[0]?.total },
      { websiteId: "shop", ...each[1]?.total },
    ]);
  });

  it("reads the counters of its days alone, and one row for each website", async () => {
    const [websites, days] = [60, 20];
    await world.sweep();
    await seed(world, "websites", websites, {
      website_id: "'w' || i",
      home: "i + 10",
      database: "'DB'",
      name: "''",
      carrier: "'sandbox'",
      created_at: "0",
      updated_at: "0",
      counted_until: `${Date.UTC(2026, 10, 21)}`,
    });
    await seed(world, "report_counts", websites * days, {
      website_id: `'w' || (i / ${days})`,
      quarter: `${Date.UTC(2026, 10, 1) / 900_000} + (i % ${days}) * 96`,
      send_purpose: "'sale'",
      country: "'US'",
      status: "'DELIVERED'",
      reason: "''",
      messages: "1000",
      segments: "1000",
      clicked: "0",
      clicks: "0",
      robot_clicks: "0",
      opted_out: "0",
    });
    const { deps } = world;
    const { db, take } = countingDatabase(deps.db);
    world.deps = { ...deps, db };
    const { total, rows } = await reportOfAll("from=2026-11-05&to=2026-11-14");
    expect([rows.length, total.accepted]).toEqual([60, 60 * 10 * 1000]);
    expect(take()).toEqual({ calls: 4, rowsRead: 1627, rowsWritten: 0 });
  });

  it("of too many websites and days is refused", async () => {
    await seed(world, "websites", 600, {
      website_id: "'w' || i",
      home: "i + 10",
      database: "'DB'",
      name: "''",
      carrier: "'sandbox'",
      created_at: "0",
      updated_at: "0",
      counted_until: "0",
    });
    const answer = await world.operator("GET", "/report?from=2025-11-21");
    expect(await answer.json()).toMatchObject({ code: 40001, details: [{ field: "from" }] });
    expect((await reportOfAll("from=2026-01-01")).rows).toEqual([]);
  });

  it("is the operator's", async () => {
    const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
    expect((await world.fetch("/operator/report", { headers })).status).toBe(401);
  });
});

describe("a report by sender", () => {
  const OLD = "+12125550000";
  const NEW = "+12125550001";
  const daily = async (sender?: string) => {
    if (sender !== undefined) await world.website("brand", { sender });
    await world.send(client, { phone: ADA });
    await world.runQueues();
    world.advance(DAY_SECONDS);
  };

  it("counts each day for the sender that the website had at its end", async () => {
    await world.website("shop", { carrier: "sandbox", sender: NEW });
    const shop = await world.client("shop");
    await daily();
    await daily(OLD);
    await daily();
    await world.website("brand", { sender: "+12125550009" });
    await world.send(client, { phone: ADA });
    world.advance(60);
    await daily(NEW);
    await world.send(shop, { phone: ADA });
    await world.website("brand", { helpText: "Call us." });
    const rows = (it: Report) => it.rows.map(({ sender, accepted }) => [sender, accepted]);
    expect(rows(await report("by=sender"))).toEqual([
      [null, 1],
      [OLD, 2],
      [NEW, 2],
    ]);
    expect(rows(await reportOfAll("by=sender"))).toEqual([
      [null, 1],
      [OLD, 2],
      [NEW, 3],
    ]);
    expect(rows(await report("by=sender&to=2026-11-22"))).toEqual([
      [null, 1],
      [OLD, 1],
    ]);
    expect(rows(await report("by=sender&from=2026-11-24"))).toEqual([[NEW, 2]]);
    const csv = await (await get("/report?by=sender&format=csv")).text();
    expect(csv.split("\r\n").map((line) => line.split(",").slice(0, 3).join())).toEqual([
      `"sender","accepted","scheduled"`,
      `"",1,0`,
      `"${OLD}",2,0`,
      `"${NEW}",3,0`,
      "",
    ]);
  });
});

describe("what a report by sender reads of the audit log", () => {
  it("is nothing of a website that has not changed since, and otherwise its changes", async () => {
    const audited = 500;
    await seed(world, "audit_log", audited, {
      request_id: "'request-' || i",
      stored_at: `${world.now}`,
      operator: "'ada'",
      action: "'import'",
      website_id: "'brand'",
    });
    const { deps } = world;
    const { db, take } = countingDatabase(deps.db);
    world.deps = { ...deps, db };
    const rowsRead = async (by: string, day: string) => {
      await report(`by=${by}&from=${day}&to=${day}`);
      return take().rowsRead;
    };
    const without = await rowsRead("day", "2026-11-21");
    expect(await rowsRead("sender", "2026-11-22")).toBeLessThanOrEqual(without);
    // The entries of the seed, and those of the website, its subscribers and its client: each with its place in the index.
    expect((await rowsRead("sender", "2026-11-21")) - without).toBeLessThanOrEqual(2 * (audited + 3) + 4);
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
