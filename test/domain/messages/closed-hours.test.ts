/** What closed hours make of one message: when it may go, spread over the beginning of the window and never past its end. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ruleOn } from "../../../src/domain/messages/closed-hours.ts";
import type { SendingHours } from "../../../src/domain/messages/sending-hours.ts";

const MINUTE = 60_000;
/** New York, in summer: 4 hours behind UTC. */
const PHONE = "+12125550100";
const at = (time: string) => Date.parse(`2027-06-02T${time}:00-04:00`);
const NINE = at("09:00");

const hours = (until: string, whenClosed: SendingHours["whenClosed"] = "delay"): SendingHours => ({
  profile: "custom",
  windows: [{ days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], from: "09:00", until }],
  whenClosed,
});

const message = (place: number, fields: object = {}) => ({
  ...{ phone: PHONE, messageId: `01890a5d-ac96-774b-bcce-b302${place.toString(16).padStart(8, "0")}` },
  ...fields,
});

describe("a message while its hours are closed", () => {
  it("goes within 15 minutes of the opening, before they close and before it expires, at whole steps of 5 seconds", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 2 ** 32 - 1 }),
        fc.integer({ min: 1, max: 30 }),
        fc.option(fc.integer({ min: 1, max: 30 * MINUTE })),
        (place, minutes, expires) => {
          const expiresAt = expires === null ? null : NINE + expires;
          const until = `09:${String(minutes).padStart(2, "0")}`;
          const ruling = ruleOn(hours(until), message(place, { expiresAt }), at("03:00"));
          if (ruling.kind !== "waits") throw new Error(ruling.kind);
          const after = ruling.sendAt - NINE;
          expect(ruling.opensAt).toBe(NINE);
          expect(after % 5000).toBe(0);
          expect(after).toBeGreaterThanOrEqual(0);
          expect(after).toBeLessThan(Math.min(15 * MINUTE, minutes * MINUTE, expires ?? 15 * MINUTE));
        },
      ),
    );
  });

  it("of a bulk request is spread evenly, and each has its time for good", () => {
    const times = Array.from({ length: 1800 }, (_, place) => {
      const ruling = ruleOn(hours("20:00"), message(place), at("03:00"));
      return ruling.kind === "waits" ? ruling.sendAt : 0;
    });
    const counts = [...Map.groupBy(times, (time) => time).values()].map(({ length }) => length);
    expect(new Set(counts)).toEqual(new Set([10]));
    expect(counts).toHaveLength(180);
    expect(ruleOn(hours("20:00"), message(7), at("08:59"))).toMatchObject({ sendAt: times[7] });
  });

  it.each([
    ["delay", NINE, "EXPIRED"],
    ["delay", NINE - 1, "EXPIRED"],
    ["refuse", NINE + 1, "QUIET_HOURS"],
    ["refuse", NINE - 1, "QUIET_HOURS"],
  ] as const)("ends with %s if it expires at %d: %s", (whenClosed, expiresAt, code) => {
    expect(ruleOn(hours("20:00", whenClosed), message(0, { expiresAt }), at("03:00"))).toMatchObject({
      kind: "ends",
      code,
    });
  });

  it("ends where they never open: in two zones, and without any", () => {
    const short: SendingHours = {
      ...hours("09:01"),
      windows: [{ days: ["mon"], from: "09:00", until: "09:01" }],
    };
    for (const phone of ["+18505550100", "+881612345678"])
      expect(ruleOn(short, { ...message(0), phone }, at("03:00"))).toMatchObject({ kind: "ends", code: "QUIET_HOURS" });
  });
});

it("a message while they are open goes, until they close", () => {
  expect(ruleOn(hours("20:00", "refuse"), message(0), NINE)).toEqual({ kind: "goes", until: at("20:00") });
});
