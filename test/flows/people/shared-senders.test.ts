/** Texts to a sender that several websites have, with one database and with two. */
import { beforeEach, describe, expect, it } from "vitest";
import {
  ADA,
  answers,
  BOB,
  begin,
  HOUR,
  OURS,
  readers,
  replies,
  rows,
  STRANGER,
  stateOf,
  text,
  texted,
  website,
  world,
} from "./inbound-world.ts";

const EVENTS = ["message.received", "subscription.changed"] as const;

describe.each([1, 2])("with %i databases,", (databases) => {
  beforeEach(() => begin(databases));

  describe("a sender that three websites share", () => {
    const websites = ["brand", "second", "third"];
    const states = () => Promise.all(websites.map((websiteId) => stateOf(ADA, websiteId)));

    beforeEach(async () => {
      for (const websiteId of websites.slice(1)) await website(websiteId, { sender: OURS });
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
      await website("fourth", { sender: OURS });
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
      expect(await rows("SELECT * FROM erased_people")).toEqual([]);
    });

    it("HELP is answered by one of them, that the person has not opted out of", async () => {
      for (const websiteId of websites) await world.subscribers(websiteId, [ADA]);
      await texted("second", ADA);
      await text("HELP");
      world.advance(1);
      await world.subscribers("second", [`${ADA},,false`]);
      await text("HELP");
      expect(await answers()).toEqual(["second", "brand"]);
    });
  });

  describe("a sender that went from one website to another, where both know the person", () => {
    beforeEach(async () => {
      await world.subscribers("brand", [ADA]);
      await texted("brand", ADA);
      await website("brand", { sender: "+12125550042" });
      await website("second", { sender: OURS });
      await world.subscribers("second", [ADA]);
    });
    const states = () => Promise.all(["brand", "second"].map((websiteId) => stateOf(ADA, websiteId)));

    it("opts out of both as long as only the former owner has texted: the STOP answers its text", async () => {
      await text("STOP");
      expect([await states(), await answers()]).toEqual([[0, 0], ["brand"]]);
      await text("START");
      expect(await states()).toEqual([1, 1]);
    });

    it("opts out of the present owner alone once that has texted, too", async () => {
      await texted("second", ADA);
      await text("STOP");
      expect(await states()).toEqual([1, 0]);
    });
  });

  describe("HELP", () => {
    it("is answered three times an hour to one number, whichever website answers", async () => {
      await website("second", { sender: OURS });
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

  describe("what a person says to a shared sender", () => {
    const WORDS = "My card ends 4242";

    beforeEach(async () => {
      for (const websiteId of ["second", "third"]) await website(websiteId, { sender: OURS });
      for (const websiteId of ["brand", "second", "third"])
        await world.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/`, events: [...EVENTS] });
    });

    const heard = async (type = "message.received") =>
      (await rows("SELECT website_id AS id FROM events WHERE event = ?1", type)).map(({ id }) => id).sort();

    it.each<[how: string, know: () => Promise<unknown>]>([
      ["has subscribed the person", () => world.subscribers("second", [ADA])],
      ["has unsubscribed the person", () => world.subscribers("second", [`${ADA},,false`])],
    ])("reaches the website that %s, and no other", async (_, know) => {
      await know();
      await text(WORDS);
      expect(await readers()).toEqual([["second", WORDS]]);
      expect(await heard()).toEqual(["second"]);
    });

    it("reaches, of several that know the person, the one that texted last", async () => {
      for (const websiteId of ["brand", "second", "third"]) await world.subscribers(websiteId, [ADA]);
      for (const websiteId of ["third", "second"]) await texted(websiteId, ADA);
      await text(WORDS);
      expect([await readers(), await heard()]).toEqual([[["second", WORDS]], ["second"]]);
    });

    it.each([
      ["none knows the person", []],
      ["two know the person and neither has texted", ["brand", "second"]],
    ])("is kept for the operator where %s", async (_, knowers) => {
      for (const websiteId of knowers) await world.subscribers(websiteId, [ADA]);
      await text(WORDS);
      expect([await readers(), await heard()]).toEqual([[["", WORDS]], []]);
      const list = await (await world.operator("GET", "/inbound/without-effect")).json();
      expect(list).toMatchObject({ texts: [{ websiteId: null, from: ADA, text: WORDS }] });
    });

    it("does not reach a website that knows the person from the STOP alone", async () => {
      await world.subscribers("third", [ADA]);
      await text("STOP");
      expect([await heard(), await heard("subscription.changed")]).toEqual([["third"], ["brand", "second", "third"]]);
      world.advance(1);
      await text(WORDS);
      expect((await readers()).at(-1)).toEqual(["third", WORDS]);
      expect(await heard()).toEqual(["third", "third"]);
    });

    it("is told, of START and HELP, to those that know the person", async () => {
      await world.subscribers("third", [`${ADA},,false`]);
      await text("START");
      expect([await heard(), await stateOf(ADA, "third")]).toEqual([["third"], 1]);
      await text("HELP");
      expect([await heard(), await answers()]).toEqual([["third", "third"], ["third"]]);
      await text("HELP", { from: BOB });
      expect([await heard(), await answers()]).toEqual([
        ["third", "third"],
        ["third", "brand"],
      ]);
    });

    it("reaches the only owner even if it does not know the person, and no former one that does not either", async () => {
      for (const websiteId of ["second", "third"]) await website(websiteId, { sender: "+12125550042" });
      await text(WORDS);
      expect([await readers(), await heard()]).toEqual([[["brand", WORDS]], ["brand"]]);
      await world.subscribers("third", [BOB]);
      await text(WORDS, { from: BOB });
      expect(await heard()).toEqual(["brand", "third"]);
    });
  });
});
