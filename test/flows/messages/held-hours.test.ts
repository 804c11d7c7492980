/** What an operator is told of messages that sending hours hold: until when, where, and by which rule. */
import { beforeEach, describe, expect, it } from "vitest";
import { ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const LEA = "+15045550100";
const FREE = "+18005550100";
/** Thursday, 26 November 2026, 20:00 in New York, and the next morning. */
const CLOSED = Date.parse("2026-11-26T20:00:00-05:00");
const OPENS = "2026-11-27T14:00:00.000Z";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, LEA, FREE]);
  new ToldCarrier(world);
  await world.website("brand", { sendingHours: { profile: "us-strict", whenClosed: "delay" } });
  world.now = CLOSED;
});

type Hours = { opensAt: string; zones: string[]; states: string[]; window: string; source: string };
interface Told {
  kind: string | null;
  timeZone: string | null;
  waits: { until: string; because: string; hours?: Hours } | null;
}

const told = async (id: string) => (await world.operator("GET", `/messages/${id}`)).json<Told>();
const listed = async () => (await (await world.operator("GET", "/messages")).json<{ messages: Told[] }>()).messages;
const waiting = async (query = "") => {
  const { groups } = await (await world.operator("GET", `/waiting${query}`)).json<{
    groups: { rows: { why: string; count: number; opensAt: string | null; hours: Hours | null }[] }[];
  }>();
  return groups.flatMap(({ rows }) => rows);
};

const IN_NEW_YORK = {
  opensAt: OPENS,
  zones: ["America/New_York"],
  states: ["US-NY"],
  window: "Mon-Sat 09:00-20:00, Sun 12:00-20:00",
  source: expect.stringContaining("47 CFR 64.1200"),
};

/** Accepted while the hours were open, and claimed when they are not. */
async function putBack(fields: Record<string, unknown> = {}): Promise<string> {
  world.now = CLOSED - 1000;
  const id = await world.send(client, { phone: ADA, ...fields });
  world.now = CLOSED;
  await world.runQueues();
  return id;
}

describe("a message that hours hold", () => {
  it("is told with its zones, state, window and source, from its acceptance on", async () => {
    const id = await world.send(client, { phone: ADA });
    const { waits } = await told(id);
    expect(waits).toMatchObject({ because: "its sending hours", hours: IN_NEW_YORK });
    expect(Date.parse(String(waits?.until)) - Date.parse(OPENS)).toBeLessThan(15 * 60_000);
    expect((await listed()).map((message) => message.waits)).toEqual([waits]);
  });

  it("is told so after it was put back", async () => {
    const id = await putBack();
    expect((await told(id)).waits).toMatchObject({ because: "its sending hours", hours: IN_NEW_YORK });
    world.now = Date.parse(OPENS) + 20 * 60_000;
    expect((await told(id)).waits).toEqual({ until: null, because: "its job" });
  });

  it("has the narrower rule of its state, and every place of a toll-free number", async () => {
    world.now = Date.parse("2026-11-29T12:00:00-06:00");
    const [sunday, free] = [await world.send(client, { phone: LEA }), await world.send(client, { phone: FREE })];
    expect((await told(sunday)).waits?.hours).toMatchObject({
      states: ["US-LA"],
      opensAt: "2026-11-30T15:00:00.000Z",
      source: expect.stringContaining("Louisiana"),
    });
    const { zones = [], states = [] } = (await told(free)).waits?.hours ?? {};
    expect(zones).toEqual(expect.arrayContaining(["America/New_York", "Pacific/Honolulu"]));
    expect(states.length).toBeGreaterThan(50);
  });

  it("is told of the place that its client says", async () => {
    const id = await putBack({ timeZone: "America/Chicago", region: "US-TX" });
    expect(await told(id)).toMatchObject({
      kind: "marketing",
      timeZone: "America/Chicago",
      region: "US-TX",
      waits: null,
    });
    world.now = CLOSED + 3_600_000;
    const later = await world.send(client, { phone: ADA, timeZone: "America/Chicago" });
    expect((await told(later)).waits?.hours).toMatchObject({ zones: ["America/Chicago"], states: ["US-NY"] });
  });

  it("is told as held once, after the hours were changed", async () => {
    const id = await world.send(client, { phone: ADA });
    for (const sendingHours of [null, { profile: "custom", windows: [ALWAYS], whenClosed: "delay" }]) {
      await world.website("brand", { sendingHours });
      expect((await told(id)).waits).toMatchObject({
        because: "its sending hours",
        hours: { opensAt: OPENS, zones: [], source: "the website had other hours when they held it" },
      });
    }
  });

  it("is no message with a time of its own", async () => {
    const sendAt = new Date(Date.parse(OPENS) + 60_000).toISOString();
    const id = await world.send(client, { phone: ADA, sendAt });
    expect((await told(id)).waits).toEqual({ until: sendAt, because: "its sendAt" });
    expect(await waiting()).toMatchObject([{ why: "scheduled", hours: null }]);
  });
});

const ALWAYS = { days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], from: "00:00", until: "24:00" };

describe("what waits", () => {
  it("is one row for hours, of what is kept and what was put back, with the rule of the first", async () => {
    await putBack();
    await putBack();
    await world.send(client, { phone: ADA });
    await world.send(client, { phone: ADA, sendAt: new Date(CLOSED + 30 * 86_400_000 - 7 * 3_600_000).toISOString() });
    for (const query of ["", "?website=brand"]) {
      const rows = await waiting(query);
      expect(rows.map(({ why, count }) => [why, count])).toEqual([
        ["sending-hours", 3],
        ["scheduled", 1],
      ]);
      expect(rows[0]?.hours).toEqual(IN_NEW_YORK);
      expect(Date.parse(String(rows[0]?.opensAt)) - Date.parse(OPENS)).toBeLessThan(15 * 60_000);
    }
  });

  it("is not due because a hold is released: it keeps its time, and the answer does not count it", async () => {
    const id = await putBack();
    await world.operator("POST", "/websites/brand/hold", {});
    const released = await world.operator("POST", "/websites/brand/release", {});
    expect(await released.json()).toMatchObject({ released: 0 });
    expect(world.jobs.filter(({ at }) => at < Date.parse(OPENS))).toEqual([]);
    world.now = Date.parse(OPENS);
    await world.pass(16);
    expect(await world.statusOf(id)).toBe("SENDING");
  });

  it("raises no problem, and is cancelled and held as all that waits", async () => {
    const id = await putBack();
    world.now = CLOSED + 8 * 3_600_000;
    await world.sweep();
    const { problems } = await (await world.operator("GET", "/health")).json<{ problems: { name: string }[] }>();
    expect(problems.map(({ name }) => name).filter((name) => /late|carrier|waiting/.test(name))).toEqual([]);
    const cancelled = await world.operator("POST", "/websites/brand/cancel", {});
    expect(await cancelled.json()).toMatchObject({ cancelled: 1 });
    expect(await world.statusOf(id)).toBe("FAILED_TO_SEND");
  });
});

describe("the kind of a message", () => {
  it("is told, and a reply to a keyword has none", async () => {
    world.now = CLOSED - 3_600_000;
    const ids = [
      await world.send(client, { phone: ADA }),
      await world.send(client, { phone: ADA, kind: "transactional" }),
    ];
    const reply = await world.send(client, { phone: ADA });
    await world.rows("UPDATE messages SET is_reply = 2 WHERE message_id = ?1", reply);
    const kinds = [];
    for (const id of [...ids, reply]) kinds.push((await told(id)).kind);
    expect(kinds).toEqual(["marketing", "transactional", null]);
  });
});
