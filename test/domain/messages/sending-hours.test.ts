import { expect, it } from "vitest";
import { hoursAt, type SendingHours } from "../../../src/domain/messages/sending-hours.ts";
import { STATE_RULES, US_STRICT } from "../../../src/domain/messages/sending-rules.ts";
import { describeWindows, toMinutesOfWeek } from "../../../src/domain/messages/weekly-windows.ts";

const STRICT: SendingHours = { profile: "us-strict", whenClosed: "delay" };

const custom = (...windows: NonNullable<SendingHours["windows"]>): SendingHours => ({
  profile: "custom",
  windows,
  whenClosed: "delay",
});

type Place = Parameters<typeof hoursAt>[2];

/** When the hours open next, or `open` and until when. */
function tell(hours: SendingHours, phone: string, at: string, place: Place = {}): string {
  const answer = hoursAt(hours, phone, place, Date.parse(at));
  const time = answer.isOpen ? answer.closesAt : answer.opensAt;
  return `${answer.isOpen ? "open until" : "closed until"} ${time === null ? "never" : new Date(time).toISOString()}`;
}

it.each<[string, string, string, string, Place?]>([
  ["New York in the morning", "+12125550123", "2026-11-24T13:59:59Z", "closed until 2026-11-24T14:00:00.000Z"],
  ["New York by day", "+12125550123", "2026-11-24T14:00:00Z", "open until 2026-11-25T01:00:00.000Z"],
  ["New York on Saturday night", "+12125550123", "2026-11-29T01:00:00Z", "closed until 2026-11-29T17:00:00.000Z"],
  [
    "Florida's Panhandle waits for Chicago",
    "+18505550123",
    "2026-11-24T14:30:00Z",
    "closed until 2026-11-24T15:00:00.000Z",
  ],
  ["... and ends with New York", "+18505550123", "2026-11-24T16:00:00Z", "open until 2026-11-25T01:00:00.000Z"],
  ["448 is over 850", "+14485550123", "2026-11-24T14:30:00Z", "closed until 2026-11-24T15:00:00.000Z"],
  ["689 is Orlando", "+16895550123", "2026-11-24T14:30:00Z", "open until 2026-11-25T01:00:00.000Z"],
  ["Phoenix has no clock change", "+16025550123", "2026-07-01T15:59:00Z", "closed until 2026-07-01T16:00:00.000Z"],
  ["Newfoundland, and Labrador", "+17095550123", "2026-11-24T12:30:00Z", "closed until 2026-11-24T13:00:00.000Z"],
  ["Rhode Island on Saturday", "+14015550123", "2026-11-28T22:00:00Z", "closed until 2026-11-30T14:00:00.000Z"],
  ["Kentucky at nine", "+15025550123", "2026-11-24T14:00:00Z", "closed until 2026-11-24T15:00:00.000Z"],
  ["toll-free waits for Hawaii", "+18005550123", "2026-11-24T16:00:00Z", "closed until 2026-11-24T19:00:00.000Z"],
  ["... and ends with Rhode Island", "+18005550123", "2026-11-24T19:00:00Z", "open until 2026-11-24T23:00:00.000Z"],
  ["United Kingdom", "+447911123456", "2026-07-01T07:59:00Z", "closed until 2026-07-01T08:00:00.000Z"],
  ["a satellite telephone", "+881612345678", "2026-07-01T12:00:00Z", "closed until never"],
  [
    "the client's zone",
    "+12125550123",
    "2026-11-24T14:00:00Z",
    "closed until 2026-11-24T17:00:00.000Z",
    { timeZone: "America/Los_Angeles" },
  ],
  [
    "the client's region",
    "+12125550123",
    "2026-11-24T14:00:00Z",
    "closed until 2026-11-24T17:00:00.000Z",
    { region: "US-WA" },
  ],
  [
    "a region with its number",
    "+13055550123",
    "2026-11-24T14:00:00Z",
    "open until 2026-11-25T01:00:00.000Z",
    { region: "US-FL" },
  ],
  [
    "a region that no table has",
    "+61412345678",
    "2026-11-24T00:00:00Z",
    "closed until 2026-11-24T02:30:00.000Z",
    { region: "AU-WA" },
  ],
])("us-strict: %s", (_name, phone, at, expected, place) => {
  expect(tell(STRICT, phone, at, place)).toBe(expected);
});

it("says what holds a message: the state's rule before the general one", () => {
  expect(hoursAt(STRICT, "+14015550123", {}, Date.parse("2026-11-29T12:00:00Z"))).toEqual({
    isOpen: false,
    opensAt: Date.parse("2026-11-30T14:00:00Z"),
    zones: ["America/New_York"],
    states: ["US-RI"],
    window: "Mon-Fri 09:00-18:00, Sat 10:00-17:00",
    source: "us-strict: Rhode Island, General Laws §§ 5-61-2, 5-61-3.6 (statute)",
  });
});

it("goes through midnight, from Sunday into Monday", () => {
  const hours = custom({ days: ["fri", "sun"], from: "22:00", until: "02:00" });
  expect(tell(hours, "+12125550123", "2026-11-30T06:59:00Z")).toBe("open until 2026-11-30T07:00:00.000Z");
  expect(tell(hours, "+12125550123", "2026-11-30T07:00:00Z")).toBe("closed until 2026-12-05T03:00:00.000Z");
});

it("never opens hours that two zones never share", () => {
  const hours = custom({ days: ["mon"], from: "09:00", until: "09:30" });
  expect(tell(hours, "+18505550123", "2026-11-24T12:00:00Z")).toBe("closed until never");
});

it.each(STATE_RULES)("$state is within the general hours, and narrower", ({ windows }) => {
  const general = toMinutesOfWeek(US_STRICT.windows);
  const own = toMinutesOfWeek(windows);
  expect(own.filter(([from, until]) => !general.some(([first, last]) => first <= from && until <= last))).toEqual([]);
  expect(own).not.toEqual(general);
});

it.each<[string, [from: number, until: number][], ...Parameters<typeof toMinutesOfWeek>[0]]>([
  ["Mon 09:00-20:00", [[540, 1200]], { days: ["mon"], from: "09:00", until: "20:00" }],
  ["Mon 09:00-24:00", [[540, 1440]], { days: ["mon"], from: "09:00", until: "24:00" }],
  ["Mon-Tue 00:00-24:00", [[0, 2880]], { days: ["tue", "mon"], from: "00:00", until: "24:00" }],
  [
    "Mon, Wed-Thu, Sun 00:00-00:01",
    [
      [0, 1],
      [2880, 2881],
      [4320, 4321],
      [8640, 8641],
    ],
    { days: ["mon", "wed", "thu", "sun"], from: "00:00", until: "00:01" },
  ],
  [
    "Sun 22:00-02:00",
    [
      [0, 120],
      [9960, 10080],
    ],
    { days: ["sun"], from: "22:00", until: "02:00" },
  ],
  ["Sun 22:00-00:00", [[9960, 10080]], { days: ["sun"], from: "22:00", until: "00:00" }],
  ["Mon 09:00-09:00", [], { days: ["mon"], from: "09:00", until: "09:00" }],
  [
    "Mon 09:00-12:00, Mon 11:00-13:00",
    [[540, 780]],
    { days: ["mon"], from: "09:00", until: "12:00" },
    { days: ["mon"], from: "11:00", until: "13:00" },
  ],
])("reads windows: %s", (text, minutes, ...windows) => {
  expect(toMinutesOfWeek(windows)).toEqual(minutes);
  expect(describeWindows(windows)).toBe(text);
});
