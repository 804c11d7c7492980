import { beforeEach, describe, expect, it } from "vitest";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { World } from "../world.ts";

const ADA = "+12125550100";

let world: World;

beforeEach(async () => {
  world = await World.create();
  await world.website("brand", { sender: "+12125550000", helpText: "Write to us" });
});

let texts = 0;
const text = (words: string) =>
  receiveInbound(world.deps, "sandbox", {
    carrierMessageId: `in-${++texts}`,
    from: ADA,
    to: ["+12125550000"],
    text: words,
    keyword: null,
    answeredByCarrier: false,
  });
const replies = () =>
  world.rows("SELECT text, status FROM messages WHERE send_purpose = 'keyword-reply' ORDER BY status DESC");

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
