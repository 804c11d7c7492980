/** The class of each status and reason, as the documentation of the counts words it. */
import { describe, expect, it } from "vitest";
import { MESSAGE_STATUSES } from "../../../src/domain/messages/message.ts";
import { CLASSES_JSON, classOf, OUTCOME_CLASSES, toFigures } from "../../../src/domain/messages/outcome-class.ts";
import { REASONS } from "../../../src/domain/messages/reason.ts";

const TABLE = `
  scheduled      PENDING_TO_SEND      ahead
  waiting        PENDING_TO_SEND      any
  notSubscribed  NOT_SUBSCRIBED       any
  notSubscribed  NOT_FOUND            any
  notSubscribed  FAILED_TO_MATCH      any
  endedBefore    FAILED_TO_SEND       CANCELLED
  endedBefore    FAILED_TO_SEND       EXPIRED
  endedBefore    FAILED_TO_SEND       QUIET_HOURS
  endedBefore    FAILED_TO_SEND       FREQUENCY_CAP
  endedBefore    FAILED_TO_SEND       UNREACHABLE
  notTaken       FAILED_TO_SEND       any
  noReceipt      SENDING              any
  noReceipt      FAILED_TO_DELIVERY   NO_RECEIPT
  noReceipt      FAILED_TO_DELIVERY   OUTCOME_UNKNOWN
  delivered      DELIVERED            any
  undelivered    FAILED_TO_DELIVERY   any
`;

const lines = TABLE.trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/));

/** The first line that fits. */
const expected = (status: string, reason: string | null, isAhead: boolean) =>
  lines.find(([, of, why]) => of === status && (why === "any" || why === (isAhead ? "ahead" : reason)))?.[0];

const CASES = MESSAGE_STATUSES.flatMap((status) =>
  [null, ...REASONS].flatMap((reason) => [false, true].map((isAhead) => [status, reason, isAhead] as const)),
);

describe("the class of a text", () => {
  it.each(CASES)("that is %s because of %s (its time is ahead: %s)", (status, reason, isAhead) => {
    const isScheduled = isAhead && status === "PENDING_TO_SEND";
    expect(classOf(status, reason, isAhead)).toBe(expected(status, reason, isScheduled));
  });

  it("is decided by the status before the reason", () => {
    expect(classOf("NOT_SUBSCRIBED", "OPTED_OUT")).toBe("notSubscribed");
    expect(classOf("FAILED_TO_SEND", "OPTED_OUT")).toBe("notTaken");
    expect(classOf("FAILED_TO_DELIVERY", "OPTED_OUT")).toBe("undelivered");
  });

  it("is the same in a statement", () => {
    const classes = Object.entries(JSON.parse(CLASSES_JSON) as Record<string, string>);
    expect(classes).toHaveLength(MESSAGE_STATUSES.length * (REASONS.length + 1));
    for (const [name, itsClass] of classes) {
      const [status = "", reason = ""] = name.split(" ");
      expect([name, itsClass]).toEqual([name, expected(status, reason, false)]);
    }
  });
});

it("each class is in one of the sums, and `sent` is a part of `accepted`", () => {
  const counts = Object.fromEntries(OUTCOME_CLASSES.map((name, place) => [name, 10 ** place]));
  const figures = toFigures(counts as Parameters<typeof toFigures>[0]);
  expect(figures).toEqual({ ...counts, accepted: 11_111_111, sent: 11_100_000 });
});
