/** Texts with an opt-out word among other words: the service does not guess, a person decides. */
import { beforeEach, describe, expect, it } from "vitest";
import type { TestClient } from "../../world.ts";
import { ADA, BOB, begin, HOUR, OURS, STRANGER, stateOf, text, website, world } from "./inbound-world.ts";

const DAY = 24 * HOUR;
const MAYBE = "please stop texting me";

interface Health {
  problems: string[];
  maybeOptOuts: { count: number; oldestSeconds: number | null };
}

describe.each([1, 2])("with %i databases, a text that may be an opt-out", (databases) => {
  beforeEach(async () => {
    await begin(databases);
    await website("second", { carrier: "sandbox", sender: "+12125550042" });
    for (const websiteId of ["brand", "second"]) await world.subscribers(websiteId, [ADA, BOB]);
    await world.sweep();
  });

  const look = async () => (await (await world.operator("GET", "/health")).json()) as Health;
  const list = async (path: string) =>
    ((await (await world.operator("GET", path)).json()) as { texts: Record<string, unknown>[] }).texts;

  it("changes nothing, and is a problem until the number is opted out", async () => {
    await text(MAYBE);
    world.advance(30);
    await text(MAYBE, { from: BOB, to: "+12125550042" });
    expect([await stateOf(), await stateOf(BOB, "second")]).toEqual([1, 1]);
    expect(await look()).toMatchObject({
      problems: ["maybe-opt-outs"],
      maybeOptOuts: { count: 2, oldestSeconds: 30 },
    });
    await world.subscribers("brand", [`${ADA},,false`]);
    expect(await look()).toMatchObject({ problems: ["maybe-opt-outs"], maybeOptOuts: { count: 1 } });
    await text("STOP", { from: BOB, to: "+12125550042" });
    expect(await look()).toMatchObject({ problems: [], maybeOptOuts: { count: 0, oldestSeconds: null } });
  });

  it("is a problem for three days", async () => {
    await text(MAYBE);
    world.advance(3 * DAY - 1);
    await world.sweep();
    expect((await look()).problems).toEqual(["maybe-opt-outs"]);
    world.advance(1);
    await world.sweep();
    expect((await look()).problems).toEqual([]);
  });

  it("is none from a number that is opted out, and one from a number that is not known yet", async () => {
    await world.subscribers("brand", [`${ADA},,false`]);
    await text(MAYBE);
    expect((await look()).problems).toEqual([]);
    await text(MAYBE, { from: STRANGER });
    expect((await look()).problems).toEqual(["maybe-opt-outs"]);
  });

  it("is marked in the texts of its website, among those without effect, and in the person's", async () => {
    await text("thank you");
    world.advance(1);
    await text(MAYBE);
    expect((await list("/websites/brand/inbound")).map((one) => [one.text, one.maybeOptOut, one.keyword])).toEqual([
      [MAYBE, true, null],
      ["thank you", false, null],
    ]);
    expect(await list("/inbound/without-effect")).toMatchObject([{ websiteId: "brand", from: ADA, maybeOptOut: true }]);
    const person = await (await world.operator("GET", `/websites/brand/people/${ADA}`)).json();
    expect(person).toMatchObject({ texts: [{ maybeOptOut: true }, { maybeOptOut: false }] });
  });

  it("is a problem also where it is for no website", async () => {
    await text(MAYBE, { to: "+12125550077" });
    expect((await look()).problems).toEqual(["maybe-opt-outs"]);
    expect(await list("/inbound/without-effect")).toMatchObject([{ websiteId: null, maybeOptOut: true }]);
  });

  it("is by the words of the website that was texted", async () => {
    await world.operator("PUT", "/websites/brand", { optOutWords: ["BAJA"] });
    await text("la baja ya", { to: "+12125550042" });
    expect((await look()).problems).toEqual([]);
    await text("la baja ya", { to: OURS });
    expect((await look()).problems).toEqual(["maybe-opt-outs"]);
  });

  describe("that quotes", () => {
    const SALE = "Brand: 20% off today. Reply STOP to opt out";
    let client: TestClient;

    beforeEach(async () => {
      client = await world.client("brand");
    });

    const texted = async (words: string, phone = ADA) => {
      await world.send(client, { phone, text: words });
      await world.runQueues();
    };

    it.each([
      ["in a reaction, whatever was texted", `Liked “${SALE}”`, "something else", []],
      ["what the person got last", `Mi piace «${SALE}»`, SALE, []],
      ["a part of it", `> 20% off today. Reply STOP to\nbravo`, SALE, []],
      ["what the person never got", `Mi piace «${SALE}»`, "something else", ["maybe-opt-outs"]],
      ["what the person got, beside words", `«${SALE}» stop it now`, SALE, ["maybe-opt-outs"]],
    ])("%s", async (_, words, sent, problems) => {
      await texted(sent);
      await text(words);
      expect((await look()).problems).toEqual(problems);
      const texts = await list("/websites/brand/inbound");
      expect(texts.map((one) => [one.text, one.maybeOptOut, one.keyword])).toEqual([
        [words, problems.length > 0, null],
      ]);
    });

    it("in a reaction, what the person has sent", async () => {
      await texted(SALE);
      await text("please do not stop the sale");
      await text("Emphasized “please do not stop the sale”", { from: BOB });
      await text("Emphasized “please do not stop the sale”");
      const texts = (await list("/websites/brand/inbound")).filter((one) => String(one.text).startsWith("Emphasized"));
      expect(texts.map((one) => [one.from, one.maybeOptOut]).sort()).toEqual([
        [ADA, true],
        [BOB, false],
      ]);
    });

    it("what another person or website has got", async () => {
      await texted(SALE, BOB);
      const second = await world.client("second");
      await world.send(second, { phone: ADA, text: SALE });
      await world.runQueues();
      await text(`Mi piace «${SALE}»`);
      expect((await look()).problems).toEqual(["maybe-opt-outs"]);
    });
  });
});
