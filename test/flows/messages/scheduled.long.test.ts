/** Messages with a time, many of them, and whatever happens. */
import fc from "fast-check";
import { beforeEach, describe, expect, inject, it } from "vitest";
import type { OutboundMessage } from "../../../src/carriers/carrier.ts";
import type { TestClient, World } from "../../world.ts";
import {
  ADA,
  expectAllGo,
  expectTakenBack,
  HOUR,
  MINUTE,
  race,
  ScheduledStage,
  type Step,
  submitAll,
} from "./scheduled-stage.ts";

/** In a trial there are 100,000 texts. */
const isTrial = inject("faultSeeds") > 1;
const TEXTS_A_RUN = isTrial ? { minLength: 500, maxLength: 900, size: "max" as const } : { minLength: 1, maxLength: 6 };
const RUNS = isTrial ? 200 : 5;
let at: ScheduledStage;
let world: World;
let client: TestClient;

/** What the carrier got. */
let sent: OutboundMessage[];

beforeEach(async () => {
  at = await ScheduledStage.begin();
  ({ world, client, sent } = at);
});

it("no text goes early or twice, whatever the times, the clock, the sweeps and the faults; and all go", async () => {
  const times = fc.array(fc.integer({ min: -4 * MINUTE, max: 3 * HOUR }), TEXTS_A_RUN);
  const step = fc.record({
    seconds: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 * MINUTE }) },
      { weight: 1, arbitrary: fc.constantFrom(-HOUR, HOUR) },
    ),
    fault: fc.constantFrom(null, "before", "after"),
    sweeps: fc.boolean(),
  });
  await fc.assert(fc.asyncProperty(times, fc.array(step, { maxLength: 12 }), expectAllGo), { numRuns: RUNS });
});

it("a client that cancels races the run that submits, 500 times: one wins, the answer names it, and the client hears of it once", async () => {
  const at = await ScheduledStage.begin();
  for (let turn = 0; turn < 20; turn++) await race(at, turn, {}, () => submitAll(at));
});

it("a client that cancels races the sweep that queues, 500 times: the same", async () => {
  const at = await ScheduledStage.begin();
  for (let turn = 0; turn < 20; turn++) await race(at, turn, { sendAt: at.inSeconds(HOUR) }, () => at.world.sweep());
});

it.each([4, 8, 12])(
  "a message %i minutes ahead, whose client was told that it is not stored, does not go before the cancellation, whenever the store comes back",
  expectTakenBack,
);

describe("a message that expires", () => {
  it("is not submitted from then on, and ends as EXPIRED", async () => {
    at.answer = { kind: "later", reason: "busy", retryAfterSeconds: 10 * MINUTE };
    const { messageId } = await at.schedule(HOUR, { expireAt: at.inSeconds(HOUR + 30 * MINUTE) });
    const expiresAt = world.now + (HOUR + 30 * MINUTE) * 1000;
    await at.passUntil(expiresAt - 1);
    const tries = sent.length;
    expect(tries).toBeGreaterThan(1);
    at.answer = { kind: "accepted", carrierMessageId: "late" };
    await at.passUntil(expiresAt + 5 * MINUTE * 1000);
    expect(sent).toHaveLength(tries);
    expect(await at.statusOf(messageId)).toMatchObject({ status: "FAILED_TO_SEND", reason: "EXPIRED" });
    expect((await world.events(client)).map(({ status }) => status)).toEqual(["FAILED_TO_SEND"]);
  });

  it("may wait for longer than any other", async () => {
    at.answer = { kind: "later", reason: "away", retryAfterSeconds: HOUR };
    const messageId = await world.send(client, { phone: ADA, expireAt: at.inSeconds(24 * HOUR) });
    await at.passUntil(world.now + 6 * HOUR * 1000);
    expect(await at.statusOf(messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
    at.answer = { kind: "accepted", carrierMessageId: "at last" };
    await at.passUntil(world.now + HOUR * 1000);
    expect(await at.statusOf(messageId)).toMatchObject({ status: "SENDING" });
  });
});

it("no text goes early or twice, and all go, though the clock jumps and a transaction that queues them is lost", async () => {
  const steps: Step[] = [
    { seconds: 20 * MINUTE, fault: "after", sweeps: true },
    { seconds: -HOUR, fault: "before", sweeps: true },
    { seconds: HOUR, fault: null, sweeps: false },
    { seconds: 10 * MINUTE, fault: "after", sweeps: true },
  ];
  await expectAllGo([-3 * MINUTE, 5 * MINUTE, 25 * MINUTE, 35 * MINUTE, HOUR, 3 * HOUR], steps);
});
