import { beforeEach, describe, expect, it } from "vitest";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { World } from "../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const STRANGER = "+12125550199";
const OURS = "+12125550000";
const HOUR = 3600;

let world: World;

beforeEach(async () => {
  world = await World.create();
  await world.website("brand", { sender: OURS, helpText: "Write to us" });
});

let texts = 0;
const text = (words: string, { from = ADA, to = OURS, id = `in-${++texts}`, carrier = "sandbox" } = {}) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, carrier, {
      carrierMessageId: id,
      from,
      to: [to],
      text: words,
      keyword: null,
      answeredByCarrier: false,
    }),
  );
const replies = () =>
  world.rows("SELECT text, status FROM messages WHERE send_purpose = 'keyword-reply' ORDER BY status DESC");
/** What was answered, by website, in order. */
const answers = async () =>
  (await world.rows("SELECT website_id AS id FROM messages WHERE send_purpose = 'keyword-reply' ORDER BY rowid")).map(
    ({ id }) => id,
  );
const stateOf = async (phone = ADA, websiteId = "brand") =>
  (
    await world.rows(
      "SELECT subscribed FROM subscriptions WHERE website_id = ?1 AND phone = ?2",
      websiteId,
      Number(phone.slice(1)),
    )
  )[0]?.subscribed;
const withoutEffect = () =>
  world.logs.map((line) => JSON.parse(line)).filter(({ event }) => event === "inbound.keyword-without-effect");
/** A website that has texted these numbers. */
async function texted(websiteId: string, ...phones: string[]): Promise<void> {
  const client = await world.client(websiteId);
  for (const phone of phones) await world.send(client, { phone });
  await world.runQueues();
  world.advance(60);
}

describe("an answer that waits to be submitted", () => {
  it("to HELP goes to somebody who never subscribed: they asked", async () => {
    await text("HELP");
    await world.runQueues();
    expect(await replies()).toEqual([{ text: "Write to us", status: "DELIVERED" }]);
  });

  it("to HELP does not go out once the person has texted STOP; its confirmation does", async () => {
    await world.subscribers("brand", [ADA]);
    await text("HELP");
    await text("STOP");
    await world.runQueues();
    expect(await replies()).toEqual([
      { text: "Write to us", status: "NOT_SUBSCRIBED" },
      { text: expect.stringContaining("You are unsubscribed"), status: "DELIVERED" },
    ]);
  });
});

describe("a number in another form than E.164", () => {
  beforeEach(async () => {
    await world.subscribers("brand", [ADA, BOB]);
  });

  it.each(["12125550100", "0012125550100", "01112125550100", "2125550100", "(212) 555-0100"])(
    "%s is opted out, and its text is found with the person",
    async (from) => {
      await text("STOP", { from });
      expect([await stateOf(), await stateOf(BOB)]).toEqual([0, 1]);
      expect(withoutEffect()).toEqual([]);
      const person = await (await world.operator("GET", `/websites/brand/people/${ADA}`)).json();
      expect(person).toMatchObject({ optedOutByPerson: true, texts: [{ text: "STOP", from: ADA }] });
      await world.operator("DELETE", `/websites/brand/people/${ADA}`);
      expect(await world.rows("SELECT * FROM inbound_texts")).toEqual([]);
    },
  );

  it.each([
    ["3615550100", "+13615550100", "+3615550100"],
    ["3615550100", "+3615550100", "+13615550100"],
  ])("%s is the one of two that the website knows: %s, not %s", async (from, known, other) => {
    await world.subscribers("brand", [known]);
    await text("STOP", { from });
    expect([await stateOf(known), await stateOf(other)]).toEqual([0, undefined]);
  });

  it("is, of two that are both known, the one that was texted last", async () => {
    await world.subscribers("brand", ["+13615550100", "+3615550100"]);
    await texted("brand", "+13615550100");
    await texted("brand", "+3615550100");
    await text("STOP", { from: "3615550100" });
    expect([await stateOf("+13615550100"), await stateOf("+3615550100")]).toEqual([1, 0]);
  });

  it("is looked for among those that a short code's website knows", async () => {
    await world.website("brand", { sender: "12345" });
    await text("STOP", { from: "2125550100", to: "12345" });
    expect([await stateOf(), await stateOf(BOB)]).toEqual([0, 1]);
  });

  it("that a short code's website does not know has no effect, and is told", async () => {
    await world.website("brand", { sender: "12345" });
    await text("STOP", { from: "2125550177", to: "12345" });
    expect(withoutEffect()).toEqual([
      {
        level: "warn",
        event: "inbound.keyword-without-effect",
        carrier: "sandbox",
        websiteId: "brand",
        keyword: "stop",
      },
    ]);
  });

  it("is opted out though no country has such a number any more", async () => {
    const gone = "+999123456789";
    await world.rows(
      "INSERT INTO subscriptions (website_id, phone, subscribed, change_id) VALUES ('brand', ?1, 1, 1)",
      Number(gone.slice(1)),
    );
    for (const from of [gone, gone.slice(1)]) {
      await text("STOP", { from });
      expect(await stateOf(gone)).toBe(0);
      await text("START", { from });
      expect(await stateOf(gone)).toBe(1);
    }
  });
});

