import fc from "fast-check";
import { expect, it } from "vitest";
import { hoursAt, LOOK_AHEAD_DAYS, type SendingHours } from "../../../src/domain/messages/sending-hours.ts";
import { DAYS, type Day } from "../../../src/domain/messages/weekly-windows.ts";
import { CANDIDATES, type Candidates, candidatesByTables, isOpenByHand } from "./hours-oracle.ts";

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 1);
const END = Date.UTC(2029, 10, 30);

/** A day of each change of a clock within three years: North America, Europe, Australia. */
export const CLOCK_CHANGES = [
  ...["2026-11-01", "2027-03-14", "2027-11-07", "2028-03-12", "2028-11-05", "2029-03-11", "2029-11-04"],
  ...["2027-03-28", "2027-10-31", "2028-03-26", "2028-10-29", "2029-03-25", "2029-10-28"],
  ...["2027-04-04", "2027-10-03", "2028-04-02", "2028-10-01", "2029-04-01", "2029-10-07"],
].map((day) => Date.parse(day));

const instant = fc.oneof(
  fc.integer({ min: START, max: END }),
  fc
    .tuple(fc.constantFrom(...CLOCK_CHANGES), fc.integer({ min: -40 * HOUR, max: 40 * HOUR }))
    .map(([day, distance]) => day + distance),
);

const phone = fc
  .tuple(fc.constantFrom(...Object.keys(CANDIDATES)), fc.integer({ min: 2_000_000, max: 9_999_999 }))
  .map(([beginning, rest]) => ({ phone: `${beginning}${rest}`, candidates: CANDIDATES[beginning] as Candidates }));

/** Numbers with any area code and any calling code, also those that nobody has. */
const anyPhone = fc
  .oneof(
    fc.integer({ min: 2_000_000_000, max: 9_999_999_999 }).map((digits) => `+1${digits}`),
    fc.integer({ min: 20_000_000_000, max: 99_999_999_999 }).map((digits) => `+${digits}`),
  )
  .map((phone) => ({ phone, candidates: candidatesByTables(phone) }))
  .filter(({ candidates }) => candidates.length > 0);

export const STRICT: SendingHours = { profile: "us-strict", whenClosed: "delay" };

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

const days = fc.subarray([...DAYS] as Day[], { minLength: 1 });

/** Windows of any length: within a day, until its end, across midnight, none; and of a few minutes. */
const window = fc.oneof(
  fc
    .tuple(days, fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 0, max: 1440 }))
    .map(([days, from, until]) => ({ days, from: clock(from), until: clock(until) })),
  fc
    .tuple(days, fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 5 }))
    .map(([days, from, length]) => ({ days, from: clock(from), until: clock((from + length) % 1440) })),
);

/** Holds an answer to the oracle: every minute until what it says, and the one after. */
export function compare(
  hours: SendingHours,
  { phone, candidates, timeZone = null }: { phone: string; candidates: Candidates; timeZone?: string | null },
  at: number,
): void {
  const windows = hours.profile === "custom" ? (hours.windows ?? []) : null;
  const isOpen = (time: number) => isOpenByHand(windows, candidates, time);
  const answer = hoursAt(hours, phone, { timeZone }, at);
  const minute = Math.floor(at / MINUTE) * MINUTE;
  const limit = minute + LOOK_AHEAD_DAYS * 24 * HOUR;
  expect(isOpen(at)).toBe(answer.isOpen);
  let time = minute;
  while (time < limit && isOpen(time) === answer.isOpen) time += MINUTE;
  if (answer.isOpen) expect(answer.closesAt).toBe(time);
  else expect(answer.opensAt).toBe(time === limit ? null : time);
}

/** @param numRuns how many instants are drawn by us-strict @param runsOfZones the same in the zone of the client, and by windows of a website */
export function testDrawnInstants(numRuns: number, runsOfZones: number): void {
  it("by us-strict", () => {
    fc.assert(
      fc.property(phone, instant, (number, at) => compare(STRICT, number, at)),
      { numRuns },
    );
  });

  it("by us-strict, for any number", () => {
    fc.assert(
      fc.property(anyPhone, instant, (number, at) => compare(STRICT, number, at)),
      { numRuns },
    );
  });

  it("by us-strict, in the zone that the client gives", () => {
    const zone = fc.constantFrom("America/Los_Angeles", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC");
    fc.assert(
      fc.property(phone, zone, instant, ({ phone, candidates }, timeZone, at) =>
        compare(STRICT, { phone, candidates: candidates.map(([, state = ""]) => [timeZone, state]), timeZone }, at),
      ),
      { numRuns: runsOfZones },
    );
  });

  it("by windows of a website", () => {
    const windows = fc.array(window, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(windows, phone, instant, (windows, number, at) =>
        compare({ profile: "custom", windows, whenClosed: "refuse" }, number, at),
      ),
      { numRuns: runsOfZones },
    );
  });
}
