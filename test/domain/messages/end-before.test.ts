/** What becomes of a claimed message before its submission: each case by itself, and messages of one claim beside one another. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endBefore, endEachBefore } from "../../../src/domain/messages/end-before.ts";

type Says = string | null;

const told = (end: ReturnType<typeof endBefore>): Says =>
  end && (end.kind === "waits" ? "waits" : `${end.status} ${end.code}`);

const [MESSAGE, CONFIRMATION, ANSWER] = [0, 1, 2];
const OPTED_OUT = "NOT_SUBSCRIBED OPTED_OUT";
const OVER_CAP = "FAILED_TO_SEND FREQUENCY_CAP";

const UNREACHABLE = "FAILED_TO_SEND UNREACHABLE";
const REACHABLE = { failures: 0, unreachableAfter: 3 };

describe("by the faults of the number", () => {
  it.each<[failures: number, unreachableAfter: number | null, says: Says]>([
    [0, 1, null],
    [1, 1, UNREACHABLE],
    [2, 3, null],
    [3, 3, UNREACHABLE],
    [4, 3, UNREACHABLE],
    [9, 10, null],
    [10, 10, UNREACHABLE],
    [99, null, null],
  ])("%d, where %s make it unreachable: %s", (failures, unreachableAfter, says) => {
    const found = { isReply: MESSAGE, failures, unreachableAfter, cap: null };
    expect(told(endBefore({ ...found, subscribed: true }))).toBe(says);
    expect(told(endBefore({ ...found, subscribed: false }))).toBe(OPTED_OUT);
    const cap = { most: 1, went: 1, underWay: 0 };
    expect(told(endBefore({ ...found, subscribed: true, cap }))).toBe(says ?? OVER_CAP);
  });
});

describe("by the subscription", () => {
  it.each<[is: number, subscribed: boolean | null, says: Says]>([
    [MESSAGE, true, null],
    [MESSAGE, false, OPTED_OUT],
    [MESSAGE, null, OPTED_OUT],
    [CONFIRMATION, true, "FAILED_TO_SEND CANCELLED"],
    [CONFIRMATION, false, null],
    [CONFIRMATION, null, null],
    [ANSWER, true, null],
    [ANSWER, false, OPTED_OUT],
    [ANSWER, null, null],
  ])("isReply %d, subscribed %s: %s", (isReply, subscribed, says) => {
    expect(told(endBefore({ ...REACHABLE, isReply, subscribed, cap: null }))).toBe(says);
  });
});

describe("by the cap", () => {
  it.each<[most: number, went: number, underWay: number, says: Says]>([
    [1, 0, 0, null],
    [1, 0, 1, "waits"],
    [1, 1, 0, OVER_CAP],
    [1, 1, 1, OVER_CAP],
    [3, 2, 0, null],
    [3, 1, 1, null],
    [3, 2, 1, "waits"],
    [3, 0, 3, "waits"],
    [3, 0, 9, "waits"],
    [3, 3, 0, OVER_CAP],
    [3, 9, 0, OVER_CAP],
  ])("of %d, with %d that went and %d under way: %s", (most, went, underWay, says) => {
    const cap = { most, went, underWay };
    expect(told(endBefore({ ...REACHABLE, isReply: MESSAGE, subscribed: true, cap }))).toBe(says);
    expect(told(endBefore({ ...REACHABLE, isReply: MESSAGE, subscribed: false, cap }))).toBe(OPTED_OUT);
  });
});

/** Ada's number has two forms. Cy is someone else in each website. */
const PEOPLE = [
  { name: "ada", phone: 541155550100, websiteId: "a" },
  { name: "ada", phone: 5491155550100, websiteId: "a" },
  { name: "bob", phone: 12125550100, websiteId: "a" },
  { name: "cy of a", phone: 12125550101, websiteId: "a" },
  { name: "cy of b", phone: 12125550101, websiteId: "b" },
];

const claimed = fc.record({
  to: fc.constantFrom(...PEOPLE),
  kind: fc.constantFrom("capped", "capped", "capped", "marketing", "transactional", "answer"),
  subscribed: fc.constantFrom(true, true, true, false),
});

it("of one claim, the first have the places, and no person gets more than the cap allows", () => {
  const numbers = fc.record({ most: fc.nat(4), went: fc.nat(4), underWay: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(claimed, { maxLength: 14 }), numbers, (messages, cap) => {
      const ends = endEachBefore(
        messages.map(({ to, kind, subscribed }) => ({
          ...REACHABLE,
          ...{ websiteId: to.websiteId, phone: to.phone, subscribed },
          isMarketing: kind === "capped" || kind === "marketing",
          isReply: kind === "answer" ? ANSWER : MESSAGE,
          cap: kind === "capped" ? cap : null,
        })),
      );
      // The places that are left, person by person, as one would deal them out by hand.
      const left = new Map(PEOPLE.map(({ name }) => [name, cap.most - cap.went - cap.underWay]));
      const wanted = messages.map(({ to, kind, subscribed }) => {
        if (!subscribed) return OPTED_OUT;
        if (kind === "transactional" || kind === "answer") return null;
        const places = left.get(to.name) ?? 0;
        if (kind === "capped" && cap.went >= cap.most) return OVER_CAP;
        if (kind === "capped" && places <= 0) return "waits";
        left.set(to.name, places - 1);
        return null;
      });
      expect(ends.map(told)).toEqual(wanted);
    }),
  );
});
