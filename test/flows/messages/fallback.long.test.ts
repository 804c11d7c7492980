import { beforeEach, describe, expect, it } from "vitest";
import { FALLBACK, FallbackStage, OWN, PHONES, refusedBy } from "./fallback-stage.ts";

let at: FallbackStage;

beforeEach(async () => {
  at = await FallbackStage.create();
});

describe("a text that its own sender has refused", () => {
  it("goes by no other than the fallback, whose pace it waits for", async () => {
    await at.world.operator("PUT", `/senders/south/${encodeURIComponent(FALLBACK.sender)}`, { messagesPerMinute: 4 });
    at.answer.north = () => refusedBy("sender");
    const ids = await at.send(PHONES);
    for (let step = 0; step < 16; step++) {
      at.world.advance(16);
      await at.world.sweep();
      await at.world.runQueues();
    }
    expect(at.by("north").toSorted()).toEqual(ids.toSorted());
    expect(at.by("south").toSorted()).toEqual(ids.toSorted());
  });
});

describe("while its own pauses", () => {
  it("keeps to the pace of the fallback", async () => {
    await at.world.operator("PUT", `/senders/south/${encodeURIComponent(FALLBACK.sender)}`, { messagesPerMinute: 1 });
    await at.pause(OWN.carrier, OWN.sender);
    await at.send(PHONES.slice(0, 3));
    expect(at.by("south")).toHaveLength(1);
  });
});

it.each([2, 3])("takes each text once at most over both, whatever they answer: %i", (seed) => at.expectOnce(seed));
