/** A website with a fallback: its texts go by it where their own sender, account or carrier fails them, and never twice. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { ACCEPTED, DOWN, FALLBACK, FallbackStage, FULL, OWN, PHONES, refusedBy, UNKNOWN } from "./fallback-stage.ts";

let at: FallbackStage;

beforeEach(async () => {
  at = await FallbackStage.create();
});

const bySouth = ["SENDING", null, FALLBACK.carrier, FALLBACK.sender];

describe("after an answer of its own carrier, a text", () => {
  it.each<[what: string, Submission]>([
    ["a full queue", FULL],
    ["a carrier that is down", DOWN],
    ["an account without funds", { kind: "later", reason: "HTTP 402", failing: "account", unauthorized: true }],
    ["a refused sender", refusedBy("sender")],
    ["a refused account", refusedBy("account")],
    ["a refusal of the carrier's own", refusedBy("carrier")],
  ])("goes by the fallback at once: %s", async (_, answer) => {
    at.answer.north = () => answer;
    const [id = ""] = await at.send();
    expect(at.submitted.map(({ side, from }) => [side, from])).toEqual([
      ["north", OWN.sender],
      ["south", FALLBACK.sender],
    ]);
    expect(await at.stateOf(id)).toEqual(bySouth);
    expect(await at.story(id)).toEqual([
      { outcome: expect.any(String), reason: "reason" in answer ? answer.reason : null },
      { outcome: "accepted", reason: "by the fallback, +12065550199 at south: +12065550100 at north has not taken it" },
    ]);
  });

  it.each<[what: string, Submission, state: unknown[]]>([
    ["an unknown outcome", UNKNOWN, ["SENDING", "OUTCOME_UNKNOWN"]],
    ["a refused number or text", { kind: "refused", reason: "no such number" }, ["FAILED_TO_SEND", "CARRIER_REFUSED"]],
    [
      "a person who opted out there",
      { kind: "refused", reason: "no", optedOut: true },
      ["FAILED_TO_SEND", "OPTED_OUT"],
    ],
    ["acceptance", ACCEPTED, ["SENDING", null]],
  ])("never goes by the fallback: %s", async (_, answer, state) => {
    at.answer.north = () => answer;
    const [id = ""] = await at.send();
    await at.pass(3);
    expect(at.submitted.map(({ side }) => side)).toEqual(["north"]);
    expect((await at.stateOf(id)).slice(0, 2)).toEqual(state);
  });

  it("never goes by the fallback: the invocation may make no more requests", async () => {
    at.answer.north = () => ({ kind: "later", reason: "no more requests", exhausted: true });
    await at.send();
    await at.pass(2);
    expect(at.by("north").length).toBeGreaterThan(1);
    expect(at.by("south")).toEqual([]);
  });

  it("never goes by the fallback: it waits for the pace of its own sender", async () => {
    await at.world.operator("PUT", `/senders/north/${encodeURIComponent(OWN.sender)}`, { messagesPerMinute: 1 });
    await at.send(PHONES.slice(0, 3));
    await at.pass(2);
    expect(at.by("north").length).toBeGreaterThan(1);
    expect(at.by("south")).toEqual([]);
  });

  it("ends once both have refused it, and goes by its own again where the fallback only fails", async () => {
    at.answer = { north: () => refusedBy("sender"), south: () => refusedBy("account") };
    const [refused = ""] = await at.send();
    expect(await at.stateOf(refused)).toEqual(["FAILED_TO_SEND", "CARRIER_REFUSED", "south", FALLBACK.sender]);
    at.answer = { north: () => FULL, south: () => FULL };
    const [full = ""] = await at.send([PHONES[1] ?? ""]);
    at.answer.north = () => ACCEPTED;
    await at.pass(1);
    expect(await at.stateOf(full)).toEqual(["SENDING", null, OWN.carrier, OWN.sender]);
  });
});

describe("a text that its own sender has refused", () => {
  it("waits for the fallback while that pauses", async () => {
    at.answer.north = () => refusedBy("sender");
    await at.pause(FALLBACK.carrier, "", 90);
    const [id = ""] = await at.send();
    await at.pass(4);
    expect(at.submitted.map(({ side }) => side)).toEqual(["north", "south"]);
    expect(await at.stateOf(id)).toEqual(bySouth);
  });
});

describe("while its own pauses", () => {
  it.each([
    ["the sender", OWN.sender],
    ["the carrier", ""],
  ])("(%s) all of its texts go by the fallback, and by its own once it works", async (_, sender) => {
    await at.pause(OWN.carrier, sender);
    const ids = await at.send(PHONES);
    expect([at.by("north"), at.by("south").toSorted()]).toEqual([[], ids.toSorted()]);
    expect(await at.story(ids[0] ?? "")).toEqual([
      { outcome: "accepted", reason: "by the fallback, +12065550199 at south: +12065550100 at north pauses" },
    ]);
    at.world.advance(601);
    const [later = ""] = await at.send();
    expect(at.by("north")).toEqual([later]);
  });

  it("they wait if the fallback pauses as well, until the first of the two works", async () => {
    await at.pause(OWN.carrier, OWN.sender);
    await at.pause(FALLBACK.carrier, "", 60);
    const ids = await at.send(PHONES);
    expect(at.submitted).toEqual([]);
    await at.pass(2);
    expect(at.by("south").toSorted()).toEqual(ids.toSorted());
  });
});

it("takes each text once at most over both, whatever they answer", () => at.expectOnce(1));
