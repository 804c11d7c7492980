import { expect, it } from "vitest";
import type { Report } from "../../../console/answers.ts";
import { daysOf } from "../../../console/lib/report-days.ts";

it("a report has each of its days in order, also one without a text, over the end of a month and a leap day", () => {
  const row = {
    accepted: 3,
    pending: 0,
    sent: 2,
    delivered: 2,
    failed: { FAILED_TO_DELIVERY: 1 },
    clicked: 1,
    optedOut: 1,
  };
  const report = { from: "2028-02-27", to: "2028-03-01", rows: [{ ...row, day: "2028-02-28" }] } as unknown as Report;
  const none = { accepted: 0, sent: 0, delivered: 0, undelivered: 0, clicked: 0, optedOut: 0 };
  expect(daysOf(report)).toEqual([
    { day: "2028-02-27", ...none },
    { day: "2028-02-28", accepted: 3, sent: 2, delivered: 2, undelivered: 1, clicked: 1, optedOut: 1 },
    { day: "2028-02-29", ...none },
    { day: "2028-03-01", ...none },
  ]);
});
