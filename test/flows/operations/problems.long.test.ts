/** Hours of a service: of ordinary traffic, and of a carrier that is down. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MOST_ATTEMPTS } from "../../../src/domain/messages/retry-policy.ts";
import { ACCEPTED, ADA, AWAY, ProblemsStage } from "./problems-stage.ts";

let at: ProblemsStage;

beforeEach(async () => {
  at = await ProblemsStage.begin();
});

afterEach(() => {
  vi.restoreAllMocks();
});

it("an hour of ordinary traffic has no problem in any minute", async () => {
  await at.expectOrdinary(60);
});

it("a carrier that is down says so for 20 minutes, with cause, beginning and next try", async () => {
  await at.expectPaused(20);
});

it("a carrier that is down for three hours takes the one message that waited", async () => {
  const { world, client } = at;
  let tries = 0;
  at.submit = () => {
    tries++;
    return AWAY;
  };
  const messageId = await world.send(client, { phone: ADA });
  for (let passed = 0; passed < 180; passed += 4) {
    await world.runQueues();
    world.advance(240);
    await world.sweep();
  }
  expect(tries).toBeGreaterThan(MOST_ATTEMPTS);
  at.submit = () => ACCEPTED;
  await world.pass(1);
  expect(await world.statusOf(messageId)).toBe("DELIVERED");
});