describe("a sender that its website no longer has", () => {
  beforeEach(async () => {
    await world.subscribers("brand", [ADA]);
    await texted("brand", ADA);
  });

  it.each([
    ["was replaced", { sender: "+12125550005" }],
    ["was taken away", {}],
  ])("still takes STOP when it %s, and when the last text has been purged", async (_, settings) => {
    await world.website("brand", settings);
    await world.website("brand", settings);
    await world.rows("DELETE FROM messages");
    await text("STOP");
    expect(await stateOf()).toBe(0);
    expect(await answers()).toEqual(["brand"]);
  });

  it("still takes STOP where the version before replaced it: by the latest text to that person", async () => {
    await world.rows("UPDATE websites SET sender = '+12125550005'");
    await world.brand([ADA], "other");
    await text("STOP");
    expect([await stateOf(), await stateOf(ADA, "other")]).toEqual([0, 1]);
    await text("hello");
    expect(await world.rows("SELECT DISTINCT website_id FROM inbound_texts")).toEqual([{ website_id: "brand" }]);
  });

  it("takes STOP through the carrier of that text alone", async () => {
    await world.rows("UPDATE websites SET sender = '+12125550005'");
    await text("STOP", { carrier: "twilio" });
    expect(await stateOf()).toBe(1);
    expect(withoutEffect()).toMatchObject([{ carrier: "twilio", websiteId: "" }]);
  });

  it("that another website has now: STOP is for the website that knows the person, and for the owner", async () => {
    await world.website("brand", { sender: "+12125550005" });
    await world.website("next", { sender: OURS });
    await text("STOP");
    expect([await stateOf(), await stateOf(ADA, "next")]).toEqual([0, 0]);
    expect(await answers()).toEqual(["brand"]);
    await world.subscribers("next", [BOB]);
    await world.subscribers("brand", [BOB]);
    await text("STOP", { from: BOB });
    expect([await stateOf(BOB), await stateOf(BOB, "next")]).toEqual([1, 0]);
  });

  it("is looked up by indexes alone", async () => {
    const { db } = world.deps;
    const asked: string[] = [];
    const prepare = (sql: string) => {
      asked.push(sql);
      return db.prepare(sql);
    };
    const batch = (statements: D1PreparedStatement[]) => db.batch(statements);
    world.deps = { ...world.deps, db: { prepare, batch } as unknown as D1Database };
    await text("STOP", { from: "3615550100", to: "+12125550042" });
    await text("STOP", { from: "3615550100" });
    const plans: string[] = [];
    for (const sql of new Set(asked)) {
      const parameters = Math.max(0, ...[...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number)));
      const plan = await world.rows(`EXPLAIN QUERY PLAN ${sql}`, ...new Array(parameters).fill("[]"));
      plans.push(...plan.map(({ detail }) => String(detail)));
    }
    // A subquery has its own plan among these.
    expect(plans.filter((plan) => /^SCAN (?!\w+ VIRTUAL|CONSTANT|json_each|\(subquery)/.test(plan))).toEqual([]);
    expect(plans.join("\n")).toMatch(/websites_by_sender[\s\S]*messages_by_phone/);
  });
});

