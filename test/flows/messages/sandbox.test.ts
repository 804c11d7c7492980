import { beforeEach, describe, expect, it } from "vitest";
import { type TestClient, World } from "../../world.ts";

let world: World;
let client: TestClient;

const NUMBERS = ["+12125550001", "+12125550002", "+12125550003", "+12125550004", "+12125550005", "+12125550100"];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(NUMBERS);
});

describe("the sandbox carrier", () => {
  it.each([
    ["0001", "FAILED_TO_SEND", ["FAILED_TO_SEND"]],
    ["0002", "FAILED_TO_DELIVERY", ["SENDING", "FAILED_TO_DELIVERY"]],
    ["0003", "SENDING", ["SENDING"]],
    ["0004", "DELIVERED", ["SENDING", "DELIVERED"]],
    ["0005", "SENDING", ["SENDING"]],
    ["0100", "DELIVERED", ["SENDING", "DELIVERED"]],
  ])("makes of a number that ends in %s: %s", async (lastFour, status, changes) => {
    const messageId = await world.send(client, { phone: `+1212555${lastFour}` });
    await world.runQueues();
    if (lastFour === "0004") {
      expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
      world.advance(1);
      await world.runQueues();
    }
    expect(await world.statusOf(messageId)).toBe(status);
    const rows = await world.rows(
      `SELECT event FROM events WHERE message_id = ?1 ORDER BY occurred_at, event = 'SENDING' DESC`,
      messageId,
    );
    expect(rows.map(({ event }) => event)).toEqual(changes);
  });

  it("leaves 0003 and 0005 in SENDING until the deadline", async () => {
    const ids = [await world.send(client, { phone: NUMBERS[2] }), await world.send(client, { phone: NUMBERS[4] })];
    await world.runQueues();
    world.advance(24 * 3600);
    await world.sweep();
    for (const id of ids) expect(await world.statusOf(id)).toBe("FAILED_TO_DELIVERY");
  });
});
