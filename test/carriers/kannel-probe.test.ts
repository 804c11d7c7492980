/** A gateway behind a tunnel or a proxy cannot be probed over TCP: there, Cloudflare's answer says whether a request was made. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../src/config.ts";
import { ADA, CarrierWorld, mockSockets, SETTINGS } from "./carrier-world.ts";
import { KANNEL_URL, kannel } from "./kannel.ts";
import { text } from "./test-carrier.ts";

mockSockets();

const HTTPS_URL = "https://gateway.example.com/cgi-bin/sendsms";

let at: CarrierWorld;
let probes = 0;

beforeEach(async () => {
  at = await CarrierWorld.create({ ...kannel, isSubmission: ({ url }) => url.endsWith("/sendsms") });
  probes = 0;
  at.connection = () => {
    probes += 1;
    return Promise.reject(new Error("proxy request failed, cannot connect to the specified address"));
  };
  vi.mocked(fetch).mockImplementation(async () => text("0: Accepted for delivery", 202));
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function statusWith(settings: Record<string, string>): Promise<unknown> {
  at.configure({ ...SETTINGS, ...settings });
  const messageId = await at.world.send(at.client, { phone: ADA });
  await at.world.runQueues();
  return at.world.statusOf(messageId);
}

describe("a gateway that no TCP socket reaches", () => {
  it.each([
    ["over https", { KANNEL_SENDSMS_URL: HTTPS_URL }],
    ["over http, with the probe off", { KANNEL_SENDSMS_URL: KANNEL_URL, KANNEL_CONNECT_PROBE: "off" }],
  ])("%s: is not probed, and gets the message", async (_, settings) => {
    expect(await statusWith(settings)).toBe("SENDING");
    expect(probes).toBe(0);
  });

  it.each([
    ["over http", { KANNEL_SENDSMS_URL: KANNEL_URL }],
    ["over http, with an empty setting", { KANNEL_SENDSMS_URL: KANNEL_URL, KANNEL_CONNECT_PROBE: "" }],
    ["over https, with the probe on", { KANNEL_SENDSMS_URL: HTTPS_URL, KANNEL_CONNECT_PROBE: "on" }],
  ])("%s: is probed, and the message waits", async (_, settings) => {
    expect(await statusWith(settings)).toBe("PENDING_TO_SEND");
    expect(probes).toBe(1);
    expect(fetch).not.toHaveBeenCalled();
  });

  it("is probed or not: any other value is refused at start", () => {
    expect(() => readConfig({ KANNEL_CONNECT_PROBE: "no" })).toThrow(/KANNEL_CONNECT_PROBE/);
  });
});

describe("the URL of a carrier", () => {
  const VARS = ["KANNEL_SENDSMS_URL", "TWILIO_API_URL", "TELNYX_API_URL"] as const;
  const REASON = "must name a host, not an IP address: Cloudflare refuses such requests (error 1003)";

  it.each([
    "http://203.0.113.7:13013/cgi-bin/sendsms",
    "https://8.8.8.8",
    "http://192.168.1.5:13013/x",
    "http://0x08080808/x",
    "http://134744072/",
    "http://8.8.8.8./x",
    "http://[2606:4700::1111]/x",
    "http://[::ffff:8.8.8.8]/x",
  ])("%s is refused at start, with the reason", (url) => {
    for (const name of VARS) expect(() => readConfig({ [name]: url })).toThrow(`${name}: ${REASON}`);
  });

  it.each([
    "http://127.0.0.1:13013/cgi-bin/sendsms",
    "http://[::1]:13013/x",
    "http://localhost:13013/x",
    "https://gateway.example.com/x",
    "https://8.8.8.8.example.com/x",
  ])("%s is allowed", (url) => {
    for (const name of VARS) expect(readConfig({ [name]: url }).carriers[name]).toBe(url);
  });
});
