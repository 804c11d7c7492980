/** A sender whose queue at the carrier is full for an hour. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { mockSockets } from "../../carriers/carrier-world.ts";
import { twilio } from "../../carriers/twilio.ts";
import { FULL, MANY, SenderStage, TWENTY } from "./sender-stage.ts";

mockSockets();

let at: SenderStage;

beforeEach(async () => {
  at = await SenderStage.create();
});

afterEach(() => at.end());

it("is tried once a minute, and holds nobody up", async () => {
  await at.send(at.shop, MANY);
  await at.pass(15);
  const tried = at.from(FULL).length;
  await at.pass(5);
  // The minute's one try, and one more where a pause has just ended.
  expect(at.from(FULL).length - tried).toBeLessThanOrEqual(2 * 5);
  await at.send(at.at.client);
  expect(at.ours).toHaveLength(TWENTY.length);
  await at.pass(40);
  expect(await at.statuses("shop")).toEqual(["PENDING_TO_SEND"]);
  at.at.answer = twilio.accepts;
  await at.pass(2);
  expect(await at.statuses("shop")).toEqual(["SENDING"]);
  expect(await at.pauses()).toEqual([]);
});
