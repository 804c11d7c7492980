/** What every carrier must make of a text that a person sent, by its functions alone. inbound.test.ts has what the Worker does with it. */
import { describe, expect, it } from "vitest";
import { carrierOf, NOW, requestOf } from "./alone.ts";
import { ADA, CARRIERS, OURS } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";
import { telnyx } from "./telnyx.ts";
import type { TestCarrier } from "./test-carrier.ts";

const ID = crypto.randomUUID();
const WORDS = ["Stop!", "don't stop", "", "Grüße & 100% + 👍"];

/** What the carrier's functions make of a text. @param more further fields of the carrier's own */
async function read(carrier: TestCarrier, text: string, more: Record<string, unknown> = {}) {
  const given = { id: ID, from: ADA, to: OURS, text, more: more as Record<string, string> };
  return carrierOf(carrier).readInbound(requestOf(await carrier.inbound(given, NOW)));
}

const report = async (...given: Parameters<typeof read>) => {
  const verified = await read(...given);
  return verified.kind === "verified" ? verified.reports[0] : verified;
};

describe.each(CARRIERS)("$name, with a text", (carrier) => {
  it.each(WORDS)("%j: reports it as it was sent, and leaves its keyword to the Worker", async (text) => {
    const verified = await read(carrier, text);
    expect(verified).toMatchObject({
      kind: "verified",
      reports: [{ carrierMessageId: ID, from: ADA, text, keyword: null, answeredByCarrier: false }],
    });
    expect(verified).toMatchObject({ reports: [{ to: expect.arrayContaining([OURS]) }] });
  });

  it("that it has not sent: is forged", async () => {
    const hook = await carrier.inbound({ id: ID, from: ADA, to: OURS, text: "STOP" }, NOW);
    const forged = [
      { ...hook, headers: {}, url: hook.url.replace(/key=[^&]*/, "key=wrong") },
      { ...hook, headers: {}, url: hook.url.replace(/key=[^&]*&/, "") },
      { ...hook, method: hook.method === "GET" ? "POST" : "GET", body: "" },
      ...(hook.body ? [{ ...hook, body: hook.body.replace("STOP", "START") }] : []),
    ];
    for (const one of forged) expect(await carrierOf(carrier).readInbound(requestOf(one))).toEqual({ kind: "forged" });
  });
});

describe("the time of a text", () => {
  it("is that at which Telnyx received it", async () => {
    const received_at = "2026-11-21T11:59:01.250+00:00";
    expect(await report(telnyx, "STOP", { received_at })).toMatchObject({ sentAt: Date.parse(received_at) });
  });

  it("is that of Kannel, in whole seconds", async () => {
    expect(await report(kannel, "STOP", { ts: "1795262341" })).toMatchObject({ sentAt: 1_795_262_341_000 });
    expect(await report(kannel, "STOP")).not.toHaveProperty("sentAt");
  });
});

const [ONE, TWO] = ["https://media.example.com/1.jpg", "https://media.example.com/2.jpg"];

/** The fields of a webhook with media, and of one with media that have no address. */
const MEDIA: Record<string, { media: Record<string, unknown>; broken: Record<string, unknown> }> = {
  twilio: { media: { NumMedia: "2", MediaUrl0: ONE, MediaUrl1: TWO }, broken: { NumMedia: "many" } },
  telnyx: {
    media: { type: "MMS", media: [{ url: ONE, content_type: "image/jpeg" }, { url: TWO }] },
    broken: { media: [{ content_type: "image/jpeg" }] },
  },
};

describe.each(CARRIERS.filter(({ name }) => name in MEDIA))("$name, with media", (carrier) => {
  const { media, broken } = MEDIA[carrier.name] ?? { media: {}, broken: {} };

  it("reports their addresses, and a text without them all the same", async () => {
    expect(await report(carrier, "look", media)).toMatchObject({ text: "look", mediaUrls: [ONE, TWO] });
    expect(await report(carrier, "look")).toMatchObject({ mediaUrls: [] });
    expect(await report(carrier, "STOP", broken)).toMatchObject({ text: "STOP", mediaUrls: [] });
  });
});
