/** Texts to a sender that no website has, or has had: nothing here chooses one of several websites. */
import { beforeEach, describe, expect, it } from "vitest";
import {
  ADA,
  answers,
  BOB,
  begin,
  OURS,
  readers,
  rows,
  STRANGER,
  stateOf,
  text,
  texted,
  website,
  withoutEffect,
  world,
} from "../people/inbound-world.ts";

const NOBODY = "+12125550077";
const HUNGARIAN = "+3615550100";
const AMERICAN = "+13615550100";

describe.each([1, 2])("with %i databases, a text to nobody's number", (databases) => {
  beforeEach(async () => {
    await begin(databases);
    await website("second", { carrier: "sandbox", sender: "+12125550042" });
    for (const websiteId of ["brand", "second"]) await world.subscribers(websiteId, [ADA, BOB, HUNGARIAN, AMERICAN]);
  });

  const problems = async () =>
    ((await (await world.operator("GET", "/health")).json()) as { problems: string[] }).problems;
  const states = (phone = ADA) => Promise.all(["brand", "second"].map((websiteId) => stateOf(phone, websiteId)));

  it("opts out of every website that has texted the person, with one confirmation from the latest", async () => {
    await texted("second", ADA);
    await texted("brand", ADA, BOB);
    await text("STOP", { to: NOBODY });
    expect([await states(), await states(BOB), await answers()]).toEqual([[0, 0], [1, 1], ["brand"]]);
    expect(withoutEffect()).toEqual([]);
    await text("STOP", { from: BOB, to: NOBODY });
    expect(await states(BOB)).toEqual([0, 1]);
  });

  it("opts out of a website that has left the carrier since it texted the person", async () => {
    await texted("second", ADA);
    await rows("UPDATE websites SET carrier = 'twilio' WHERE website_id = 'second'");
    await rows(
      "INSERT INTO former_senders SELECT 'sandbox', sender, website_id FROM websites WHERE carrier = 'twilio'",
    );
    await text("STOP", { to: NOBODY });
    expect(await states()).toEqual([1, 0]);
  });

  it.each([
    ["from a person whom nobody has texted", ADA],
    ["from a number that nobody knows", STRANGER],
    ["from what is no number", "ALERTS"],
  ])("%s opts out of nothing, is confirmed to nobody, and is a problem", async (_, from) => {
    await world.sweep();
    await text("STOP", { from, to: NOBODY });
    expect([await states(), await answers()]).toEqual([[1, 1], []]);
    expect(await stateOf(STRANGER)).toBe(undefined);
    expect(await readers()).toEqual([["", "STOP"]]);
    expect(withoutEffect()).toMatchObject([{ websiteId: "", keyword: "stop" }]);
    expect(await problems()).toEqual(["keywords-without-effect"]);
  });

  it("from one of two numbers that were both texted is a problem: which is meant is not guessed", async () => {
    await world.sweep();
    await texted("brand", AMERICAN);
    await texted("second", HUNGARIAN);
    await text("STOP", { from: "3615550100", to: NOBODY });
    expect([await states(AMERICAN), await states(HUNGARIAN), await answers()]).toEqual([[1, 1], [1, 1], []]);
    expect(withoutEffect()).toHaveLength(1);
    await text("STOP", { from: AMERICAN, to: NOBODY });
    expect(await states(AMERICAN)).toEqual([0, 1]);
  });

  it.each(["START", "HELP", "thank you", "please stop texting me"])("reaches no client: %s", async (words) => {
    await world.client("brand", { callbackUrl: "https://brand.example.com/", events: ["message.received"] });
    await texted("brand", ADA);
    await world.subscribers("brand", [`${ADA},,false`]);
    await text(words, { to: NOBODY });
    expect([await readers(), await rows("SELECT * FROM events WHERE body IS NOT NULL"), await answers()]).toEqual([
      [["", words]],
      [],
      [],
    ]);
    expect(await stateOf()).toBe(0);
    const list = await (await world.operator("GET", "/inbound/without-effect")).json();
    expect(list).toMatchObject({ texts: [{ websiteId: null, from: ADA, text: words }] });
  });

  it("may be in the words of the websites that have texted the person", async () => {
    await world.operator("PUT", "/websites/second", { optOutWords: ["BAJA"] });
    await texted("brand", ADA);
    await text("Baja", { to: NOBODY });
    expect(await states()).toEqual([1, 1]);
    await texted("second", ADA);
    await text("Baja", { to: NOBODY });
    expect(await states()).toEqual([0, 0]);
  });
});

describe.each([1, 2])("with %i databases, a website's number in another form", (databases) => {
  const FORMS = ["0012125550000", "01112125550000", " 12125550000", "2125550000", "(212) 555-0000", "+1 212 555 0000"];

  beforeEach(async () => {
    await begin(databases);
    await website("second", { carrier: "sandbox", sender: "+12125550042" });
    for (const websiteId of ["brand", "second"]) await world.subscribers(websiteId, [ADA]);
    await texted("second", ADA);
  });

  it.each(FORMS)("%s is that website's, and not that of the one that texted last", async (to) => {
    await text("STOP", { to });
    expect([await stateOf(), await stateOf(ADA, "second"), await answers()]).toEqual([0, 1, ["brand"]]);
    world.advance(1);
    await text("hello", { to });
    expect((await readers()).at(-1)).toEqual(["brand", "hello"]);
  });

  it.each(["12125550000", "0012125550000", "2125550000"])(
    "%s may be the form of the website's own setting",
    async (sender) => {
      await website("brand", { carrier: "sandbox", sender });
      await rows("DELETE FROM former_senders");
      await text("STOP", { to: OURS });
      expect([await stateOf(), await stateOf(ADA, "second")]).toEqual([0, 1]);
    },
  );
});
