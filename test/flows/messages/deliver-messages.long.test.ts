/** A carrier that cannot take a message for four hours. reasons.test.ts has it in large steps. */
import { expect, it } from "vitest";
import { ToldCarrier } from "../../told-carrier.ts";
import { World } from "../../world.ts";

const ADA = "+12125550100";

it("a message that the carrier cannot take within four hours ends as FAILED_TO_SEND, after some forty tries", async () => {
  const world = await World.create();
  const client = await world.brand([ADA]);
  const carrier = new ToldCarrier(world);
  carrier.answer = () => ({ kind: "later", reason: "busy" });
  const messageId = await world.send(client, { phone: ADA });
  for (let minute = 0; minute < 250; minute += 5) {
    await world.runQueues();
    await world.sweep();
    world.advance(300);
  }
  const [message] = await world.rows("SELECT status, reason FROM messages WHERE message_id = ?1", messageId);
  const reason = "the carrier could not take it in time (before: busy)";
  expect(message).toEqual({ status: "FAILED_TO_SEND", reason });
  expect(await world.rows("SELECT event FROM events")).toEqual([{ event: "FAILED_TO_SEND" }]);
  const tries = carrier.submitted.length;
  expect(tries).toBeGreaterThan(20);
  expect(tries).toBeLessThan(60);
  await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
  expect(carrier.submitted).toHaveLength(tries);
});
