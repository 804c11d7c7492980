/** For how long a carrier is told to try to deliver a message. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { submitTo } from "./alone.ts";
import { kannel } from "./kannel.ts";
import { telnyx } from "./telnyx.ts";
import type { TestCarrier } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** @param validSeconds undefined: left out */
async function requestWith(carrier: TestCarrier, validSeconds: number | undefined) {
  const { submission, requests } = await submitTo(
    carrier,
    carrier.accepts,
    validSeconds === undefined ? {} : { validSeconds },
  );
  expect(submission).toMatchObject({ kind: "accepted" });
  return requests[0] as (typeof requests)[number];
}

describe("the validity of a message", () => {
  it.each([
    [undefined, null],
    [1, "10"],
    [9, "10"],
    [11, "11"],
    [35_999, "35999"],
    [36_000, null],
    [200_000, null],
  ])("of %s seconds is told to Twilio as %s", async (given, told) => {
    const { body, faults } = await requestWith(twilio, given);
    expect(faults).toEqual([]);
    expect(new URLSearchParams(body).get("ValidityPeriod")).toBe(told);
  });

  it.each([
    [undefined, null],
    [1, "1"],
    [119, "1"],
    [120, "2"],
    [39_600, "660"],
  ])("of %s seconds is told to Kannel as %s minutes", async (given, told) => {
    const { request } = await requestWith(kannel, given);
    expect(request.headers.get("x-kannel-validity")).toBe(told);
  });

  it("is not told to Telnyx, which takes none", async () => {
    const { body, faults, messageId } = await requestWith(telnyx, 60);
    const without = await requestWith(telnyx, undefined);
    expect(faults).toEqual([]);
    expect(body).toBe(without.body.replace(without.messageId, messageId));
  });
});
