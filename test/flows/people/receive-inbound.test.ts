import { beforeEach, describe, expect, it } from "vitest";
import {
  ADA,
  answers,
  BOB,
  begin,
  HOUR,
  OURS,
  replies,
  rows,
  STRANGER,
  stateOf,
  text,
  texted,
  website,
  withoutEffect,
  world,
} from "./inbound-world.ts";

describe.each([1, 2])("with %i databases,", (databases) => {
  beforeEach(() => begin(databases));

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

  describe("a confirmation that waits to be submitted", () => {
    it("does not go out once the person has texted START: nobody is told to be unsubscribed who is not", async () => {
      await world.subscribers("brand", [ADA]);
      await text("STOP");
      await text("START");
      await world.runQueues();
      expect(await replies()).toEqual([{ text: expect.stringContaining("unsubscribed"), status: "FAILED_TO_SEND" }]);
      const found = await rows("SELECT reason, reason_code FROM messages");
      expect(found).toEqual([{ reason: "the person has opted in again", reason_code: "CANCELLED" }]);
      await text("STOP");
      await world.runQueues();
      expect((await replies()).map(({ status }) => status)).toEqual(["FAILED_TO_SEND", "DELIVERED"]);
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
        expect(await rows("SELECT * FROM inbound_texts")).toEqual([]);
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
      await website("brand", { sender: "12345" });
      await text("STOP", { from: "2125550100", to: "12345" });
      expect([await stateOf(), await stateOf(BOB)]).toEqual([0, 1]);
    });

    it("that a short code's website does not know has no effect, and is told", async () => {
      await website("brand", { sender: "12345" });
      await text("STOP", { from: "2125550177", to: "12345" });
      expect(withoutEffect()).toEqual([
        {
          level: "warn",
          event: "inbound.keyword-without-effect",
          carrier: "sandbox",
          websiteId: "brand",
          keyword: "stop",
          reason: "no-phone-number",
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
      await website("brand", settings);
      await website("brand", settings);
      await rows("DELETE FROM messages");
      await text("STOP");
      expect(await stateOf()).toBe(0);
      expect(await answers()).toEqual(["brand"]);
    });

    it("still takes STOP where nothing is known of it: by the text to that person", async () => {
      await world.rows("UPDATE websites SET sender = '+12125550005'");
      await website("other", { carrier: "sandbox" });
      await world.subscribers("other", [ADA]);
      await text("STOP");
      expect([await stateOf(), await stateOf(ADA, "other")]).toEqual([0, 1]);
    });

    it("takes STOP through the carrier of that text alone", async () => {
      await world.rows("UPDATE websites SET sender = '+12125550005'");
      await text("STOP", { carrier: "twilio" });
      expect(await stateOf()).toBe(1);
      expect(withoutEffect()).toMatchObject([{ carrier: "twilio", websiteId: "" }]);
    });

    it("that another website has now: STOP is for the website that knows the person, and for the owner", async () => {
      await website("brand", { sender: "+12125550005" });
      await website("next", { sender: OURS });
      await text("STOP");
      expect([await stateOf(), await stateOf(ADA, "next")]).toEqual([0, 0]);
      expect(await answers()).toEqual(["brand"]);
      await world.subscribers("next", [BOB]);
      await world.subscribers("brand", [BOB]);
      await text("STOP", { from: BOB });
      expect([await stateOf(BOB), await stateOf(BOB, "next")]).toEqual([1, 0]);
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
      expect(await look()).toMatchObject({
        problems: ["keywords-without-effect"],
        keywordsWithoutEffect: { count: 1 },
      });
      world.advance(30);
      expect((await look()).problems).toEqual([]);
      expect(await list()).toHaveLength(2);
    });

    it("is none where it is acted upon, nor is another text; what no website got is listed all the same", async () => {
      await text("STOP");
      await text("what is this?", { to: "+12125550077" });
      expect((await look()).problems).toEqual([]);
      expect(await list()).toMatchObject([{ websiteId: null, text: "what is this?", keyword: null }]);
    });

    it("is listed with its reason, and no problem, where a START is of nobody that the website has", async () => {
      await text("START", { from: STRANGER });
      await world.subscribers("brand", [ADA]);
      await text("YES");
      expect((await look()).problems).toEqual([]);
      expect(await list()).toMatchObject([{ websiteId: "brand", from: STRANGER, withoutEffect: "unknown-person" }]);
    });

    it("acts when the carrier brings it again, and its website is there", async () => {
      await text("STOP", { to: "+12125550077", id: "same" });
      await website("brand", { sender: "+12125550077" });
      await text("STOP", { to: "+12125550077", id: "same" });
      expect(await stateOf()).toBe(0);
    });
  });
});

describe("a sender that a website no longer has", () => {
  beforeEach(async () => {
    await begin(1);
    await texted("brand", ADA);
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
    // A subquery has its own plan among these, and so have the parts of the counts, `changes` and `sums`.
    expect(
      plans.filter((plan) => /^SCAN (?!\w+ VIRTUAL|CONSTANT|json_each|\(subquery|changes$|sums$)/.test(plan)),
    ).toEqual([]);
    expect(plans.join("\n")).toMatch(/websites_by_sender[\s\S]*messages_by_phone/);
  });
});
