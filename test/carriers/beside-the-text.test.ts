/** An opt-out that is not in the words of a text: a button that was tapped, the subject of an MMS, another channel. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADA, CarrierWorld, mockSockets, OURS } from "./carrier-world.ts";
import telnyxLater from "./fixtures/telnyx-later.json" with { type: "json" };
import { inboundOf, telnyx } from "./telnyx.ts";
import { twilio } from "./twilio.ts";

mockSockets();

const SERVICE = "MG33333333333333333333333333333333";

let at: CarrierWorld;

afterEach(() => {
  at.expectPublished();
  vi.restoreAllMocks();
});

const isSubscribed = async () => (await at.person(ADA)).subscribed;
const texts = () => at.world.rows("SELECT website_id, text, keyword, maybe_opt_out FROM inbound_texts");
const problems = async () =>
  ((await (await at.world.operator("GET", "/health")).json()) as { problems: string[] }).problems;

type Seen = "stop" | "maybe" | "nothing";

async function seen(): Promise<Seen> {
  if (!(await isSubscribed())) return "stop";
  return (await texts())[0]?.maybe_opt_out === 1 ? "maybe" : "nothing";
}

/** How much a button with these words and this payload opts out. */
const BUTTONS: [words: string, payload: string, expected: Seen][] = [
  ["Unsubscribe me", "STOP", "stop"],
  ["No more, thanks", "unsubscribe", "stop"],
  ["Basta", "BAJA", "stop"],
  ["STOP", "button_2", "stop"],
  ["Please stop this", "button_2", "maybe"],
  ["Cancel my visit", "cancel_visit_1", "maybe"],
  ["See the offer", "stop_and_look", "nothing"],
  ["See the offer", "START", "nothing"],
  ["See the offer", "", "nothing"],
];

describe("a button of Twilio", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(twilio);
    await at.world.website("brand", { carrier: "twilio", sender: OURS, optOutWords: ["BAJA"] });
  });

  it.each(BUTTONS)("%j with the payload %j opts out: %s", async (words, payload, expected) => {
    await at.inbound(words, { more: { ButtonText: words, ButtonPayload: payload } });
    expect(await seen()).toBe(expected);
    expect(await texts()).toMatchObject([{ text: words }]);
  });

  it("whose words come without a Body counts by its words", async () => {
    await at.inbound("", { more: { ButtonText: "STOP", ButtonPayload: "b1" } });
    await at.world.runQueues();
    expect(await texts()).toMatchObject([{ text: "STOP", keyword: "stop" }]);
    expect(at.submitted.map(({ to }) => to)).toEqual([ADA]);
  });

  it("with the payload START brings nobody back: its words may say anything", async () => {
    await at.inbound("STOP");
    await at.inbound("See the offer", { more: { ButtonText: "See the offer", ButtonPayload: "START" } });
    expect(await isSubscribed()).toBe(false);
  });
});

describe("a suggestion of Telnyx by RCS", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(telnyx);
    await at.world.website("brand", { carrier: "telnyx", sender: OURS, optOutWords: ["BAJA"] });
  });

  const hand = async (payload: object) => {
    expect((await at.call(await inboundOf(payload, at.world.now))).status).toBe(200);
  };
  const payloadOf = (name: string) => telnyxLater.inbound.find((one) => one.name === name)?.payload ?? {};

  it.each(BUTTONS)("%j with the payload %j opts out: %s", async (text, postback_data, expected) => {
    await hand({ ...payloadOf("RCS, a text"), to: OURS, body: { suggestion_response: { text, postback_data } } });
    expect(await seen()).toBe(expected);
  });

  it.each<[subject: unknown, text: string, expected: Seen]>([
    ["STOP", "", "stop"],
    ["stop", "no more of this", "stop"],
    ["please stop", "", "stop"],
    ["Re: your offer", "STOP", "stop"],
    ["Bus stop", "see the picture", "nothing"],
    [null, "hello", "nothing"],
    [7, "hello", "nothing"],
  ])("an MMS with the subject %j and the text %j opts out: %s", async (subject, text, expected) => {
    await hand({ ...payloadOf("SMS whose receiver is a string"), type: "MMS", subject, text });
    expect(await seen()).toBe(expected);
  });

  it("a STOP by WhatsApp counts and is not confirmed by a text; START and HELP by WhatsApp do nothing", async () => {
    const say = (body: string, id: string) =>
      hand({ ...payloadOf("WhatsApp"), id, body: { type: "text", text: { body } } });
    await say("HELP", "a");
    await say("STOP", "b");
    await say("START", "c");
    await at.world.runQueues();
    expect([await isSubscribed(), at.submitted]).toEqual([false, []]);
  });
});

describe("WhatsApp through Twilio", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(twilio);
    await at.world.sweep();
  });

  it.each<[name: string, sender: string, to: string, more: Record<string, string>]>([
    ["the number of the website", OURS, `whatsapp:${OURS}`, {}],
    ["a sender of its messaging service", SERVICE, "whatsapp:+14155238886", { MessagingServiceSid: SERVICE }],
  ])("a STOP to %s opts out, and is not confirmed by a text", async (_, sender, to, more) => {
    await at.world.website("brand", { carrier: "twilio", sender });
    await at.inbound("STOP", { from: `whatsapp:${ADA}`, to, more });
    await at.world.runQueues();
    expect([await isSubscribed(), at.submitted, await problems()]).toEqual([false, [], []]);
    expect(await texts()).toMatchObject([{ website_id: "brand", keyword: "stop" }]);
  });

  it("a STOP to another number opts out of the websites that have texted the person", async () => {
    await at.submit();
    await at.inbound("STOP", { from: `whatsapp:${ADA}`, to: "whatsapp:+14155238886" });
    expect(await isSubscribed()).toBe(false);
  });

  it("START and HELP do nothing: they are no consent to texts, and our answer would be a text", async () => {
    await at.inbound("STOP");
    await at.world.runQueues();
    at.submitted.length = 0;
    for (const words of ["START", "HELP", "YES"])
      await at.inbound(words, { from: `whatsapp:${ADA}`, to: `whatsapp:${OURS}` });
    await at.world.runQueues();
    expect([await isSubscribed(), at.submitted]).toEqual([false, []]);
  });

  it("what may be an opt-out is for the operator to decide", async () => {
    await at.inbound("please stop texting me", { from: `whatsapp:${ADA}`, to: `whatsapp:${OURS}` });
    expect(await problems()).toContain("maybe-opt-outs");
  });
});
