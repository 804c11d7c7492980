/** For how long a carrier is told to try to deliver a message. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeCarriers } from "../../src/carriers/index.ts";
import { readConfig } from "../../src/config.ts";
import { telnyxRequestFaults, twilioRequestFaults } from "./descriptions.ts";
import { kannel } from "./kannel.ts";
import { telnyx } from "./telnyx.ts";
import { PUBLIC_ORIGIN, readBody, type TestCarrier } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const settings = { ...twilio.settings, ...telnyx.settings, ...kannel.settings, KANNEL_CONNECT_PROBE: "off" };
const { ready } = makeCarriers(readConfig({ PUBLIC_ORIGIN, ...settings }));

/** @param validSeconds undefined: left out */
async function submit(carrier: TestCarrier, validSeconds: number | undefined) {
  const [from = ""] = carrier.senders;
  const made: { request: Request; body: string }[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    made.push({ request, body: await readBody(request) });
    return carrier.accepts();
  });
  const about = { messageId: crypto.randomUUID(), to: "+12125550100", from, text: "hi", mediaUrl: null, attempt: 1 };
  const given = validSeconds === undefined ? {} : { validSeconds };
  expect(await ready[carrier.name]?.submit({ ...about, encoding: "GSM-7", ...given })).toMatchObject({
    kind: "accepted",
  });
  return made[0] as (typeof made)[number];
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
    const { request, body } = await submit(twilio, given);
    expect(twilioRequestFaults(request, body)).toEqual([]);
    expect(new URLSearchParams(body).get("ValidityPeriod")).toBe(told);
  });

  it.each([
    [undefined, null],
    [1, "1"],
    [119, "1"],
    [120, "2"],
    [39_600, "660"],
  ])("of %s seconds is told to Kannel as %s minutes", async (given, told) => {
    const { request } = await submit(kannel, given);
    expect(request.headers.get("x-kannel-validity")).toBe(told);
  });

  it("is not told to Telnyx, which takes none", async () => {
    const { request, body } = await submit(telnyx, 60);
    expect(telnyxRequestFaults(request, body)).toEqual([]);
    expect(body).toBe(
      (await submit(telnyx, undefined)).body.replace(/m=[0-9a-f-]{36}/, /m=[0-9a-f-]{36}/.exec(body)?.[0] ?? ""),
    );
  });
});
