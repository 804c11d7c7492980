/** A text that waits for the fallback of its website goes as soon as that works again: no sweep has to find it. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { ACCEPTED, FALLBACK, FallbackStage, FULL, OWN, PHONES, type Side } from "./fallback-stage.ts";

const REFUSED: Submission = { kind: "refused", reason: "not allowed", about: "sender" };

let at: FallbackStage;

beforeEach(async () => {
  at = await FallbackStage.create();
});

const tryCarrier = async (side: Side) => {
  const answer = await at.world.operator("POST", `/carriers/${side}/try`);
  const { due } = await answer.json<{ due: number }>();
  await at.world.runQueues();
  return due;
};

describe("while both pause", () => {
  it.each<[Side, string]>([
    ["south", FALLBACK.sender],
    ["south", ""],
    ["north", OWN.sender],
  ])("all go once an operator has had one of them tried: %s %s", async (side, sender) => {
    await at.pause(OWN.carrier, OWN.sender);
    await at.pause(FALLBACK.carrier, side === "south" ? sender : "");
    const ids = await at.send(PHONES);
    expect(at.submitted).toEqual([]);
    expect(await tryCarrier(side)).toBe(ids.length);
    expect(at.by(side).toSorted()).toEqual(ids.toSorted());
  });

  it("goes once the fallback takes a text of a website whose own sender that is", async () => {
    await at.pause(OWN.carrier, OWN.sender);
    await at.pause(FALLBACK.carrier, FALLBACK.sender);
    const ids = await at.send(PHONES);
    await at.world.website("southern", FALLBACK);
    await at.world.subscribers("southern", PHONES);
    const southern = await at.world.client("southern");
    await at.world.rows("UPDATE carrier_pauses SET open_until = ?1 WHERE carrier = 'south'", at.world.now);
    const own = await at.world.send(southern, { phone: PHONES[0] ?? "" });
    await at.world.runQueues();
    expect(at.by("south").toSorted()).toEqual([own, ...ids].toSorted());
  });

  it("has both tried each minute", async () => {
    await at.pause(OWN.carrier, OWN.sender, 3600);
    await at.pause(FALLBACK.carrier, "", 3600);
    const ids = await at.send(PHONES);
    at.answer.north = () => FULL;
    await at.pass(1);
    expect(at.by("north").length).toBe(1);
    expect(at.by("south").toSorted()).toEqual(ids.toSorted());
  });
});

describe("while its own pauses, and the website has no fallback", () => {
  it.each<[what: string, settings: object]>([
    ["a fallback", { fallback: FALLBACK }],
    ["another carrier", { ...FALLBACK, fallback: null }],
  ])("all go once an operator gives it %s", async (_, settings) => {
    at = await FallbackStage.create(null);
    await at.pause(OWN.carrier, OWN.sender, 3600);
    const ids = await at.send(PHONES.slice(0, 5));
    at.world.advance(2);
    await at.world.operator("PUT", "/websites/brand", { name: "renamed" });
    await at.world.runQueues();
    expect(at.submitted).toEqual([]);
    at.world.advance(2);
    await at.world.operator("PUT", "/websites/brand", settings);
    await at.world.runQueues();
    expect([at.by("north"), at.by("south").toSorted()]).toEqual([[], ids.toSorted()]);
  });
});

describe("a text that one of the two has refused", () => {
  it("waits for the pause of the fallback, which its story says, and goes at its end", async () => {
    at.answer.north = () => REFUSED;
    await at.pause(FALLBACK.carrier, "", 90);
    const [id = ""] = await at.send();
    const answer = await at.world.operator("GET", `/messages/${id}`);
    expect(await answer.json()).toMatchObject({
      waits: { because: "sender  at south keeps failing: its circuit breaker is open (full)" },
    });
    at.world.advance(91);
    await at.world.runQueues();
    expect(at.submitted.map(({ side }) => side)).toEqual(["north", "south"]);
  });

  it("goes by the fallback once an operator has had it tried, and not by its own", async () => {
    at.answer.north = () => REFUSED;
    await at.pause(FALLBACK.carrier, "");
    const ids = await at.send(PHONES.slice(0, 3));
    at.answer.north = () => ACCEPTED;
    expect(await tryCarrier("north")).toBe(0);
    expect(await tryCarrier("south")).toBe(3);
    expect(at.by("south").toSorted()).toEqual(ids.toSorted());
  });

  it("waits for the pace of the fallback, and goes when that has another", async () => {
    const setPace = (messagesPerMinute: number) =>
      at.world.operator("PUT", `/senders/south/${encodeURIComponent(FALLBACK.sender)}`, { messagesPerMinute });
    await setPace(1);
    at.answer.north = () => REFUSED;
    const ids = await at.send(PHONES.slice(0, 3));
    expect(at.by("south")).toHaveLength(1);
    await setPace(100_000);
    await at.world.runQueues();
    expect(at.by("south").toSorted()).toEqual(ids.toSorted());
  });

  it("goes by its own once that works, and not by the fallback that has refused it", async () => {
    at.answer = { north: () => FULL, south: () => REFUSED };
    const ids = await at.send(PHONES.slice(0, 3));
    expect(at.by("south").toSorted()).toEqual(ids.toSorted());
    at.answer = { north: () => ACCEPTED, south: () => ACCEPTED };
    expect(await tryCarrier("south")).toBe(0);
    const tried = at.by("north").length;
    expect(await tryCarrier("north")).toBe(3);
    expect(at.by("north").slice(tried).toSorted()).toEqual(ids.toSorted());
    expect(at.by("south")).toHaveLength(3);
  });
});
