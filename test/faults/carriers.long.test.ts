import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { CARRIERS, mockSockets } from "../carriers/carrier-world.ts";
import { text } from "../carriers/test-carrier.ts";
import { twilio } from "../carriers/twilio.ts";
import { answerAnything, beBusy, CarrierStage } from "./carrier-stage.ts";

mockSockets();

const HOUR = 3600;

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(CARRIERS)("$name", (carrier) => {
  let stage: CarrierStage;

  beforeEach(async () => {
    expect.hasAssertions();
    stage = await CarrierStage.create(carrier);
  });

  /** A push has one carrier: a pause means the same to all. */
  const isOne = inject("faultSeeds") <= 1 && carrier.name !== "twilio";
  const openings = [
    [3, "takes"],
    [5, "never takes"],
  ] as const;

  it.each(isOne ? [] : openings)("that is busy for %d hours, with any Retry-After, %s each message, once", (hours) =>
    beBusy(stage, hours, 20),
  );

  it("that answers anything, at random, has each message at most once, and the record says what it said", async () => {
    for (let seed = 1; seed <= inject("faultSeeds"); seed++) await answerAnything(stage, seed, 100);
  });
});

describe("a carrier whose body says what became of a message", () => {
  it("whose answer breaks off anywhere, without an error, has not said that it took the message", async () => {
    const stage = await CarrierStage.create(twilio);
    const { at } = stage;
    const whole = await (await twilio.accepts()).text();
    const cuts = [0, 1, 2, ...Array.from({ length: 12 }, (_, i) => Math.floor((whole.length * (i + 1)) / 13))];
    at.answer = () => text(whole.slice(0, cuts[at.submitted.length - 1]), 201);
    await stage.sendMany(cuts.length);
    await stage.run();
    // A carrier that says nothing of its messages fails: the others wait for its circuit breaker.
    expect(at.submitted.length).toBeLessThan(cuts.length);
    for (let minute = 0; minute < 90 && at.submitted.length < cuts.length; minute++) await stage.pass(60);
    const unknown = await at.world.rows("SELECT 1 FROM messages WHERE reason LIKE 'outcome unknown%'");
    expect(unknown).toHaveLength(cuts.length);
    for (let hour = 0; hour < 5; hour++) await stage.pass(HOUR);
    expect(at.submitted).toHaveLength(cuts.length);
  });
});
