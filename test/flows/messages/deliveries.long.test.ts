import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ProblemDetail } from "../../../src/domain/operations/problems.ts";
import { ADA, CARRIERS, mockSockets, OURS } from "../../carriers/carrier-world.ts";
import { twilio } from "../../carriers/twilio.ts";
import {
  at,
  beginWithTwilio,
  details,
  expectUndelivered,
  look,
  MINUTE,
  report,
  send,
  testCarrier,
} from "./deliveries-stage.ts";

mockSockets();

beforeEach(beginWithTwilio);

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(CARRIERS.filter((carrier) => carrier !== twilio))("$name", testCarrier);

it.each<[string, number, number, boolean]>([
  ["40 of 100", 100, 40, true],
  ["10 of 100", 100, 10, false],
  ["15 of 100", 100, 15, false],
])("%s: of %i texts, %i to numbers that are none", (_, all, wrong, isProblem) =>
  expectUndelivered(all, wrong, isProblem),
);

describe("two websites of one carrier", () => {
  it("have a problem each by its sender, and the small one is not lost beside the large one", async () => {
    const { world } = at;
    await world.website("small", { carrier: "twilio", sender: "+16465550001" });
    await world.subscribers("small", [ADA]);
    const small = await world.client("small");
    await report(await send(80), (place) => (place % 10 === 0 ? "30003" : undefined));
    await report(await send(6, small), (place) => (place === 0 ? "30003" : "30007"));
    expect(await details()).toEqual([
      ["deliveries-failing", "twilio", "+16465550001", "CARRIER_FILTERED, 30007 × 5 of 6"],
    ]);
    const { senders } = await look();
    expect(senders).toEqual([
      {
        ...{ carrier: "twilio", sender: OURS, cause: "UNDELIVERED, 30003 × 8 of 80" },
        ...{ lastFiveMinutes: { delivered: 72, undelivered: 8 }, lastHour: { delivered: 72, undelivered: 8 } },
      },
      {
        ...{ carrier: "twilio", sender: "+16465550001", cause: "CARRIER_FILTERED, 30007 × 5 of 6" },
        ...{ lastFiveMinutes: { delivered: 0, undelivered: 6 }, lastHour: { delivered: 0, undelivered: 6 } },
      },
    ]);
  });
});

describe("no receipt", () => {
  it("of single texts beside others that have theirs is no problem", async () => {
    for (let quarter = 0; quarter < 3; quarter++) {
      await send(1);
      at.world.advance(MINUTE);
      await report(await send(10));
      await at.world.runQueues();
      at.world.advance(14 * MINUTE);
      await at.world.sweep();
      expect((await look()).problems).toEqual([]);
    }
    await send(4);
    await at.world.runQueues();
    at.world.advance(30 * MINUTE);
    await at.world.sweep();
    expect((await look()).problems).toEqual([]);
  });

  it("since a deploy is a problem, although texts of before still get theirs, and says since when", async () => {
    const before = await send(20);
    await report(before.slice(0, 10));
    for (let minute = 5; minute <= 40; minute += 5) {
      at.world.advance(5 * MINUTE);
      await send(5);
      if (minute === 10) await report(before.slice(10, 11));
      await at.world.sweep();
    }
    const { details } = await look();
    const [missing] = details as [ProblemDetail];
    expect(details).toHaveLength(1);
    expect(missing).toMatchObject({
      problem: "receipts-missing",
      carrier: "twilio",
      since: "2026-11-21T12:10:00.000Z",
    });
  });
});
