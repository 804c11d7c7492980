import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { CARRIERS, mockSockets } from "../carriers/carrier-world.ts";
import { answerAnything, beBusy, CarrierStage } from "./carrier-stage.ts";

mockSockets();

describe.each(CARRIERS)("$name", (carrier) => {
  let stage: CarrierStage;

  beforeEach(async () => {
    expect.hasAssertions();
    stage = await CarrierStage.create(carrier);
  });

  afterEach(() => {
    vi.restoreAllMocks();
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