describe("a sender that three websites share", () => {
  const websites = ["brand", "second", "third"];
  const states = () => Promise.all(websites.map((websiteId) => stateOf(ADA, websiteId)));

  beforeEach(async () => {
    for (const websiteId of websites.slice(1)) await world.website(websiteId, { sender: OURS });
  });

  it("opts the person out of all of them, with one confirmation from the one that texted last", async () => {
    for (const websiteId of websites) await world.subscribers(websiteId, [ADA]);
    for (const websiteId of ["third", "second"]) await texted(websiteId, ADA);
    await text("STOP");
    expect(await states()).toEqual([0, 0, 0]);
    expect(await answers()).toEqual(["second"]);
    world.advance(HOUR);
    await text("STOP");
    expect(await answers()).toEqual(["second"]);
    await world.runQueues();
    expect((await replies()).map(({ status }) => status)).toEqual(["DELIVERED"]);
  });

  it("confirms from the one that knows the number where none has texted it, and else from the first", async () => {
    await world.subscribers("third", [ADA]);
    await text("STOP");
    expect([await states(), await answers()]).toEqual([[0, 0, 0], ["third"]]);
    await text("STOP", { from: STRANGER });
    expect(await answers()).toEqual(["third", "brand"]);
  });

  it("confirms once, also where the carrier brings the text again after a further website shares it", async () => {
    await world.subscribers("brand", [ADA]);
    await text("STOP", { id: "same" });
    await world.website("fourth", { sender: OURS });
    await world.subscribers("fourth", [ADA]);
    await texted("fourth", ADA);
    await text("STOP", { id: "same" });
    expect([await stateOf(ADA, "fourth"), await answers()]).toEqual([0, ["brand"]]);
  });

  it("START brings the person back where they had been, and nowhere else", async () => {
    await world.subscribers("brand", [ADA]);
    await world.subscribers("second", [`${ADA},,false`]);
    await text("STOP");
    await text("START");
    expect(await states()).toEqual([1, 1, 0]);
    await text("STOP");
    expect(await answers()).toEqual(["brand", "brand"]);
    await text("STOP", { from: STRANGER });
    await text("START", { from: STRANGER });
    expect(await stateOf(STRANGER)).toBe(0);
  });

  it("START brings an erased person back where they were erased", async () => {
    for (const websiteId of websites) await world.subscribers(websiteId, [ADA]);
    for (const websiteId of websites.slice(1)) await world.operator("DELETE", `/websites/${websiteId}/people/${ADA}`);
    await world.subscribers("brand", [`${ADA},,false`]);
    await text("START");
    expect(await states()).toEqual([1, 1, 1]);
    expect(await world.rows("SELECT * FROM erased_people")).toEqual([]);
  });

  it("HELP is answered by one of them, that the person has not opted out of", async () => {
    for (const websiteId of websites) await world.subscribers(websiteId, [ADA]);
    await texted("second", ADA);
    await text("HELP");
    await world.subscribers("second", [`${ADA},,false`]);
    await text("HELP");
    expect(await answers()).toEqual(["second", "brand"]);
  });
});

describe("HELP", () => {
  it("is answered three times an hour to one number, whichever website answers", async () => {
    await world.website("second", { sender: OURS });
    for (const from of [ADA, ADA, ADA, ADA, BOB]) await text("HELP", { from });
    await world.subscribers("second", [ADA]);
    await text("HELP");
    expect(await answers()).toEqual(["brand", "brand", "brand", "brand"]);
    world.advance(HOUR - 1);
    await text("HELP");
    expect(await answers()).toHaveLength(4);
    world.advance(1);
    await text("HELP");
    expect(await answers()).toEqual(["brand", "brand", "brand", "brand", "second"]);
  });
});

describe("a keyword without effect", () => {
  const look = async () =>
    (await (await world.operator("GET", "/health")).json()) as { problems: string[]; keywordsWithoutEffect: object };
  const list = async (query = "") =>
    ((await (await world.operator("GET", `/inbound/without-effect${query}`)).json()) as { texts: object[] }).texts;

  beforeEach(async () => {
    await world.sweep();
  });

  it("is a problem for a day, and can be found", async () => {
    await text("STOP", { to: "+12125550077" });
    world.advance(30);
    await text("Help!", { from: "ALERTS" });
    expect(withoutEffect()).toMatchObject([
      { websiteId: "", keyword: "stop" },
      { websiteId: "brand", keyword: "help" },
    ]);
    expect(await look()).toMatchObject({
      problems: ["keywords-without-effect"],
      keywordsWithoutEffect: { count: 2, oldestSeconds: 30 },
    });
    expect(await list()).toMatchObject([
      { websiteId: "brand", from: "ALERTS", text: "Help!", keyword: "help" },
      { websiteId: null, from: ADA, to: "+12125550077", text: "STOP", keyword: "stop" },
    ]);
    expect(await list("?before=2026-11-21T12:00:30Z")).toMatchObject([{ text: "STOP" }]);
    world.advance(24 * HOUR - 30);
    await world.sweep();
    expect(await look()).toMatchObject({ problems: ["keywords-without-effect"], keywordsWithoutEffect: { count: 1 } });
    world.advance(30);
    expect((await look()).problems).toEqual([]);
    expect(await list()).toHaveLength(2);
  });

  it("is none where it is acted upon, nor is another text; what no website got is listed all the same", async () => {
    await text("START", { from: STRANGER });
    await text("STOP");
    await text("what is this?", { to: "+12125550077" });
    expect((await look()).problems).toEqual([]);
    expect(await list()).toMatchObject([{ websiteId: null, text: "what is this?", keyword: null }]);
  });

  it("acts when the carrier brings it again, and its website is there", async () => {
    await text("STOP", { to: "+12125550077", id: "same" });
    await world.website("brand", { sender: "+12125550077" });
    await text("STOP", { to: "+12125550077", id: "same" });
    expect(await stateOf()).toBe(0);
  });
});
