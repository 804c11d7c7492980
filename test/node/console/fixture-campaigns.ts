import type { Campaign } from "../../../console/answers.ts";
import { ago, MINUTE, minutesAgo, NOW } from "./fixture-clock.ts";
import { TRAFFIC } from "./fixture-state.ts";

const NOTHING = { ...TRAFFIC, clicked: 0, optedOut: 0 };

export const none = (): Campaign => ({
  ...{ websiteId: "northwind", websiteName: "Northwind Outfitters", timeZone: null, sendPurpose: "winter-sale" },
  ...{ asOf: minutesAgo(1), ...NOTHING, holds: [], perMinute: null, endsAt: null, days: [] },
  senderPace: { messagesPerMinute: null, messagesPerDay: null },
  minutes: Array.from({ length: 60 }, (_, index) => ({ at: minutesAgo(60 - index), gone: 0 })),
});

const counts = {
  ...{ accepted: 40_000, scheduled: 0, waiting: 15_600, held: 0, notSubscribed: 80, endedBefore: 0, notTaken: 20 },
  ...{ sent: 24_300, noReceipt: 700, delivered: 23_300, undelivered: 300, clicked: 1200, optedOut: 35 },
};

/** A campaign that goes out. */
export const running = (): Campaign => ({
  ...none(),
  ...counts,
  ...{ timeZone: "America/Los_Angeles", perMinute: 2430, endsAt: ago(-6.4 * MINUTE) },
  minutes: none().minutes.map((minute, index) => ({
    ...minute,
    gone: index < 49 ? 0 : 1900 + ((index * 37) % 11) * 50,
  })),
  days: [{ day: new Date(NOW).toISOString().slice(0, 10), ...counts }],
});
