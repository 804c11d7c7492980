import { describe, expect, it } from "vitest";
import { columnAt, columnByKey, columnOf, heightOf, labelsOf, stepPath, topOf } from "../../../console/lib/scale.ts";
import { detailOf, lookOf } from "../../../console/lib/status-words.ts";
import { groupTries, headingOf, leadOf } from "../../../console/lib/story.ts";
import { NOW } from "./fixture-clock.ts";
import { deliveredMessage, found, waitingMessage } from "./fixture-texts.ts";

describe("the scale of a chart", () => {
  it.each([
    [0, 2],
    [7, 8],
    [84, 100],
    [120, 150],
    [13_400, 15_000],
    [15_001, 20_000],
    [100, 100],
  ])("has a round top above %i", (most, top) => {
    expect(topOf(most)).toBe(top);
  });

  it("has a label in the middle where that is a whole number", () => {
    expect([labelsOf(100), labelsOf(15), labelsOf(2)]).toEqual([
      [0, 50, 100],
      [0, 15],
      [0, 1, 2],
    ]);
  });

  it("begins at 0, and shows the least that is not 0", () => {
    expect([heightOf(0, 100, 150), heightOf(1, 1000, 150), heightOf(50, 100, 150), heightOf(200, 100, 150)]).toEqual([
      0, 2, 75, 150,
    ]);
  });

  it("leaves a gap between two bars", () => {
    for (const columns of [30, 60, 72]) {
      const [one, next] = [columnOf(0, columns, 40, 340), columnOf(1, columns, 40, 340)];
      expect(next.x - (one.x + one.width)).toBeGreaterThanOrEqual(1.5);
    }
  });

  it("draws a line that is level over each column", () => {
    expect(stepPath([10, 20], 20, { from: 0, to: 10, base: 100, height: 100 })).toBe("M0 50H5V0H10");
  });

  it("finds the column under a pointer, and the one that a key leads to", () => {
    expect([
      columnAt(39, 60, 40, 100),
      columnAt(40, 60, 40, 100),
      columnAt(99.9, 60, 40, 100),
      columnAt(100, 60, 40, 100),
    ]).toEqual([null, 0, 59, null]);
    const keys = ["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "Escape", "a"];
    expect(keys.map((key) => columnByKey(key, 30, 60))).toEqual([29, 31, 20, 40, 0, 59, null, undefined]);
    expect([columnByKey("ArrowLeft", null, 60), columnByKey("ArrowRight", null, 60)]).toEqual([59, 0]);
  });
});

const HELD = { by: "ada", since: "2026-11-25T01:00:00Z", reason: null };

describe("a message", () => {
  it("has a status with a shape of its own, and its reason in words", () => {
    const shown = found().messages.map((message) => [lookOf(message, NOW).word, detailOf(message, NOW)]);
    expect(shown).toEqual([
      ["Waiting", "for kannel, 3 tries"],
      ["Delivered", "2.1 s"],
      ["Sending", "twilio has it"],
      ["Undelivered", "did not reach the phone"],
      ["Not subscribed", "opted out"],
      ["Not sent", "over the cap"],
      ["Cancelled", "by its client"],
      ["Held", "an operator holds it"],
      ["No receipt", "2 h 52 min"],
      ["Unknown address", "no number for it"],
    ]);
  });

  it("says of a callback that is due that it is due, and of a client with none that it asked for none", () => {
    const message = deliveredMessage();
    const [first] = message.callbacks;
    if (!first) throw new Error("the fixture has none");
    const due = { ...first, attemptedAt: null, outcome: null, httpStatus: null, response: null };
    const lead = (callbacks: (typeof first)[]) => leadOf({ ...message, callbacks }, NOW);
    expect(lead([due])).toContain("braze is told soon: 1 callback waits to be posted.");
    expect(lead([first, due, due])).toContain("2 callbacks wait to be posted.");
    expect(lead([])).toContain("braze asked for no callback.");
  });

  it.each(["cancelled by its client", "cancelled by an operator"])("says who cancelled it: %s", (reasonDetail) => {
    const message = {
      ...waitingMessage(),
      status: "FAILED_TO_SEND" as const,
      reason: "CANCELLED" as const,
      reasonDetail,
    };
    const lead = leadOf(message, NOW);
    expect(lead.toLowerCase()).toContain(`${reasonDetail}.`);
    expect(lead.match(/cancelled/gi)).toHaveLength(1);
  });

  it("is headed by its outcome", () => {
    expect(headingOf(deliveredMessage(), NOW)).toMatch(/^Delivered at \d\d:\d\d:09$/);
    expect(headingOf(waitingMessage(), NOW)).toBe("Waiting for kannel");
  });

  it.each([
    ["a second ago", 1, {}, "On its way"],
    ["half a minute ago", 30, {}, "Waiting for kannel"],
    ["by a clock that is ahead", -90, {}, "Waiting for kannel"],
    ["and held", 1, { waits: { until: null, because: "an operator holds it", held: HELD } }, "Held"],
    ["and tried", 1, { attempts: 1 }, "Waiting for kannel"],
    [
      "and scheduled",
      1,
      { waits: { until: new Date(NOW + 3_600_000).toISOString(), because: "its sendAt" } },
      "Waits for its time",
    ],
    ["and delivered", 1, { status: "DELIVERED" as const, waits: null }, "Delivered at"],
  ])("that was accepted %s is headed by what is so", (_, seconds, more, heading) => {
    const acceptedAt = new Date(NOW - seconds * 1000).toISOString();
    const waits = { until: null, because: "its job" };
    const message = { ...waitingMessage(), acceptedAt, attempts: 0, retryAt: null, waits, ...more };
    expect(headingOf(message, NOW)).toMatch(new RegExp(`^${heading}`));
  });

  it("that waits for its time, or for sending hours, says until when and why", () => {
    const until = new Date(NOW + 86_400_000).toISOString();
    const waits = (because: string, more = {}) => ({
      ...waitingMessage(),
      ...{ carrier: null, retryAt: null, attempts: 0, waits: { until, because, ...more } },
    });
    const hours = {
      opensAt: until,
      zones: ["America/New_York", "America/Chicago"],
      states: ["US-FL"],
      window: "Mon-Sat 09:00-20:00",
      source: "Florida",
    };
    const scheduled = { ...waits("its sendAt"), scheduledFor: until };
    const closed = waits("its sending hours", { hours });
    expect([lookOf(scheduled, NOW).word, lookOf(closed, NOW).word]).toEqual(["Scheduled", "Sending hours"]);
    expect([headingOf(scheduled, NOW), headingOf(closed, NOW)]).toEqual([
      "Waits for its time",
      "Waits for its sending hours",
    ]);
    expect(leadOf(closed, NOW)).toBe(
      "Marketing goes to this person Mon-Sat 09:00-20:00 in New York and Chicago (Florida).",
    );
    expect(
      leadOf(waits("its sending hours", { hours: { ...hours, zones: [], window: "", source: "others" } }), NOW),
    ).toBe("Marketing goes to this person at other hours (others).");
    expect(detailOf({ ...scheduled, clickedAt: null }, NOW)).toMatch(/^until Thu 26 Nov \d\d:05$/);
  });

  it("tells tries with the same answer as one, after the first", () => {
    const tries = groupTries(waitingMessage().submissions);
    expect(tries.map(({ count, reason }) => [count, reason])).toEqual([
      [1, "403 Authorization failed for sendsms"],
      [4, "403 Authorization failed for sendsms"],
    ]);
  });
});
