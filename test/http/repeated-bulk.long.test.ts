import { beforeEach, expect, it } from "vitest";
import { ToldCarrier } from "../told-carrier.ts";
import { ADA, accept, begin, bulk, world } from "./repeated-bulk-stage.ts";

beforeEach(begin);

it("what is stored a day after its time is not sent: it has expired", async () => {
  const carrier = new ToldCarrier(world);
  const sendAt = new Date(world.now + 3_600_000).toISOString();
  // Two parts, by their length.
  const callbackData = JSON.stringify("x".repeat(8000));
  const messages = Array.from({ length: 70 }, (_, index) => ({
    phone: ADA,
    text: `No ${index}`,
    callbackData,
    sendAt,
  }));
  await world.website("brand", { dailyLimit: 65 });
  expect((await bulk(messages)).status).toBe(429);
  world.advance(3600 - 420);
  await world.sweep();
  world.advance(420);
  await world.runQueues();
  const sent = carrier.submitted.length;
  expect([sent > 0, sent < 65]).toEqual([true, true]);
  world.advance(24 * 3600);
  expect((await accept(messages)).successSent).toHaveLength(70);
  await world.runQueues();
  await world.pass(3);
  expect(carrier.submitted).toHaveLength(sent);
  const expired = "SELECT count(*) AS n FROM messages WHERE status = 'FAILED_TO_SEND' AND reason_code = 'EXPIRED'";
  expect(await world.rows(expired)).toEqual([{ n: 70 - sent }]);
});
