/** The sweep finds each message that is not final: none is lost, or waits for ever. */

import { beforeEach, describe, expect, it } from "vitest";
import { RECOVERY_MILLISECONDS } from "../../../src/domain/messages/retry-policy.ts";
import { takeOverdue } from "../../../src/store/messages/overdue.ts";
import { ACCEPTED } from "../../told-carrier.ts";
import type { World } from "../../world.ts";
import { DAY, HOUR, LATER, MINUTE, OverdueStage, PEOPLE } from "./overdue-stage.ts";

let at: OverdueStage;
let world: World;

beforeEach(async () => {
  at = await OverdueStage.begin();
  ({ world } = at);
});

const withoutReceipt = async () =>
  ((await (await world.operator("GET", "/health")).json()) as { messages: { withoutReceipt: { count: number } } })
    .messages.withoutReceipt.count;

describe("a message", () => {
  it("without a receipt is ended at its deadline", async () => {
    const messageId = await at.submitted();
    await at.sweepAfter(DAY - MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    await at.sweepAfter(2 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });

  it("whose job is lost gets another a minute later", async () => {
    const messageId = await at.lost();
    await at.sweepAfter(MINUTE - 1);
    expect(world.jobs.length).toBe(0);
    await at.sweepAfter(2);
    await at.sweepAfter(10 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
  });

  it.each([
    ["submitted", ACCEPTED],
    ["of an unknown outcome", { kind: "unknown", reason: "no answer" }],
  ] as const)("that is %s after a retry is ended at its deadline, too", async (_, then) => {
    at.submission = LATER;
    const messageId = await at.submitted();
    await at.sweepAfter(5 * MINUTE);
    at.submission = then;
    await at.sweepAfter(6 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    await at.sweepAfter(DAY);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });

  it.each([
    ["a receipt says that it was sent", (messageId: string) => at.receive(messageId, "SENDING")],
    ["its run was cut off", () => at.sweepAfter(40 * MINUTE)],
  ])("that a run has claimed and not ended is ended once %s", async (_, become) => {
    const messageId = await world.send(at.client, { phone: PEOPLE[0] });
    await at.cutOff();
    await at.sweepAfter(5 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    await become(messageId);
    await at.sweepAfter(40 * MINUTE);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    await at.sweepAfter(DAY);
    expect(await world.statusOf(messageId)).toBe("FAILED_TO_DELIVERY");
  });
});

describe("a message whose job is lost", () => {
  it.each([
    ["that no run has claimed waits for a job that may cancel it", null, null, RECOVERY_MILLISECONDS],
    ["that was submitted before goes at once", "sandbox", "busy", 0],
    ["that was released goes at once", "sandbox", null, 0],
    ["that its only run has skipped goes at once", null, "kannel is slow", 0],
  ])("%s", async (_, carrier, reason, wait) => {
    const messageId = await at.lost();
    await world.rows("UPDATE messages SET carrier = ?1, reason = ?2", carrier, reason);
    world.advance(HOUR);
    const { now } = world;
    const found = await takeOverdue(world.deps.db, { dueBefore: now, longestWait: DAY * 1000 }, now);
    expect(found).toEqual([{ messageId, websiteId: "brand", at: now + wait }]);
    expect(await world.rows("SELECT due_at FROM messages")).toEqual([{ due_at: now + wait }]);
  });
});

describe("the state of the service", () => {
  it("counts a message without a receipt once", async () => {
    const [first] = [await at.submitted(PEOPLE[0]), await at.submitted(PEOPLE[1])];
    expect(await withoutReceipt()).toBe(2);
    await at.sweepAfter(5 * MINUTE);
    await at.submitted(PEOPLE[2]);
    expect(await withoutReceipt()).toBe(3);
    await at.receive(first, "DELIVERED");
    expect(await withoutReceipt()).toBe(2);
  });
});

it("whatever came before, each message without a final receipt is ended within a day of its submission, and an hour", async () => {
  await at.play([
    { action: "lost", seconds: 0, pick: 0 },
    { action: "later", seconds: 30, pick: 1 },
    { action: "send", seconds: 61, pick: 2 },
    { action: "receipt", seconds: 1, pick: 2 },
    { action: "sweep", seconds: 200, pick: 0 },
    { action: "send", seconds: 601, pick: 3 },
    { action: "cancel", seconds: 0, pick: 0 },
    { action: "receipt", seconds: 0, pick: 1 },
  ]);
});
