import { describe, expect, it } from "vitest";
import type { Campaign } from "../../../console/answers.ts";
import { leadOf, titleOf } from "../../../console/lib/campaign-words.ts";
import { pendingOf } from "../../../console/lib/outcomes.ts";
import { none, running } from "./fixture-campaigns.ts";
import { ago, MINUTE, NOW } from "./fixture-clock.ts";

const of = (given: Partial<Campaign>): Campaign => ({ ...none(), ...given });
const WHOLE: Campaign["holds"][number] = {
  ...{ holdId: "0197c2ab-71d4-4e0b-8a01-0000000000a1", sendPurpose: "winter-sale", clientId: null },
  ...{ since: ago(MINUTE), by: "ada", reason: null },
};
const DONE = { accepted: 100, sent: 90, notTaken: 10, delivered: 80, undelivered: 5, noReceipt: 5 };

describe("a campaign", () => {
  it.each([
    [none(), "No text of winter-sale in 30 days"],
    [running(), "winter-sale goes out: 24,300 of 39,900 texts are gone"],
    [of({ accepted: 9, waiting: 9 }), "9 texts of winter-sale wait"],
    [of({ accepted: 1, waiting: 1 }), "1 text of winter-sale waits"],
    [of({ accepted: 9, waiting: 6, held: 6, sent: 3, perMinute: 3 }), "6 texts of winter-sale are held"],
    // The waiting ones were counted before the hold, and some have gone since.
    [
      of({ accepted: 9, waiting: 8, held: 5, sent: 1, perMinute: 3, holds: [WHOLE] }),
      "5 texts of winter-sale are held",
    ],
    [
      of({ accepted: 9, waiting: 8, held: 0, sent: 1, noReceipt: 1, holds: [WHOLE] }),
      "winter-sale: No receipt has come",
    ],
    [of({ accepted: 9, scheduled: 9 }), "9 texts of winter-sale are scheduled"],
    [of(DONE), "winter-sale: 94.1 % of 85 texts with a receipt arrived; 10 not sent"],
    [of({ accepted: 9, sent: 9, noReceipt: 9 }), "winter-sale: No receipt has come"],
    [of({ accepted: 9, endedBefore: 9 }), "No text of winter-sale has gone"],
    // More are pending than are looked at: which of them are held is not known.
    [
      of({ accepted: 90_000, scheduled: null, waiting: null, held: null, sent: 10_000, perMinute: 700 }),
      "winter-sale goes out: 10,000 of 90,000 texts are gone",
    ],
  ])("is headed by what it is at: %#", (campaign, title) => {
    expect(titleOf(campaign)).toBe(title);
  });

  it.each([
    [running(), /^2,430 a minute\. The last goes at about \d\d:11, in 6 minutes\.$/],
    [of({ accepted: 9, waiting: 9 }), /^None has gone in the last minutes\.$/],
    [
      of({ accepted: 9, waiting: 6, held: 6, sent: 3, perMinute: 3 }),
      /^Held texts go when somebody releases them, and end at their time, held or not\.$/,
    ],
    [of({ accepted: 9, scheduled: 9 }), /^They go at their time, or when sending hours open\.$/],
    [of(DONE), /^All have gone, or have ended\.$/],
    [of({ accepted: 90_000, waiting: null, sent: 10_000, perMinute: 700 }), /^700 a minute\.$/],
    [
      of({
        accepted: 9,
        waiting: 9,
        endsAt: ago(-5 * MINUTE),
        senderPace: { messagesPerMinute: 2, messagesPerDay: null },
      }),
      /^None has gone in the last minutes\. The last goes at about \d\d:\d\d, in 5 minutes\. Segments of the sender at most: 2 a minute\.$/,
    ],
    [
      { ...running(), senderPace: { messagesPerMinute: 3000, messagesPerDay: 40_000 } },
      /^2,430 a minute\. .* Segments of the sender at most: 3,000 a minute, 40,000 in 24 hours\.$/,
    ],
    [
      of({ ...DONE, senderPace: { messagesPerMinute: 3000, messagesPerDay: null } }),
      /^All have gone, or have ended\.$/,
    ],
    [none(), /^Each sendPurpose of a client is a campaign/],
  ])("says how fast it goes, and until when: %#", (campaign, lead) => {
    expect(leadOf(campaign, NOW)).toMatch(lead);
  });

  it("has as many pending texts as are in no other class, whatever is known of them", () => {
    expect(pendingOf(running())).toBe(15_600);
    expect(pendingOf(of({ ...running(), waiting: null, scheduled: null, held: null }))).toBe(15_600);
  });
});
